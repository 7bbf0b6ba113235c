import IkranSystem

/// Keeps calls from a store that fails: after some failures in a row none is made for a while, then
/// one, whose end decides.
final class TierBreaker: Sendable {
  private struct State {
    var failures = 0
    /// When the next call is tried, in microseconds.
    var retry: Int64 = 0
    var isTrying = false
  }

  private let limit: Int
  private let pause: Int64
  private let now: @Sendable () -> Int64
  private let state = Guarded(State())

  /// Creates a breaker that lets calls through.
  ///
  /// - Parameters:
  ///   - limit: The failures in a row that end this.
  ///   - pause: How long no call is made then.
  ///   - now: The time in microseconds.
  init(
    limit: Int = 5,
    pause: Duration = .seconds(5),
    now: @escaping @Sendable () -> Int64 = WallClock.microseconds
  ) {
    (self.limit, self.pause, self.now) = (limit, pause.microseconds, now)
  }

  /// Whether a call may be made, which has to be followed by ``end(isGood:)``.
  func begin() -> Bool {
    let time = now()
    return state.withLock { state in
      guard state.failures >= limit else { return true }
      guard !state.isTrying, time >= state.retry else { return false }
      state.isTrying = true
      return true
    }
  }

  /// Takes note of how a call ended; nil for one that was cancelled.
  func end(isGood: Bool?) {
    let time = now()
    state.withLock { state in
      state.isTrying = false
      guard let isGood else { return }
      state.failures = isGood ? 0 : state.failures + 1
      if state.failures >= limit { state.retry = time + pause }
    }
  }
}
