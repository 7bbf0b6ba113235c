/// Scrolls the grid down, so much a frame, and up again from its end.
@MainActor
final class Scroll {
  /// What it cost.
  struct Result {
    let times: FrameTimes
    /// The processor time of all threads, in milliseconds.
    let processorTime: Double
  }

  private let gallery: Gallery
  private let step: Double
  private let count: Int
  private var times: FrameTimes
  private var direction = 1.0
  private var start = 0.0
  private var done: CheckedContinuation<Result, Never>?

  private init(_ gallery: Gallery, _ count: Int, _ step: Double) {
    (self.gallery, self.count, self.step) = (gallery, count, step)
    times = FrameTimes(capacity: count)
  }

  /// Scrolls for `frames` frames, by `step` points in each.
  static func run(_ gallery: Gallery, frames: Int, step: Double = 60) async -> Result {
    let scroll = Scroll(gallery, max(1, frames), step)
    return await withCheckedContinuation { scroll.begin($0) }
  }

  private func begin(_ continuation: CheckedContinuation<Result, Never>) {
    done = continuation
    start = Application.processorTime
    gallery.beforeFrame = { self.move() }
    gallery.afterFrame = { self.add($0) }
    gallery.window.frames?.run(true)
  }

  private func move() {
    let grid = gallery.grid
    if grid.offset >= grid.lastOffset { direction = -1 }
    if grid.offset <= 0 { direction = 1 }
    grid.offset += direction * step
  }

  private func add(_ milliseconds: Double) {
    times.add(milliseconds)
    guard times.count == count, let done else { return }
    self.done = nil
    (gallery.beforeFrame, gallery.afterFrame) = (nil, nil)
    gallery.window.frames?.run(false)
    done.resume(
      returning: Result(times: times, processorTime: Application.processorTime - start)
    )
  }
}

extension Gallery {
  /// Returns when every picture is shown, or why there is none; false when that takes too long.
  func settle(within limit: Duration) async -> Bool {
    let end = ContinuousClock.now + limit
    while !isSettled {
      guard ContinuousClock.now < end, !Task.isCancelled else { return false }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return true
  }
}
