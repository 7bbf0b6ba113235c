/// A value that one thread at a time changes, in call order and without holding a lock, so that a
/// change may call closures.
///
/// If another change is running, on this thread or another, ``change(_:)`` queues this one and
/// returns; the running thread makes it.
package final class Serial<Value: Sendable>: Sendable {
  package typealias Change = @Sendable (inout Value) -> Void

  private struct State: Sendable {
    /// Nil while a thread changes it.
    var value: Value?
    var changes: [Change] = []
  }

  private let state: Guarded<State>

  package init(_ value: Value) { state = Guarded(State(value: value)) }

  /// Makes a change, and those that other callers queue while it runs.
  package func change(_ change: @escaping Change) {
    state.withLock { $0.changes.append(change) }
    while let work = take() {
      var value = work.value
      for change in work.changes { change(&value) }
      state.withLock { $0.value = value }
    }
  }

  /// The queued changes; nil when another thread runs them, or none are left.
  private func take() -> (value: Value, changes: [Change])? {
    state.withLock { state in
      guard let value = state.value, !state.changes.isEmpty else { return nil }
      defer { (state.value, state.changes) = (nil, []) }
      return (value, state.changes)
    }
  }
}
