/// Asks and orders several caches by a policy; what both kinds of chains share.
struct ChainOrder<Cache: Sendable>: Sendable {
  private let caches: [Cache]
  private let threads: SharedThreads

  /// - Parameter caches: The highest first.
  init(_ caches: [Cache]) {
    self.caches = caches
    threads = SharedThreads(count: max(1, caches.count - 1))
  }

  /// Asks for something; nil when none has it.
  ///
  /// One that throws is passed by as long as another has the answer.
  ///
  /// - Throws: The first error, when none has it.
  func first<Answer: Sendable>(
    _ policy: ChainPolicy,
    _ ask: @escaping @Sendable (Cache) throws -> Answer?
  ) throws -> Answer? {
    let answers: [Result<Answer?, any Error>]
    switch policy {
    case .highestOnly: return try caches.first.flatMap(ask)
    case .lowestOnly: return try caches.last.flatMap(ask)
    case .serial:
      var failed: [Result<Answer?, any Error>] = []
      for cache in caches {
        let answer = Result { try ask(cache) }
        if case .success(let found?) = answer { return found }
        failed.append(answer)
      }
      answers = failed
    case .concurrent:
      answers = threads.run(caches, ask) { answer in
        if case .success(_?) = answer { true } else { false }
      }
      for case .success(let found?) in answers { return found }
    }
    for answer in answers { _ = try answer.get() }
    return nil
  }

  /// Does something everywhere the policy says, also when some throw.
  ///
  /// - Throws: The first error, after all.
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
