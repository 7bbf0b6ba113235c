import IkranSystem

/// A value that one caller awaits, once: the first one given, before or while the caller waits.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case empty
    case early(Value)
    case waiting(CheckedContinuation<Value, Never>)
    case over
  }

  private let state = Guarded(State.empty)

  package init() {}

  /// Waits for the value.
  package var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let early: Value? = state.withLock { state in
          guard case .early(let value) = state else {
            state = .waiting(continuation)
            return nil
          }
          state = .over
          return value
        }
        if let early { continuation.resume(returning: early) }
      }
    }
  }

  /// Gives the value; ignored when there was one before.
  package func resume(_ value: Value) {
    let continuation: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .empty: state = .early(value)
      case .waiting(let continuation):
        state = .over
        return continuation
      case .early, .over: break
      }
      return nil
    }
    continuation?.resume(returning: value)
  }
}
