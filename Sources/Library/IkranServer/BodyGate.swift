import IkranHTTP
import IkranSystem

/// Holds back the rest of a body until it is let through: a slow origin whose pace a test sets.
///
/// It counts from the first byte that a response sends, and serves one response at a time.
package final class BodyGate: Sendable {
  private struct State {
    var count: Int
    /// Goes on with a body that waits here.
    var resume: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>

  /// Creates a gate that lets the first `count` bytes through.
  package init(_ count: Int) { state = Guarded(State(count: count)) }

  /// Lets the first `count` bytes through; fewer than before change nothing.
  package func open(to count: Int) {
    let resume = state.withLock { state in
      state.count = max(state.count, count)
      defer { state.resume = nil }
      return state.resume
    }
    resume?()
  }

  /// How many bytes may pass.
  package var count: Int { state.withLock { $0.count } }

  /// Calls `resume` when more than `position` bytes may pass: now, or later.
  func wait(past position: Int, _ resume: @escaping @Sendable () -> Void) {
    let isOpen = state.withLock { state in
      guard state.count <= position else { return true }
      state.resume = resume
      return false
    }
    if isOpen { resume() }
  }
}

extension SuspendedConnections {
  /// Suspends a connection until a gate lets it go on, an hour at most, or until its client
  /// disconnects or ``stop()`` is called.
  ///
  /// - Returns: False, without effect, after ``stop()`` or when no thread can be started.
  func pause(_ connection: ConnectionHandle, at position: Int, of gate: BodyGate) -> Bool {
    guard let number = begin(connection, for: .seconds(3600)) else { return false }
    gate.wait(past: position) { [self] in end(number) }
    return true
  }
}
