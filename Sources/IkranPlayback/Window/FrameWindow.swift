/// Decides which frames of one animation are decoded next and which are dropped.
///
/// It is a value without lock, thread or pixels. One window serves all players of an animation.
/// One frame is decoded at a time.
package struct FrameWindow: Sendable {
  /// Where a player is.
  package struct Viewer: Sendable, Hashable {
    /// The order in which its frames follow.
    package var order: PlayingOrder
    /// The step of the frame that is due.
    package var step: Int
    /// How many steps ago the player has shown a frame: 0 when it shows the frame that is due.
    ///
    /// A frame of one of those steps is better than the one that it shows.
    package var late: Int
    /// Whether frames follow: false for a still.
    package var isMoving: Bool
    /// Whether another loop follows this one.
    package var repeats: Bool

    package init(
      order: PlayingOrder,
      step: Int,
      late: Int = 1,
      isMoving: Bool = true,
      repeats: Bool = true
    ) {
      self.order = order
      self.step = step
      self.late = late
      self.isMoving = isMoving
      self.repeats = repeats
    }
  }

  /// What is to be done now.
  package struct Plan: Sendable, Hashable {
    /// The frame that is to be decoded; nil when there is none, or one is being decoded.
    package var decode: Int?
    /// Whether a player waits for that frame.
    package var isDue = false
    /// Frames that are to be released.
    package var drop: [Int] = []

    package init(decode: Int? = nil, isDue: Bool = false, drop: [Int] = []) {
      self.decode = decode
      self.isDue = isDue
      self.drop = drop
    }
  }

  /// How many frames are kept.
  package var buffering: FrameBuffering
  /// The animation's share of the budget.
  package var byteLimit: Int
  /// The number of frames.
  package var frameCount: Int
  /// The players that show this animation, in no order.
  package var viewers: [UInt64: Viewer] = [:]
  /// The bytes of the largest frame so far, or what is expected.
  package private(set) var frameBytes: Int
  /// The bytes of each frame that is kept.
  package private(set) var kept: [Int: Int] = [:]
  /// The frame that is being decoded.
  package private(set) var decoding: Int?
  /// Frames that could not be decoded; they are not tried again.
  package private(set) var failed: Set<Int> = []

  /// The frames of one player in the automatic mode when not all fit.
  package static let automaticCount = 8

  package init(frameCount: Int, frameBytes: Int, byteLimit: Int, buffering: FrameBuffering) {
    self.frameCount = max(1, frameCount)
    self.frameBytes = max(1, frameBytes)
    self.byteLimit = byteLimit
    self.buffering = buffering
  }

  /// The bytes of all frames that are kept.
  package var byteCount: Int { kept.values.reduce(0, +) }

  /// The bytes of so many frames, at most `Int.max`.
  package func byteCount(of frames: Int) -> Int {
    let (bytes, overflow) = frameBytes.multipliedReportingOverflow(by: max(0, frames))
    return overflow ? .max : bytes
  }

  /// Ends the decoding of a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame of the plan.
  ///   - bytes: Its size; nil when it could not be decoded.
  package mutating func finish(_ frame: Int, bytes: Int?) {
    if decoding == frame { decoding = nil }
    guard let bytes else {
      failed.insert(frame)
      return
    }
    kept[frame] = bytes
    frameBytes = max(frameBytes, bytes)
  }

  /// Ends the decoding of a frame without a result; it may be tried again.
  package mutating func abandon(_ frame: Int) {
    if decoding == frame { decoding = nil }
  }

  /// Lets frames that could not be decoded be tried again: there is more of the file.
  package mutating func retryFailed() { failed = [] }

  /// Says what to decode and what to drop, and takes note of it.
  ///
  /// Afterwards the frames that are kept or being decoded are within ``byteLimit``, or are those
  /// that players wait for or show.
  ///
  /// Cost: proportional to the number of frames that may be kept, or nothing when all frames are.
  package mutating func next() -> Plan {
    if kept.count == frameCount, capacity >= frameCount, decoding == nil { return Plan() }
    let wanted = wantedFrames()
    var plan = Plan()
    let isStray = decoding.map { !wanted.isWanted.contains($0) } ?? false
    let room = max(wanted.required, capacity - (isStray ? 1 : 0))
    let isOver = wanted.frames.count > room
    let kept = isOver ? Set(wanted.frames.prefix(room)) : wanted.isWanted
    plan.drop = self.kept.keys.filter { !kept.contains($0) }.sorted()
    for frame in plan.drop { self.kept[frame] = nil }
    guard decoding == nil else { return plan }
    for (index, frame) in wanted.frames.prefix(room).enumerated() where isMissing(frame) {
      plan.isDue = index < wanted.required
      plan.decode =
        plan.isDue || !wanted.isBackward.contains(frame) ? frame : runStart(frame, in: kept)
      break
    }
    decoding = plan.decode
    return plan
  }

  /// How many frames fit.
  private var capacity: Int {
    let fitting = max(0, byteLimit) / frameBytes
    return switch buffering {
    case .none: 0
    case .automatic, .all: fitting
    case .frames(let count): min(max(1, count), fitting)
    case .bytes(let bytes): min(max(0, bytes) / frameBytes, fitting)
    }
  }

  private func isMissing(_ frame: Int) -> Bool { kept[frame] == nil && !failed.contains(frame) }

  /// Frames are composed forwards: those that are shown backwards are decoded in short runs, each
  /// from its lowest frame on.
  private func runStart(_ frame: Int, in wanted: Set<Int>) -> Int {
    var start = frame
    while start > 0, frame - start < Self.automaticCount - 1, wanted.contains(start - 1),
      isMissing(start - 1)
    {
      start -= 1
    }
    return start
  }

  /// Frames by how soon they are shown.
  private struct Wanted {
    var frames: [Int] = []
    var isWanted: Set<Int> = []
    /// Those that are wanted on the way towards the first frame.
    var isBackward: Set<Int> = []
    /// The first so many are wanted whatever the budget.
    var required = 0

    mutating func add(_ frame: Int, isBackward backward: Bool = false) {
      guard isWanted.insert(frame).inserted else { return }
      frames.append(frame)
      if backward { isBackward.insert(frame) }
    }
  }

  private func wantedFrames() -> Wanted {
    var wanted = Wanted()
    // The dictionary has no order of its own; the plan has to be the same each time.
    let viewers = viewers.sorted { $0.key < $1.key }.map(\.value)
    guard !viewers.isEmpty else {
      for frame in kept.keys.sorted().prefix(max(0, byteLimit) / frameBytes) { wanted.add(frame) }
      return wanted
    }
    for viewer in viewers { wanted.add(required(by: viewer)) }
    wanted.required = wanted.frames.count
    for viewer in viewers { wanted.add(clamped(viewer.order.frame(at: viewer.step))) }
    let capacity = capacity
    let ahead =
      buffering == .automatic && capacity < frameCount ? Self.automaticCount - 1 : frameCount * 2
    var distance = 1
    var following = viewers.filter(\.isMoving)
    while distance <= ahead, wanted.frames.count < min(capacity, frameCount), !following.isEmpty {
      following.removeAll { viewer in
        guard wanted.frames.count < capacity else { return true }
        return !add(distance, after: viewer, to: &wanted)
      }
      distance += 1
    }
    return wanted
  }

  /// Adds the frame `distance` steps ahead; false when no more follow.
  private func add(_ distance: Int, after viewer: Viewer, to wanted: inout Wanted) -> Bool {
    let step = viewer.step + distance
    if step >= viewer.order.count, !viewer.repeats {
      wanted.add(clamped(viewer.order.finalFrame))
      return false
    }
    let inLoop = step % viewer.order.count
    wanted.add(
      clamped(viewer.order.frame(at: inLoop)),
      isBackward: viewer.order.isBackward(at: inLoop)
    )
    return distance < viewer.order.count
  }

  /// The frame that is due; if it is missing, a later one than shown that is kept.
  private func required(by viewer: Viewer) -> Int {
    best(for: viewer)?.frame ?? clamped(viewer.order.frame(at: viewer.step))
  }

  /// The best frame that is kept for a player to show next; nil when it has to stay where it is.
  ///
  /// It is the one that is due, or the last before that is later than what is shown.
  ///
  /// - Returns: Its number, and how many steps ago it was due.
  package func best(for viewer: Viewer) -> (frame: Int, late: Int)? {
    var step = viewer.step
    for late in 0..<min(max(1, viewer.late), viewer.order.count) {
      let frame = clamped(viewer.order.frame(at: step))
      if kept[frame] != nil { return (frame, late) }
      step = step == 0 ? viewer.order.count - 1 : step - 1
    }
    return nil
  }

  private func clamped(_ frame: Int) -> Int { min(max(0, frame), frameCount - 1) }
}
