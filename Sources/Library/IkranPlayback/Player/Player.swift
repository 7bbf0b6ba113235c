import IkranCodecs
public import IkranPixels

// Decision 37: playback knows neither views nor URLs.
/// Plays an animation without a view: it says which picture is to be shown.
///
/// The owner of a view calls ``advance(to:)`` at each tick of its frame clock and shows ``image``;
/// a program without a frame clock calls ``run(on:)``.
///
/// ```swift
/// let player = Player(animation) { event in
///   if case .frame(_, let image) = event { view.show(image) }
/// }
/// player.play()
/// ```
/// Isolation: a player belongs to one actor or thread at a time, such as the main actor; its
/// handler is called there, within the method that brings the event about. Frames are decoded
/// elsewhere, and players of the same animation share them.
public final class Player {
  /// What has happened.
  public enum Event: Sendable {
    /// Another frame is to be shown: its number and its picture.
    case frame(Int, Bitmap)
    /// Loops were completed: how many so far.
    case loop(Int)
    /// The last loop was completed; the last frame may still be being decoded.
    case end
    /// A frame cannot be decoded, or the file breaks off; reported once, and the rest plays on.
    case error(PlaybackError)
  }

  /// What is played.
  public let animation: Animation
  /// Called for each event, in their order.
  public var onEvent: ((Event) -> Void)?
  /// The picture to be shown; nil before the first one is decoded.
  public private(set) var image: Bitmap?
  /// The number of the frame in ``image``.
  public private(set) var shownFrame: Int?
  /// How many frames were due and gone before they were shown.
  ///
  /// A step of the frame clock led over them, or they were not decoded in time. Those that a seek
  /// passes do not count.
  public private(set) var droppedFrames = 0
  /// Whether the player is on display.
  ///
  /// While it is not, its time stands, and it wants no frames to be kept.
  public var isVisible = true {
    didSet {
      guard isVisible != oldValue else { return }
      lastTime = nil
      late = max(late, 1)
      if !isVisible { animation.core.hide(id) }
      wake()
    }
  }

  private var clock: PlaybackClock
  /// The version of the file that the clock knows.
  private var version: Int
  private let id: UInt64
  /// nil when the time since the last step does not count.
  private var lastTime: Duration?
  /// How many steps ago `image` was due; more than 0 while a later frame is missing.
  private var late = 1
  /// Whether the frame that was due at the last step was not decoded then.
  private var isFrameMissing = true
  /// Whether other options have ended it, which is not reported yet.
  private var isEndDue = false
  private var isBreakReported = false
  /// How many calls of ``run(on:)`` are under way.
  var runs = 0
  /// Called when ``advance(to:)`` may be wanted earlier than was said; in the method that brings it
  /// about.
  package var onWake: (() -> Void)?

  /// Creates a player that stands at the beginning.
  ///
  /// - Parameters:
  ///   - animation: What is played.
  ///   - options: How it is played.
  ///   - onEvent: Called for each event.
  public init(
    _ animation: Animation,
    options: PlaybackOptions = PlaybackOptions(),
    onEvent: ((Event) -> Void)? = nil
  ) {
    self.animation = animation
    self.onEvent = onEvent
    id = animation.core.makeViewerID()
    let contents = animation.core.contents
    version = contents.version
    let info = contents.source.info
    clock = PlaybackClock(
      durations: info.frames.map(\.duration),
      plays: info.plays,
      isComplete: info.end != .arriving,
      options: options
    )
  }

  deinit { animation.core.hide(id) }

  /// How the animation is played; see ``PlaybackClock/options``.
  public var options: PlaybackOptions {
    get { clock.options }
    set {
      let (still, state) = (clock.still, clock.state)
      clock.options = newValue
      if clock.state == .ended, state != .ended { isEndDue = true }
      if clock.still != still { lastTime = nil }
      late = max(late, 1)
      wake()
    }
  }

  /// Whether it plays, is paused, stopped or has ended.
  public var state: PlaybackClock.State { clock.state }

  /// The number of completed loops.
  public var loop: Int { clock.loop }

  /// The frame that is due; ``shownFrame`` is an earlier one while this is being decoded.
  public var frame: Int { clock.frame }

  /// How long nothing changes: ``advance(to:)`` need not be called before.
  ///
  /// Zero while a frame that is due is being decoded; nil when nothing changes any more, because
  /// the player stands, shows a still or waits for more of the file.
  public var untilNextChange: Duration? {
    guard isVisible else { return nil }
    return late > 0 || version != animation.core.version ? .zero : clock.untilNextChange
  }

  /// Plays from here on; a player that was stopped or has ended begins again.
  public func play() {
    if clock.state != .playing { lastTime = nil }
    clock.play()
    late = max(late, 1)
    wake()
  }

  /// Stops the time; the picture stays.
  public func pause() {
    clock.pause()
    wake()
  }

