// What a caller changes: each keeps the rest as it is.

extension PlaybackClock {
  /// How the animation is played.
  ///
  /// A change keeps the frame and how long it has been shown. When fewer loops are left than were
  /// played, the clock ends. A clock that is stopped goes to the beginning.
  public var options: PlaybackOptions {
    get { storedOptions }
    set {
      let old = storedOptions
      storedOptions = newValue
      if newValue.direction != old.direction { replan(durations) }
      if let limit = loopLimit, loop >= limit, state != .stopped { end(after: limit) }
    }
  }

  /// Lets time pass from here on; a clock that was stopped or has ended begins again.
  public mutating func play() {
    if state == .stopped || state == .ended { rewind() }
    state = .playing
  }

  /// Stops the time where it is; only a clock that plays is paused.
  public mutating func pause() {
    if state == .playing { state = .paused }
  }

  /// Goes on after ``pause()``; a clock that was not paused stays as it is.
  public mutating func resume() {
    if state == .paused { state = .playing }
  }

  /// Goes to the beginning and stays there.
  public mutating func stop() {
    rewind()
    state = .stopped
  }

  /// Goes to the beginning of a frame, within the loop that is played.
  ///
  /// A clock that has ended plays the rest of its last loop. A clock that is stopped stays there
  /// paused.
  ///
  /// - Parameter frame: From 0; another number means the nearest frame.
  public mutating func seek(toFrame frame: Int) {
    let frame = min(max(0, frame), timeline.order.frameCount - 1)
    let isBackward = timeline.order.isBackward(at: step)
    move(to: timeline.start(of: timeline.order.step(of: frame, backward: isBackward)))
  }

  /// Goes to a time, within the loop that is played.
  ///
  /// A clock that has ended plays the rest of its last loop. A clock that is stopped stays there
  /// paused.
  ///
  /// - Parameter time: Since the loop's beginning at the rate 1; a time outside the loop means the
  ///   nearest one in it.
  public mutating func seek(to time: Duration) {
    let nanoseconds = time.attoseconds / 1_000_000_000
    let reachable = isComplete ? timeline.duration : min(timeline.duration, timeline.legDuration)
    move(to: Int(min(max(0, nanoseconds), Int128(reachable - 1))))
  }

  /// Goes on with more frames of a file that is arriving.
  ///
  /// - Parameters:
  ///   - durations: Of all frames that are there, those known before included, in milliseconds.
  ///   - isComplete: Whether no more frames arrive.
  public mutating func extend(durations: [Int], isComplete: Bool) {
    let waited = isWaiting
    self.isComplete = isComplete
    replan(durations)
    // The loop has shown a part only: it begins again with the real last frame.
    let order = timeline.order
    if waited, isComplete, order.isMirrored, !order.bounces { (time, carry) = (0, 0) }
  }

  private mutating func rewind() { (time, carry, loop) = (0, 0, 0) }

  private mutating func move(to time: Int) {
    self.time = time
    carry = 0
    switch state {
    case .ended:
      state = .playing
      loop = max(0, loop - 1)
    case .stopped: state = .paused
    case .playing, .paused: break
    }
  }

  /// Keeps the frame and how long it has been shown, with other durations or another direction.
  private mutating func replan(_ durations: [Int]) {
    let step = step
    let shown = time - timeline.start(of: step)
    let (frame, isBackward) = (timeline.order.frame(at: step), timeline.order.isBackward(at: step))
    self.durations = durations
    timeline = PlaybackTimeline(durations, storedOptions.direction)
    switch state {
    case .stopped: (time, carry) = (0, 0)
    case .ended: time = timeline.duration - 1
    case .playing, .paused:
      let kept = min(frame, timeline.order.frameCount - 1)
      let next = timeline.order.step(of: kept, backward: isBackward)
      time = timeline.start(of: next) + min(shown, timeline.duration(of: next) - 1)
    }
  }
}
