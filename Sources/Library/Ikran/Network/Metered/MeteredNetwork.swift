import IkranSystem

// Decision 23: read from GIO in the background.
/// Whether the network is metered, as the system reports it.
///
/// The system is queried on a background thread, and callers never wait for it: it may take half a
/// minute to report that it does not know. The first call of ``isMetered()`` starts the first
/// query.
package final class MeteredNetwork: Sendable {
  private struct State {
    var isMetered = false
    var isQuerying = false
    /// When the last query ended, in microseconds since 1970; nil before the first.
    var updated: Int64?
    var isUnsupported = false
  }

  /// For how long a result is used, in microseconds.
  package static let interval: Int64 = 10_000_000

  private let now: @Sendable () -> Int64
  private let query: @Sendable () -> Bool?
  private let state = Guarded(State())

  /// Creates a monitor without a result.
  ///
  /// - Parameters:
  ///   - now: Microseconds since 1970.
  ///   - query: Queries the system, which may take long; nil when the system cannot be queried.
  package init(
    now: @escaping @Sendable () -> Int64 = WallClock.microseconds,
    ask query: @escaping @Sendable () -> Bool? = NetworkMonitor().isNetworkMetered
  ) {
    self.now = now
    self.query = query
  }

  /// The last result, or false before the first; never waits.
  ///
  /// A call when the result is older than ten seconds starts a query, whose result later calls get.
  package func isMetered() -> Bool {
    let time = now()
    let (isMetered, isDue) = state.withLock { state in
      let age = state.updated.map { time - $0 }
      let isFresh = age.map { (0..<Self.interval).contains($0) } ?? false
      let isDue = !(isFresh || state.isQuerying || state.isUnsupported)
      if isDue { state.isQuerying = true }
      return (state.isMetered, isDue)
    }
    guard isDue else { return isMetered }
    let isStarted = BackgroundThread.start(name: "ikran-metered") { [self] in
      let result = query()
      let time = now()
      state.withLock { state in
        state = State(isMetered: result ?? false, updated: time, isUnsupported: result == nil)
      }
    }
    if !isStarted { state.withLock { $0.isQuerying = false } }
    return isMetered
  }
}
