import IkranSystem

/// Applies an operation to several caches according to a policy; both kinds of chains use it.
struct ChainOrder<Cache: Sendable>: Sendable {
  private let caches: [Cache]
  private let threads: SharedThreads

  /// - Parameter caches: The highest first.
  init(_ caches: [Cache]) {
    self.caches = caches
    threads = SharedThreads(count: max(1, caches.count - 1))
  }

  /// Looks a value up; nil when no cache has it.
  ///
  /// A cache that throws is skipped.
  ///
  /// - Throws: The first error, if no cache has the value.
  func first<Output: Sendable>(
    _ policy: ChainPolicy,
    _ lookUp: @escaping @Sendable (Cache) throws -> Output?
  ) throws -> Output? {
    let results: [Result<Output?, any Error>]
    switch policy {
    case .highestOnly: return try caches.first.flatMap(lookUp)
    case .lowestOnly: return try caches.last.flatMap(lookUp)
    case .serial:
      var failed: [Result<Output?, any Error>] = []
      for cache in caches {
        let result = Result { try lookUp(cache) }
        if case .success(let found?) = result { return found }
        failed.append(result)
      }
      results = failed
    case .concurrent:
      results = threads.run(caches, lookUp) { result in
        if case .success(_?) = result { true } else { false }
      }
      for case .success(let found?) in results { return found }
    }
    for result in results { _ = try result.get() }
    return nil
  }

  /// Applies an operation to all caches that the policy names, even if some throw.
  ///
  /// - Throws: The first error, after all caches are done.
  func all(
    _ policy: ChainPolicy,
    _ work: @escaping @Sendable (Cache) throws -> Void
  ) throws {
    switch policy {
    case .highestOnly: try caches.first.map(work)
    case .lowestOnly: try caches.last.map(work)
    case .serial:
      let results = caches.map { cache in Result { try work(cache) } }
      for result in results { try result.get() }
    case .concurrent:
      for result in threads.run(caches, work, until: { _ in false }) { try result.get() }
    }
  }
}
