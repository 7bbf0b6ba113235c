import Synchronization

/// Threads and the like, made at their first use and shared from then on.
///
/// A program that finds everything in memory and tables starts none of them. Reading one that was
/// made takes no lock.
package final class Lazy<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private let made = AtomicLazyReference<Box>()
  private let isMade = Guarded(false)
  private let make: @Sendable () -> Value

  package init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// The value; callers that come while it is being made wait for it.
  package var value: Value {
    if let made = made.load() { return made.value }
    return isMade.withLock { isMade in
      if let made = made.load() { return made.value }
      let value = made.storeIfNil(Box(make())).value  // Under the lock: other callers wait for it.
      isMade = true
      return value
    }
  }

  /// Runs a short body before the value is made; false, without that, when it has been made.
  package func ifMissing(_ body: () -> Void) -> Bool {
    isMade.withLock { isMade in
      if isMade { return false }
      body()  // Under the lock: what makes the value finds it done.
      return true
    }
  }

  /// The value if there is one already.
  package var existing: Value? { made.load()?.value }
}
