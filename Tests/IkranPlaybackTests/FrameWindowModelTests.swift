import IkranPlayback
import Support
import Testing

/// What holds for a window after anything that can happen to it.
@Suite(.timeLimit(.minutes(10))) struct FrameWindowModelTests {
  /// A window and what a caller knows of it.
  private struct Run {
    var window: FrameWindow
    let sizes: [Int]
    var kept: Set<Int> = []
    var decoding: Int?
    var failed: Set<Int> = []

    /// Whether the last plan was right; the reason if it was not.
    mutating func plan() -> String? {
      let wasDecoding = decoding
      let plan = window.next()
      for frame in plan.drop where kept.remove(frame) == nil { return "\(frame) was not kept" }
      if let frame = plan.decode {
        if wasDecoding != nil { return "two frames are decoded at a time" }
        if kept.contains(frame) { return "\(frame) is decoded while it is kept" }
        if failed.contains(frame) { return "\(frame) failed before" }
        decoding = frame
      }
      if kept != Set(window.kept) { return "the window takes \(window.kept) for kept" }
      return budgetFault ?? neglected
    }

    /// The frames that are due, or those that players can show instead.
    private var required: Set<Int> {
      Set(
        window.viewers.map(\.viewer).map {
          window.best(for: $0)?.frame ?? $0.order.frame(at: $0.step)
        }
      )
    }

    private var budgetFault: String? {
      let used = kept.reduce(0) { $0 + sizes[$1] }
      let expected = decoding == nil ? 0 : window.frameBytes
      let least = required.union(decoding.map { [$0] } ?? []).count * window.frameBytes
      // Where not all frames fit, the canvas stays as long as a player moves.
      let isTight = window.byteLimit < window.byteCount(of: window.frameCount)
      let canvas = window.isMoving && isTight ? window.canvasBytes : 0
      guard used + expected + canvas > max(window.byteLimit, least + canvas) else { return nil }
      return "\(used) bytes are kept and \(expected) expected of \(window.byteLimit)"
    }

    /// A frame that is due and neither kept nor on its way, although nothing else is decoded.
    private var neglected: String? {
      guard decoding == nil else { return nil }
      let missing = required.subtracting(kept).subtracting(failed)
      return missing.isEmpty ? nil : "\(missing) are due, but nothing is decoded"
    }
  }

  @Test func randomOperationsKeepTheBudgetAndTheFramesThatAreShown() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.fewer(4000) {
      var run = start(&random)
      for _ in 0..<60 {
        change(&run, &random)
        guard let fault = run.plan() else { continue }
        Issue.record("seed \(seed): \(fault); \(run)")
        return
      }
    }
  }

  private func start(_ random: inout SeededGenerator) -> Run {
    let count = Int.random(in: 1...30, using: &random)
    let size = Int.random(in: 1...100, using: &random)
    let varies = Int.random(in: 0..<4, using: &random) == 0
    let sizes = (0..<count).map { _ in
      varies ? Int.random(in: 1...200, using: &random) : size
    }
    let window = FrameWindow(
      frameCount: count,
      frameBytes: size,
      canvasBytes: Int.random(in: 0...500, using: &random),
      byteLimit: Int.random(in: 0...3000, using: &random),
      buffering: buffering(&random)
    )
    return Run(window: window, sizes: sizes)
  }

  private func change(_ run: inout Run, _ random: inout SeededGenerator) {
    let id = UInt64.random(in: 1...3, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: run.window.setViewer(nil, of: id)
    case 1: run.window.byteLimit = Int.random(in: 0...3000, using: &random)
    case 2: run.window.buffering = buffering(&random)
    case 3, 4:
      let direction = PlaybackOptions.Direction.allCases.randomElement(using: &random) ?? .normal
      let order = PlayingOrder(frameCount: run.window.frameCount, direction: direction)
      let viewer = FrameWindow.Viewer(
        order: order,
        step: Int.random(in: 0..<order.count, using: &random),
        isMoving: Int.random(in: 0..<5, using: &random) > 0,
        repeats: Bool.random(using: &random)
      )
      run.window.setViewer(viewer, of: id)
    case 5, 6:
      guard var viewer = run.window.viewer(id) else { return }
      let isShown = run.window.best(for: viewer) != nil
      viewer.step = (viewer.step + 1) % viewer.order.count
      viewer.late = isShown ? 1 : viewer.late + 1
      run.window.setViewer(viewer, of: id)
    default:
      guard let frame = run.decoding else { return }
      run.decoding = nil
      let fails = Int.random(in: 0..<20, using: &random) == 0
      run.window.finish(frame, bytes: fails ? nil : run.sizes[frame])
      if fails { run.failed.insert(frame) } else { run.kept.insert(frame) }
    }
  }

  private func buffering(_ random: inout SeededGenerator) -> FrameBuffering {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .none
    case 1: .frames(Int.random(in: 0...8, using: &random))
    case 2: .bytes(Int.random(in: 0...1000, using: &random))
    case 3: .all
    default: .automatic
    }
  }
}
