/// A value that is changed by one thread at a time, in the order in which the changes were asked
/// for, and without a lock held: a change may call out.
///
/// A change that is asked for while another one runs, by the same thread or by another, is left to
/// the thread that runs that one: the call returns before it is made.
package final class Serial<Value: Sendable>: Sendable {
  package typealias Change = @Sendable (inout Value) -> Void

  private struct State: Sendable {
    /// Nil while a thread changes it.
    var value: Value?
    var changes: [Change] = []
  }

  private let state: Guarded<State>

  package init(_ value: Value) { state = Guarded(State(value: value)) }

  /// Makes a change, and those that others ask for meanwhile.
  package func change(_ change: @escaping Change) {
    state.withLock { $0.changes.append(change) }
    while let work = take() {
      var value = work.value
      for change in work.changes { change(&value) }
      state.withLock { $0.value = value }
    }
  }

  /// What is to be done now; nil when another thread is at it, or there is nothing left.
  private func take() -> (value: Value, changes: [Change])? {
    state.withLock { state in
      guard let value = state.value, !state.changes.isEmpty else { return nil }
      defer { (state.value, state.changes) = (nil, []) }
      return (value, state.changes)
    }
  }
}
