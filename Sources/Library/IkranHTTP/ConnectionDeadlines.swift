import IkranSystem

/// How long each part of a connection may take in all, whatever the client sends or reads of it.
package struct ConnectionLimits: Sendable, Hashable {
  /// From the connection, or the end of a pause, to the end of a request.
  package var request: Duration
  /// From the beginning of a response to its end.
  package var response: Duration
  /// From the end of a response to the next request.
  package var pause: Duration

  /// Creates limits.
  package init(request: Duration, response: Duration, pause: Duration) {
    (self.request, self.response, self.pause) = (request, response, pause)
  }
}

/// Ends the connections of a daemon whose time is over.
///
/// libmicrohttpd's own time-out begins again with each byte, so that a client can hold a connection
/// for ever. One thread shuts the late sockets down, and the daemon closes them.
final class ConnectionDeadlines: Sendable {
  private enum Step {
    /// Nil is forever.
    case sleep(until: ContinuousClock.Instant?)
    case end
  }
  private struct State {
    var isStopped = false
    /// By socket; none while a connection is suspended.
    var ends: [CInt: ContinuousClock.Instant] = [:]
    /// When the thread wakes next; nil is never.
    var alarmTime: ContinuousClock.Instant?
  }

  private let limits: ConnectionLimits
  private let alarm: Alarm
  // Sockets are shut down under the lock: the daemon closes each after it has called `close`.
  private let state = Guarded(State())

  /// Starts the thread; nil when the system has no thread or descriptor left.
  init?(_ limits: ConnectionLimits) {
    guard let alarm = Alarm() else { return nil }
    (self.limits, self.alarm) = (limits, alarm)
    let isStarted = BackgroundThread.start(name: "http-limits") { [self] in
      while case .sleep(let end) = endLate() { _ = alarm.sleep(until: end) }
    }
    guard isStarted else { return nil }
  }

  /// A client has connected.
  func open(_ socket: CInt) { set(limits.request, socket) }

  /// A response begins.
  func respond(_ socket: CInt) { set(limits.response, socket) }

  /// A response was sent: the next request may come.
  func rest(_ socket: CInt) { set(limits.pause + limits.request, socket) }

  /// The connection is suspended, or closed.
  func clear(_ socket: CInt) { state.withLock { $0.ends[socket] = nil } }

  /// Ends the thread.
  func stop() {
    state.withLock { $0.isStopped = true }
    alarm.ring()
  }

  private func set(_ limit: Duration, _ socket: CInt) {
    let end = ContinuousClock.now + limit
    let isFirst = state.withLock { state in
      state.ends[socket] = end
      guard state.alarmTime.map({ end < $0 }) ?? true else { return false }
      state.alarmTime = end
      return true
    }
    if isFirst { alarm.ring() }
  }

  /// Shuts the late sockets down.
  ///
  /// - Returns: What the thread does next.
  private func endLate() -> Step {
    let now = ContinuousClock.now
    return state.withLock { state in
      guard !state.isStopped else { return .end }
      for (socket, end) in state.ends where end <= now {
        state.ends[socket] = nil
        ConnectionHandle.shutDown(socket)
      }
      // All are looked at each time: not more often than that.
      state.alarmTime = state.ends.values.min().map { max($0, now + .milliseconds(100)) }
      return .sleep(until: state.alarmTime)
    }
  }
}
