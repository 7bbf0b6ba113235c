import IkranSystem

/// A connection of one thread to a shared store, whose calls wait for its responses.
///
/// It connects when it is first used, and again after a failure.
protocol TierConnection: AnyObject {
  func value(for key: String) throws(TierError) -> [UInt8]?
  func store(_ bytes: [UInt8], for key: String) throws(TierError)
  func claim(_ key: String, for lifetime: Duration) throws(TierError) -> Bool
  func remove(_ key: String) throws(TierError)
}

/// A shared store whose library waits for each response: threads of its own call it.
final class PooledTier: RemoteTier {
  let name: String
  let canClaim = true
  private let pool: WorkerPool<any TierConnection>

  /// Starts the threads, each with a connection.
  init(
    name: String,
    threads: Int = 4,
    connection: @escaping @Sendable () -> any TierConnection
  ) {
    self.name = name
    pool = WorkerPool(name: "ikran-\(name)", threads: threads) { _ in connection() }
  }

  func value(for key: String, within time: Duration) async throws(TierError) -> [UInt8]? {
    try await call(within: time) { connection throws(TierError) in
      try connection.value(for: key)
    }
  }

  func store(_ bytes: [UInt8], for key: String, within time: Duration) async throws(TierError) {
    try await call(within: time) { connection throws(TierError) in
      try connection.store(bytes, for: key)
    }
  }

  func remove(_ key: String, within time: Duration) async throws(TierError) {
    try await call(within: time) { connection throws(TierError) in
      try connection.remove(key)
    }
  }

  func claim(
    _ key: String,
    within time: Duration,
    for lifetime: Duration
  ) async throws(TierError) -> Bool {
    try await call(within: time) { connection throws(TierError) in
      try connection.claim(key, for: lifetime)
    }
  }

  func release(_ key: String, within time: Duration) async throws(TierError) {
    try await remove(key, within: time)
  }

  /// Calls the store on a thread; calls whose time is over before their turn are not made.
  private func call<Value: Sendable>(
    within time: Duration,
    _ work: @escaping @Sendable (any TierConnection) throws(TierError) -> Value
  ) async throws(TierError) -> Value {
    let end = ContinuousClock.now + time
    let result: Result<Value, TierError> = await withCheckedContinuation { done in
      pool.submit(id: pool.nextID(), priority: { 0 }) { connection in
        guard ContinuousClock.now < end else {
          done.resume(returning: .failure(.failed("its threads are busy")))
          return
        }
        done.resume(returning: Result { () throws(TierError) in try work(connection) })
      } dropped: {
        done.resume(returning: .failure(.cancelled))
      }
    }
    return try result.get()
  }
}
