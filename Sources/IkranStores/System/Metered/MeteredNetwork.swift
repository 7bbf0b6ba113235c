/// Whether the network costs money, as far as the system tells.
///
/// The system is asked on a thread of its own, and nobody waits for it: it may take half a minute to
/// say that it does not know. Nothing happens before the first question.
package final class MeteredNetwork: Sendable {
  private struct State {
    var isMetered = false
    var isAsking = false
    /// When the last answer came, in microseconds since 1970; nil before the first.
    var answered: Int64?
    var hasNobodyToAsk = false
  }

  /// For how long an answer is good, in microseconds.
  package static let interval: Int64 = 10_000_000

  private let now: @Sendable () -> Int64
  private let ask: @Sendable () -> Bool?
  private let state = Guarded(State())

  /// Begins without an answer.
  ///
  /// - Parameters:
  ///   - now: Microseconds since 1970.
  ///   - ask: Asks the system, which may take long; nil when there will never be anybody to ask.
  package init(
    now: @escaping @Sendable () -> Int64 = WallClock.microseconds,
    ask: @escaping @Sendable () -> Bool? = NetworkMonitor().isNetworkMetered
  ) {
    self.now = now
    self.ask = ask
  }

  /// The last answer, and false before the first; never waits.
  ///
  /// When the answer is older than ten seconds it begins to ask again, for those who come later.
  package func isMetered() -> Bool {
    let time = now()
    let (isMetered, isDue) = state.withLock { state in
      let age = state.answered.map { time - $0 }
      let isGood = age.map { (0..<Self.interval).contains($0) } ?? false
      let isDue = !(isGood || state.isAsking || state.hasNobodyToAsk)
      if isDue { state.isAsking = true }
      return (state.isMetered, isDue)
    }
    guard isDue else { return isMetered }
    let isStarted = BackgroundThread.start(name: "ikran-metered") { [self] in
      let answer = ask()
      let time = now()
      state.withLock { state in
        state = State(isMetered: answer ?? false, answered: time, hasNobodyToAsk: answer == nil)
      }
    }
    if !isStarted { state.withLock { $0.isAsking = false } }
    return isMetered
  }
}
