/// How an animation is played.
public struct PlaybackOptions: Sendable, Hashable {
  /// The order in which frames are shown.
  public enum Direction: Sendable, Hashable, CaseIterable {
    /// From the first frame to the last.
    case normal
    /// From the last frame to the first.
    case reverse
    /// To the last frame and back: one loop. The frames at both ends are shown once.
    case bounce
    /// To the first frame and back to the last: one loop.
    case reversedBounce
  }

  /// How often the frames are shown.
  public enum Loops: Sendable, Hashable {
    /// As often as the file says.
    case file
    /// Until the playback is stopped.
    case forever
    /// So many times; less than 1 means 1.
    case times(Int)

    /// A single time.
    public static let once = Loops.times(1)
  }

  /// What is shown of an animation.
  public enum Frames: Sendable, Hashable {
    /// All frames, one after the other.
    case animated
    /// The first frame, as a still.
    case first
    /// The last frame, as a still; of a file that is arriving, the last one that has arrived.
    case last
    /// One frame as a still, numbered from 0; a number over the last frame's means the last frame.
    case nth(Int)
  }

  /// How fast time passes: 1 is the file's own speed, 2 is twice as fast.
  ///
  /// Kept in thousandths, from 0.001 to 1000; other values mean the nearest of those, and NaN is 1.
  public var rate: Double {
    get { Double(thousandths) / 1000 }
    set { thousandths = Self.thousandths(of: newValue) }
  }
  /// The order in which frames are shown.
  public var direction: Direction
  /// How often the frames are shown.
  public var loops: Loops
  /// What is shown.
  public var frames: Frames
  /// How much time after a change that was due is caught up with; nil is all of it.
  ///
  /// When a step is longer, because the machine slept or a view was hidden, the rest of it does not
  /// count. Frames that are shown for longer than this are not shortened.
  public var maximumStep: Duration?

  /// Whether a view plays it as soon as it is there; a ``Player`` of your own waits for
  /// ``Player/play()``.
  public var playsAutomatically = true

  private(set) var thousandths: Int

  /// Creates options; without arguments, all frames are played at the file's speed and as often as
  /// the file says.
  public init(
    rate: Double = 1,
    direction: Direction = .normal,
    loops: Loops = .file,
    frames: Frames = .animated,
    maximumStep: Duration? = .seconds(1)
  ) {
    thousandths = Self.thousandths(of: rate)
    self.direction = direction
    self.loops = loops
    self.frames = frames
    self.maximumStep = maximumStep
  }

  /// How many loops are played of a file that says `plays`; nil is for ever.
  func loopLimit(plays: Int?) -> Int? {
    switch loops {
    case .file: plays.map { max(1, $0) }
    case .forever: nil
    case .times(let count): max(1, count)
    }
  }

  /// The frame of a still; nil when all frames are played.
  func still(of frameCount: Int) -> Int? {
    switch frames {
    case .animated: nil
    case .first: 0
    case .last: frameCount - 1
    case .nth(let number): min(max(0, number), frameCount - 1)
    }
  }

  private static func thousandths(of rate: Double) -> Int {
    rate.isNaN ? 1000 : Int((min(max(rate, 0.001), 1000) * 1000).rounded())
  }
}