  /// Goes on after ``pause()``.
  public func resume() {
    if clock.state == .paused { lastTime = nil }
    clock.resume()
    wake()
  }

  /// Goes to the beginning and stays there.
  public func stop() {
    clock.stop()
    late = 1
    wake()
  }

  /// Goes to the beginning of a frame, numbered from 0; see ``PlaybackClock/seek(toFrame:)``.
  ///
  /// The frame appears with the next ``advance(to:)`` after it is decoded.
  public func seek(toFrame frame: Int) {
    if clock.state == .ended { lastTime = nil }
    clock.seek(toFrame: frame)
    late = 1
    wake()
  }

  /// Goes to a time since the loop's beginning; see ``PlaybackClock/seek(to:)``.
  public func seek(to time: Duration) {
    if clock.state == .ended { lastTime = nil }
    clock.seek(to: time)
    late = 1
    wake()
  }

  /// Goes on to a time, and shows the frame that is due then.
  ///
  /// When that frame is not decoded yet, the latest one that is decoded and follows the shown one
  /// appears, or the picture stays. Late frames are never queued.
  ///
  /// Cost: one lock; two when the frame changes. It decodes nothing and does not wait.
  ///
  /// - Parameter time: On any clock, always the same one. The time since the last call counts while
  ///   the player plays; the first call after ``play()`` and ``resume()`` only begins to count.
  /// - Returns: Whether ``image`` is another picture.
  @discardableResult
  public func advance(to time: Duration) -> Bool {
    guard isVisible else { return false }
    let elapsed = lastTime.map { time - $0 } ?? .zero
    lastTime = time
    let passed = move(by: elapsed)
    takeUpArrivals()
    var events: [Event] = passed.loops > 0 ? [.loop(clock.loop)] : []
    let hasChanged = late > 0 && showDue(&events)
    if passed.hasEnded || isEndDue { events.append(.end) }
    isEndDue = false
    if passed.loops > 0 || clock.still != nil { reportBreak(&events) }
    if let onEvent { for event in events { onEvent(event) } }
    return hasChanged
  }

  /// Lets ``run(on:)`` and a view see what has changed.
  private func wake() {
    if runs > 0 { animation.core.wake() }
    onWake?()
  }

  private func move(by elapsed: Duration) -> PlaybackClock.Passed {
    let step = clock.step
    let passed = clock.advance(by: elapsed)
    let count = clock.timeline.order.count
    // The end stays at the last step of its loop.
    let loops = min(passed.hasEnded ? passed.loops - 1 : passed.loops, 1 << 20)
    let steps = clock.step - step + loops * count
    if steps > 0 { droppedFrames += steps - 1 + (isFrameMissing ? 1 : 0) }
    // Further back than a loop, no frame is better than another.
    late = min(late + clock.step - step + min(passed.loops, 2) * count, count)
    if passed.hasEnded { late = max(late, 1) }
    return passed
  }

  /// Shows the best frame there is; whether it is another picture.
  private func showDue(_ events: inout [Event]) -> Bool {
    let showing = animation.core.show(viewer, by: id)
    if let error = showing.error { report(error, &events) }
    // With an error, nothing better comes before the next frame is due.
    late = showing.error == nil ? showing.late : 0
    isFrameMissing = late > 0
    guard let frame = showing.frame, let bitmap = showing.bitmap else { return false }
    let isOther = frame != shownFrame || image == nil
    (shownFrame, image) = (frame, bitmap)
    if isOther { events.append(.frame(frame, bitmap)) }
    return isOther
  }

  /// What stands without being paused needs its frame alone.
  private var viewer: FrameWindow.Viewer {
    guard clock.still == nil, clock.state != .ended, clock.state != .stopped else {
      let order = PlayingOrder(frameCount: clock.frameCount, direction: .normal)
      return FrameWindow.Viewer(order: order, step: clock.frame, isMoving: false)
    }
    return FrameWindow.Viewer(
      order: clock.timeline.order,
      step: clock.step,
      late: late,
      repeats: clock.isComplete && clock.loopLimit.map { clock.loop + 1 < $0 } ?? true
    )
  }

  private func takeUpArrivals() {
    guard version != animation.core.version else { return }
    let contents = animation.core.contents
    version = contents.version
    let info = contents.source.info
    clock.plays = info.plays
    clock.extend(durations: info.frames.map(\.duration), isComplete: info.end != .arriving)
    late = max(late, 1)
  }

  private func reportBreak(_ events: inout [Event]) {
    guard !isBreakReported, case .broken(let error) = animation.info.end else { return }
    report(.decode(error), &events)
  }

  private func report(_ error: PlaybackError, _ events: inout [Event]) {
    guard !isBreakReported else { return }
    isBreakReported = true
    events.append(.error(error))
  }
}
