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
    let results = Monitor(Results<Result<Output, any Error>>(count: items.count))
    @Sendable func run(_ item: Item, at index: Int) {
      let result = Result { try work(item) }
      let isEnough = isEnough(result)
      results.withLock { $0.add(result, at: index, isEnough: isEnough) }
      results.wakeOne()
    }
    if items.count > 1 {
      let pool = started()
      for (index, item) in items.enumerated().dropFirst() {
        pool.submit(id: pool.nextID(), priority: { 0 }) { _ in
          guard !results.withLock({ $0.hasEnough }) else { return }
          run(item, at: index)
        } dropped: {
        }
      }
    }
    run(first, at: 0)
    return results.wait {
      $0.missing > 0 && !$0.hasEnough ? nil : $0.results.compactMap(\.self)
    }
  }

  private func started() -> WorkerPool<Void> {
    pool.withLock { pool in
      if let pool { return pool }
      let made = WorkerPool<Void>(name: "ikran-chain", threads: count) { _ in }
      pool = made
      return made
    }
  }

  /// Results as they come in, for one thread that waits for them.
  private struct Results<Output: Sendable> {
    var results: [Output?]
    var missing: Int
    var hasEnough = false

    init(count: Int) {
      results = Array(repeating: nil, count: count)
      missing = count
    }

    mutating func add(_ result: Output, at index: Int, isEnough: Bool) {
      results[index] = result
      missing -= 1
      hasEnough = hasEnough || isEnough
    }
  }
}
