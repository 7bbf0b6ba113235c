/// When each step of one loop begins, in nanoseconds from the loop's beginning.
struct PlaybackTimeline: Sendable, Hashable {
  let order: PlayingOrder
  /// When the frames begin on the way from the loop's first frame to its farthest, and when that
  /// ends: one more than there are frames.
  private let starts: [Int]

  /// Plans a loop.
  ///
  /// - Parameters:
  ///   - durations: Of each frame in file order, in milliseconds; each is at least 1 and at most a
  ///     day, or less where a loop would take more than 36 years. None means one frame of 100 ms.
  ///   - direction: The order of the frames.
  init(_ durations: [Int], _ direction: PlaybackOptions.Direction) {
    let durations = durations.isEmpty ? [100] : durations
    order = PlayingOrder(frameCount: durations.count, direction: direction)
    let longest = min(86_400_000, max(1, (1 << 60) / 1_000_000 / durations.count))
    var starts = [0]
    starts.reserveCapacity(durations.count + 1)
    var end = 0
    for position in durations.indices {
      let frame = order.isMirrored ? durations.count - 1 - position : position
      end += min(max(1, durations[frame]), longest) * 1_000_000
      starts.append(end)
    }
    self.starts = starts
  }

  /// The way from the loop's first frame to its farthest, the time of which is included.
  var legDuration: Int { starts[order.frameCount] }

  /// One loop.
  var duration: Int { order.count > order.frameCount ? 2 * legDuration - ends : legDuration }

  /// When a step begins.
  func start(of step: Int) -> Int {
    guard step >= order.frameCount else { return starts[step] }
    let turn = 2 * legDuration - duration(of: order.frameCount - 1)
    return turn - starts[order.position(at: step) + 1]
  }

  /// How long a step takes.
  func duration(of step: Int) -> Int {
    let position = order.position(at: step)
    return starts[position + 1] - starts[position]
  }

  /// The step at a time from 0 up to ``duration``.
  ///
  /// Cost: a binary search.
  func step(at time: Int) -> Int {
    guard time >= legDuration else { return position(at: time) }
    let turn = 2 * legDuration - duration(of: order.frameCount - 1)
    return 2 * order.frameCount - 2 - position(at: turn - 1 - time)
  }

  /// The frames that a bounce shows once.
  private var ends: Int { duration(of: 0) + duration(of: order.frameCount - 1) }

  private func position(at time: Int) -> Int {
    var low = 0
    var high = order.frameCount - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= time { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
