import IkranSystem

@testable import IkranService

/// A shared store in this process's memory, which fails on demand.
final class MemoryTier: RemoteTier {
  struct State {
    var values: [String: [UInt8]] = [:]
    var claims: Set<String> = []
    var calls = 0
    var failure: TierError?
    /// The longest value that it takes.
    var maximumBytes = Int.max
  }

  let name = "memory"
  let canClaim: Bool
  let state = Guarded(State())

  init(canClaim: Bool = false) { self.canClaim = canClaim }

  private func use<Value>(_ body: (inout State) -> Value) throws(TierError) -> Value {
    let result: Result<Value, TierError> = state.withLock { state in
      state.calls += 1
      if let failure = state.failure { return .failure(failure) }
      // Under the lock: the closure is one of this file, and only changes the state.
      return .success(body(&state))
    }
    return try result.get()
  }

  func value(for key: String, within time: Duration) async throws(TierError) -> [UInt8]? {
    try use { $0.values[key] }
  }

  func store(_ bytes: [UInt8], for key: String, within time: Duration) async throws(TierError) {
    guard bytes.count <= state.withLock({ $0.maximumBytes }) else {
      throw .refused("it is too large")
    }
    try use { $0.values[key] = bytes }
  }

  func remove(_ key: String, within time: Duration) async throws(TierError) {
    try use { $0.values[key] = nil }
  }

  func claim(
    _ key: String,
    within time: Duration,
    for lifetime: Duration
  ) async throws(TierError) -> Bool {
    try use { $0.claims.insert(key).inserted }
  }

  func release(_ key: String, within time: Duration) async throws(TierError) {
    try use { _ = $0.claims.remove(key) }
  }
}

extension GuardedTier {
  /// A store whose calls have a second, with a breaker of its own.
  convenience init(_ tier: any RemoteTier) {
    self.init(tier, timeout: .seconds(1), breaker: TierBreaker(now: { 0 }))
  }
}
