import IkranSystem

/// A shared store whose failures are counted, and never its callers': what fails is not there.
final class GuardedTier: Sendable {
  /// How a call ended.
  enum Outcome: String, Sendable, CaseIterable {
    case hit, miss, stored, refused, failed, skipped
  }

  let tier: any RemoteTier
  private let timeout: Duration
  private let breaker: TierBreaker
  private let outcomes = Guarded<[Outcome: Int]>([:])

  /// Takes a store, the time that each call may take, and what keeps calls from it.
  init(_ tier: any RemoteTier, timeout: Duration, breaker: TierBreaker) {
    (self.tier, self.timeout, self.breaker) = (tier, timeout, breaker)
  }

  /// How many calls ended in a way so far.
  func count(of outcome: Outcome) -> Int { outcomes.withLock { $0[outcome] ?? 0 } }

  /// The bytes under a key; nil where there are none, or the store fails.
  func value(for key: String) async -> [UInt8]? {
    let found = await call { [tier, timeout] () async throws(TierError) in
      try await tier.value(for: key, within: timeout)
    }
    guard let found else { return nil }
    add(found == nil ? .miss : .hit)
    return found
  }

  /// Keeps bytes under a key; whether the store has taken them.
  @discardableResult
  func store(_ bytes: [UInt8], for key: String) async -> Bool {
    let done: Void? = await call { [tier, timeout] () async throws(TierError) in
      try await tier.store(bytes, for: key, within: timeout)
    }
    if done != nil { add(.stored) }
    return done != nil
  }

  /// Forgets what is under a key.
  func remove(_ key: String) async {
    _ = await call { [tier, timeout] () async throws(TierError) in
      try await tier.remove(key, within: timeout)
    }
  }

  /// Whether the caller is the first who claims a key; nil where the store cannot say.
  func claim(_ key: String, for lifetime: Duration) async -> Bool? {
    await call { [tier, timeout] () async throws(TierError) in
      try await tier.claim(key, within: timeout, for: lifetime)
    }
  }

  /// Gives a claim up.
  func release(_ key: String) async {
    _ = await call { [tier, timeout] () async throws(TierError) in
      try await tier.release(key, within: timeout)
    }
  }

  private func call<Value: Sendable>(
    _ work: @Sendable () async throws(TierError) -> Value
  ) async -> Value? {
    guard breaker.begin() else {
      add(.skipped)
      return nil
    }
    do throws(TierError) {
      let value = try await work()
      breaker.end(isGood: true)
      return value
    } catch {
      switch error {
      case .cancelled: breaker.end(isGood: nil)
      case .refused:
        breaker.end(isGood: true)
        add(.refused)
      case .failed:
        breaker.end(isGood: false)
        add(.failed)
      }
      return nil
    }
  }

  private func add(_ outcome: Outcome) { outcomes.withLock { $0[outcome, default: 0] += 1 } }
}
