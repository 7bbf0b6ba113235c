import IkranSystem

/// Suspended connections that are resumed at a set time.
///
/// A waiting request costs a suspended connection and an entry here. One thread, started with the
/// first wait, resumes them all: a thousand slow requests need no more threads than one, and busy
/// tasks of the surrounding program cannot delay them.
package final class SuspendedConnections: Sendable {
  private struct Wait {
    let connection: ConnectionHandle
    let end: ContinuousClock.Instant
  }
  private enum Step {
    /// Nil is forever.
    case sleep(until: ContinuousClock.Instant?)
    case end
  }
  private struct State {
    var isStopped = false
    var alarm: Alarm?
    var next = 0
    var waits: [Int: Wait] = [:]
    /// When the thread wakes next; nil is never.
    var alarmTime: ContinuousClock.Instant?

    /// Resumes a connection, if it still waits.
    mutating func endWait(_ number: Int) {
      guard let wait = waits.removeValue(forKey: number) else { return }
      alarm?.forget(wait.connection.socket)
      wait.connection.resume()  // Under the lock: see `state`.
    }
  }
  // Suspending and resuming happen inside the lock: a resume must never overtake its suspend, nor
  // come after stop, when the daemon may be gone. Neither calls back.
  private let state = Guarded(State())

  /// Creates an empty set.
  package init() {}

  /// Whether ``stop()`` was called.
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Suspends a connection and resumes it after `duration`, or sooner when its client disconnects
  /// or ``stop()`` is called.
  ///
  /// - Returns: False, without effect, after ``stop()`` or when no thread can be started.
  package func pause(_ connection: ConnectionHandle, for duration: Duration) -> Bool {
    begin(connection, for: duration) != nil
  }

  /// Suspends a connection as ``pause(_:for:)`` does.
  ///
  /// - Returns: The number of its wait, for ``end(_:)``; nil, without effect, after ``stop()`` or
  ///   when no thread can be started.
  package func begin(_ connection: ConnectionHandle, for duration: Duration) -> Int? {
    let end = ContinuousClock.now + duration
    return state.withLock { state in
      guard !state.isStopped, let alarm = state.alarm ?? start() else { return nil }
      state.alarm = alarm
      connection.suspend()
      state.waits[state.next] = Wait(connection: connection, end: end)
      let number = state.next
      alarm.watch(connection.socket, number: number)
      state.next += 1
      if state.alarmTime.map({ end < $0 }) ?? true {
        state.alarmTime = end
        alarm.ring()
      }
      return number
    }
  }

  /// Resumes a connection, if it still waits.
  package func end(_ number: Int) { state.withLock { $0.endWait(number) } }

  /// Resumes every waiting connection, refuses new waits and ends the thread.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      for number in Array(state.waits.keys) { state.endWait(number) }
      state.alarm?.ring()
      state.alarm = nil
    }
  }

  private func start() -> Alarm? {
    guard let alarm = Alarm() else { return nil }
    let isStarted = BackgroundThread.start(name: "http-waits") { [self] in
      var abandoned: [Int] = []
      while true {
        switch resume(abandoned) {
        case .sleep(let time): abandoned = alarm.sleep(until: time)
        case .end: return
        }
      }
    }
    return isStarted ? alarm : nil
  }

  /// Resumes the connections whose clients disconnected and those that are due.
  ///
  /// - Returns: What the thread does next.
  private func resume(_ abandoned: [Int]) -> Step {
    let now = ContinuousClock.now
    return state.withLock { state in
      guard !state.isStopped else { return .end }
      for number in abandoned { state.endWait(number) }
      for (number, wait) in state.waits where wait.end <= now { state.endWait(number) }
      state.alarmTime = state.waits.values.map(\.end).min()
      return .sleep(until: state.alarmTime)
    }
  }
}
