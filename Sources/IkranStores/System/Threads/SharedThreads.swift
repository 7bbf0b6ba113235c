import Glibc

/// A few threads that run the parts of one job, while the caller runs the first part and waits.
///
/// They start with the first job. Callers on several threads share them.
package final class SharedThreads: Sendable {
  private let count: Int
  private let pool = Guarded(WorkerPool<Void>?.none)

  package init(count: Int) { self.count = count }

  /// Runs `work` on all items concurrently, and returns the results in the order of the items.
  ///
  /// It returns as soon as `isEnough` is true for one result. The results of items that are not
  /// done by then are missing, and `work` is not started for the rest.
  package func run<Item: Sendable, Output: Sendable>(
    _ items: [Item],
    _ work: @escaping @Sendable (Item) throws -> Output,
    until isEnough: @escaping @Sendable (Result<Output, any Error>) -> Bool
  ) -> [Result<Output, any Error>] {
    guard let first = items.first else { return [] }
    let results = Results<Result<Output, any Error>>(count: items.count)
    if items.count > 1 {
      let pool = started()
      for (index, item) in items.enumerated().dropFirst() {
        pool.submit(id: pool.nextID(), priority: { 0 }) { _ in
          guard !results.isEnough else { return }
          let result = Result { try work(item) }
          results.add(result, at: index, isEnough: isEnough(result))
        } dropped: {
        }
      }
    }
    let result = Result { try work(first) }
    results.add(result, at: 0, isEnough: isEnough(result))
    return results.wait()
  }

  private func started() -> WorkerPool<Void> {
    pool.withLock { pool in
      if let pool { return pool }
      let made = WorkerPool<Void>(name: "ikran-chain", threads: count) {}
      pool = made
      return made
    }
  }

  /// Results as they come in, and one thread that waits for them.
  private final class Results<Output: Sendable>: @unchecked Sendable {  // vars are under `mutex`
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var results: [Output?]
    private var missing: Int
    private var hasEnough = false

    init(count: Int) {
      results = Array(repeating: nil, count: count)
      missing = count
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    var isEnough: Bool {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return hasEnough
    }

    func add(_ result: Output, at index: Int, isEnough: Bool) {
      pthread_mutex_lock(mutex)
      results[index] = result
      missing -= 1
      hasEnough = hasEnough || isEnough
      pthread_mutex_unlock(mutex)
      pthread_cond_signal(condition)
    }

    func wait() -> [Output] {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while missing > 0, !hasEnough { pthread_cond_wait(condition, mutex) }
      return results.compactMap(\.self)
    }
  }
}
