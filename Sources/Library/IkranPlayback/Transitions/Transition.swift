/// How one picture gives way to another: an effect, how long it takes, and how often it is drawn.
///
/// ```swift
/// let change = try Animation(from: placeholder, to: photo, transition: .fade(.milliseconds(150)))
/// let player = Player(change) { event in … }
/// ```
public struct Transition: Sendable, Hashable {
  /// A side of a picture.
  public enum Edge: Sendable, Hashable, CaseIterable {
    /// The left side.
    case left
    /// The right side.
    case right
    /// The upper side.
    case top
    /// The lower side.
    case bottom
  }

  /// What is drawn between the two pictures.
  package enum Effect: Sendable, Hashable {
    case fade
    case slide(Edge)
    case wipe(Edge)
    case flip(Edge)
    case custom(Custom)

    /// Whether something may be seen that neither picture covers.
    package var uncovers: Bool {
      switch self {
      case .fade, .slide, .wipe: false
      case .flip, .custom: true
      }
    }
  }

  /// How long the transition takes: from 22 ms to a minute; other values mean the nearest.
  public var duration: Duration {
    get { .milliseconds(milliseconds) }
    set { milliseconds = Self.milliseconds(of: newValue) }
  }
  /// How many frames an ``Animation`` of it has a second, from 1 to 90; others mean the nearest.
  ///
  /// There are at least two frames, the first picture and the second. Views draw one for each frame
  /// of the monitor.
  public var framesPerSecond: Int {
    get { rate }
    set { rate = min(max(newValue, 1), 90) }
  }
  /// Whether it begins and ends slowly; else its pace stays the same.
  public var isEased = true
  /// Whether a view also uses it for an image that memory or a table has; false by default.
  public var runsForCachedImages = false
  /// Whether the state of a view becomes `shown` when it has ended, not as it begins; false by
  /// default.
  public var endsBeforeShown = false

  package let effect: Effect
  private var milliseconds: Int
  private var rate = 60

  init(_ effect: Effect, _ duration: Duration) {
    self.effect = effect
    milliseconds = Self.milliseconds(of: duration)
  }

  /// One picture becomes the other, everywhere at the same time.
  public static func fade(_ duration: Duration = .milliseconds(250)) -> Transition {
    Transition(.fade, duration)
  }

  /// The new picture comes in from an edge and pushes the old one out.
  public static func slide(
    from edge: Edge,
    _ duration: Duration = .milliseconds(250)
  ) -> Transition {
    Transition(.slide(edge), duration)
  }

  /// A line moves in from an edge; behind it is the new picture, and neither picture moves.
  public static func wipe(
    from edge: Edge,
    _ duration: Duration = .milliseconds(250)
  ) -> Transition {
    Transition(.wipe(edge), duration)
  }

  /// The picture turns over like a card that has the new picture on its back.
  ///
  /// It is seen from a short distance, so that the edge that comes nearer is longer than the other
  /// one. What the card uncovers is transparent.
  ///
  /// - Parameters:
  ///   - edge: The edge of the old picture that comes nearer and goes to the opposite side.
  ///   - duration: How long it takes.
  /// - Returns: The transition.
  public static func flip(
    from edge: Edge,
    _ duration: Duration = .milliseconds(250)
  ) -> Transition {
    Transition(.flip(edge), duration)
  }

  /// The number of frames, from 2 to 5400.
  var frameCount: Int { max(2, milliseconds * rate / 1000) }

  /// How long each frame is shown, in milliseconds, at least 11: together exactly ``duration``.
  var frameDurations: [Int] {
    let count = frameCount
    return (0..<count).map { ($0 + 1) * milliseconds / count - $0 * milliseconds / count }
  }

  /// How much of the way is gone at a frame, from 0 at the first to 1 at the last.
  func progress(at frame: Int) -> Double {
    eased(Double(frame) / Double(frameCount - 1))
  }

  /// How much of the way is gone when a part of the time has passed, both from 0 to 1.
  package func eased(_ linear: Double) -> Double {
    isEased ? linear * linear * (3 - 2 * linear) : linear
  }

  private static func milliseconds(of duration: Duration) -> Int {
    let bounded = min(max(duration, .milliseconds(22)), .seconds(60))
    return Int(bounded / .milliseconds(1))
  }
}
