import IkranCodecs

extension Player {
  /// Plays in real time, for programs without a frame clock.
  ///
  /// It sleeps until something changes, and returns when the player does not play any more or is
  /// hidden. Isolation: that of the caller, which may pause, seek and
  /// so on while this runs.
  ///
  /// Cancellation: the call returns soon; the player stays as it is.
  ///
  /// - Parameter clock: Whose time is used.
  public func run(on clock: some Clock<Duration> = ContinuousClock()) async {
    let start = clock.now
    runs += 1
    defer { runs -= 1 }
    while !Task.isCancelled {
      // Read before the step, so that no change is missed.
      let changes = animation.core.changes
      advance(to: start.duration(to: clock.now))
      guard isVisible else { return }
      let next = untilNextChange
      if next == .zero || next == nil && state == .playing && isWaiting {
        await animation.core.waitForChange(after: changes)
      } else if let next {
        await animation.core.waitForChange(after: changes, orFor: next, on: clock)
      } else {
        return
      }
    }
  }

  /// Whether more of the file is needed to go on.
  private var isWaiting: Bool { animation.info.end == .arriving }
}
