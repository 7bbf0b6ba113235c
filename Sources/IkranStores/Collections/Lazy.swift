/// Threads and the like, made at their first use and shared from then on.
///
/// A program that finds everything in memory and tables starts none of them.
package final class Lazy<Value: Sendable>: Sendable {
  private let made = Guarded<Value?>(nil)
  private let make: @Sendable () -> Value

  package init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// The value; callers that come while it is being made wait for it.
  package var value: Value {
    made.withLock { made in
      if let made { return made }
      let value = make()  // Under the lock: other callers wait for it.
      made = value
      return value
    }
  }

  /// The value if there is one already.
  package var existing: Value? { made.withLock { $0 } }
}
