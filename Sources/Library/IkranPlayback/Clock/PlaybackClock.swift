/// Decides which frame of an animation is shown, from the time that has passed.
///
/// It is a value: it reads no clock and has no thread. Time is counted exactly, in whole units, so
/// that many short steps come to the same as one long step. A step over several frames leads to the
/// frame that is due; those between are skipped.
///
/// ```swift
/// var clock = PlaybackClock(durations: [100, 200], plays: nil)
/// clock.play()
/// clock.advance(by: .milliseconds(150))
/// clock.frame  // 1
/// ```
public struct PlaybackClock: Sendable, Hashable {
  /// What the clock does.
  public enum State: Sendable, Hashable {
    /// It stands at the beginning: it was not started, or stopped.
    case stopped
    /// Time passes.
    case playing
    /// It stands where it was paused.
    case paused
    /// All loops were played.
    case ended
  }

  /// What happened in a step.
  public struct Passed: Sendable, Hashable {
    /// Loops that were completed.
    public var loops = 0
    /// Whether the last loop was.
    public var hasEnded = false
  }

  /// How often the file says that it plays; nil is for ever.
  public internal(set) var plays: Int?
  /// What the clock does.
  public internal(set) var state = State.stopped
  /// The number of completed loops.
  public internal(set) var loop = 0
  /// Whether all frames of the file are there.
  ///
  /// While they are not, the clock waits at the last one that is there, instead of going on with a
  /// new loop or turning back.
  public internal(set) var isComplete: Bool

  var durations: [Int]
  var timeline: PlaybackTimeline
  /// Nanoseconds since the loop's beginning, less than a loop.
  var time = 0
  /// What has passed in addition to `time`, in thousandths of attoseconds: less than a nanosecond.
  var carry: Int128 = 0
  var storedOptions: PlaybackOptions

  /// Creates a clock that stands at the beginning.
  ///
  /// - Parameters:
  ///   - durations: How long each frame is shown, in milliseconds: from 1 to a day; none means a
  ///     single frame.
  ///   - plays: How often the file says that it plays; nil is for ever.
  ///   - isComplete: Whether all frames of the file are there.
  ///   - options: How the animation is played.
  public init(
    durations: [Int],
    plays: Int?,
    isComplete: Bool = true,
    options: PlaybackOptions = PlaybackOptions()
  ) {
    self.durations = durations
    self.plays = plays
    self.isComplete = isComplete
    storedOptions = options
    timeline = PlaybackTimeline(durations, options.direction)
  }

  /// The frame that is due, from 0.
  public var frame: Int {
    if let still = options.still(of: frameCount) { return still }
    if state == .ended { return timeline.order.finalFrame }
    return timeline.order.frame(at: step)
  }

  /// How long the frame, or the number of loops, stays the same while the clock plays.
  ///
  /// nil when it does not change any more: the clock stands, shows a still, or waits for frames
  /// that have not arrived. The change is there after exactly this time, and not before.
  public var untilNextChange: Duration? {
    guard state == .playing, still == nil else { return nil }
    let step = step
    let end = timeline.start(of: step) + timeline.duration(of: step)
    if let barrier, end >= barrier { return nil }
    let left = Int128(end - time) * Self.unitsPerNanosecond - carry
    let rate = Int128(options.thousandths)
    return Duration(attoseconds: (left + rate - 1) / rate)
  }

  /// Lets time pass.
  ///
  /// - Parameter elapsed: Time since the last step, at the rate 1. Less than zero counts as zero,
  ///   more than 100 years as that, and ``PlaybackOptions/maximumStep`` bounds it.
  /// - Returns: The loops that were completed.
  @discardableResult
  public mutating func advance(by elapsed: Duration) -> Passed {
    guard state == .playing, still == nil else { return Passed() }
    var elapsed = min(max(elapsed, .zero), .seconds(100 * 366 * 86_400))
    if let longest = options.maximumStep, let next = untilNextChange {
      elapsed = min(elapsed, next + min(max(longest, .zero), .seconds(100 * 366 * 86_400)))
    }
    let units = elapsed.attoseconds * Int128(options.thousandths) + carry
    let passed = units.quotientAndRemainder(dividingBy: Self.unitsPerNanosecond)
    carry = passed.remainder
    var reached = Int128(time) + passed.quotient
    if let barrier, reached >= barrier {
      reached = Int128(barrier - 1)
      carry = Self.lastUnit
    }
    let loops = reached.quotientAndRemainder(dividingBy: Int128(timeline.duration))
    time = Int(loops.remainder)
    return complete(loops: Int(clamping: loops.quotient))
  }

  private mutating func complete(loops: Int) -> Passed {
    let (sum, overflow) = loop.addingReportingOverflow(loops)
    let reached = overflow ? Int.max : sum
    guard let limit = loopLimit, reached >= limit else {
      loop = reached
      return Passed(loops: loops)
    }
    let passed = Passed(loops: limit - loop, hasEnded: true)
    end(after: limit)
    return passed
  }

  mutating func end(after limit: Int) {
    state = .ended
    loop = limit
    time = timeline.duration - 1
    carry = 0
  }

  /// The step of the loop that the clock is in.
  var step: Int { timeline.step(at: time) }

  /// The number of frames, at least 1.
  var frameCount: Int { timeline.order.frameCount }

  /// How many loops are played; nil is for ever.
  var loopLimit: Int? { options.loopLimit(plays: plays) }

  /// The frame of a still; nil when all frames are played.
  var still: Int? { options.still(of: frameCount) }

  /// The time that is not reached while frames are missing; nil when there is none.
  var barrier: Int? {
    guard !isComplete else { return nil }
    guard timeline.order.bounces, !timeline.order.isMirrored else { return timeline.duration }
    return time < timeline.legDuration
      ? timeline.legDuration : timeline.duration + timeline.legDuration
  }

  /// Whether time has passed until it had to wait for frames.
  var isWaiting: Bool {
    guard state == .playing || state == .paused, carry == Self.lastUnit else { return false }
    return barrier.map { time == $0 - 1 } ?? false
  }

  private static var lastUnit: Int128 { unitsPerNanosecond - 1 }

  /// Thousandths of attoseconds.
  private static var unitsPerNanosecond: Int128 { 1_000_000_000_000 }
}
