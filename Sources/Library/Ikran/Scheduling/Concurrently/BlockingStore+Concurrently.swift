public import IkranStores

extension BlockingStore {
  /// Makes calls on a thread that may wait, while the task does not hold one of Swift's.
  ///
  /// ```swift
  /// let file = try await cache.concurrently { try $0.body(for: key) }
  /// ```
  /// Calls wait their turn for one of four threads, which all stores of the process share; they
  /// must not wait for others of them. When the task is cancelled, calls that have not begun are
  /// not made; those that have run to their end.
  ///
  /// - Parameter calls: What is done with the store.
  /// - Returns: What they return.
  /// - Throws: What they throw; `CancellationError` when the task was cancelled before they began.
  public func concurrently<Value: Sendable>(
    _ calls: @escaping @Sendable (Self) throws -> Value
  ) async throws -> Value {
    let outcome: Result<Value, any Error>
    do {
      outcome = try await storeThreads.run(Subscription(.normal)) { (_) throws(ImageError) in
        Result { try calls(self) }
      }
    } catch {
      // The calls' own errors are in the outcome: it left the queue.
      throw CancellationError()
    }
    return try outcome.get()
  }
}

/// The threads of all stores.
private let storeThreads = ThreadPool(name: "ikran-stores", threads: 4)
