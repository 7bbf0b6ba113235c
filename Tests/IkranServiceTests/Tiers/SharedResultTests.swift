import Ikran
import IkranHTTP
import IkranSystem
import Support
import Testing

@testable import IkranService

@Suite(.timeLimit(.minutes(5))) struct SharedResultTests {
  private let result = StoredResult(
    facts: StoredResult.Facts(
      contentType: "image/png",
      tag: "\"t\"",
      freshUntil: 5,
      filename: "a.png"
    ),
    body: BodyBytes(Array("a picture".utf8))
  )

  private func shared(
    _ tiers: [MemoryTier],
    _ fingerprint: String = "f",
    clock: PipelineClock = .system
  ) -> SharedResults {
    SharedResults(tiers.map { GuardedTier($0) }, fingerprint: fingerprint, clock: clock)
  }

  /// Stores the result and waits until a store has it.
  private func store(_ shared: SharedResults, in tier: MemoryTier) async throws {
    shared.store(result, for: "key")
    try await until { tier.state.withLock { !$0.values.isEmpty } }
  }

  @Test func aResultIsReadAsItWasWritten() throws {
    let read = try #require(StoredResult(result.bytes))
    #expect(read.facts == result.facts && read.body.bytes == result.body.bytes)
  }

  @Test func damagedBytesAreNoResult() {
    let bytes = result.bytes
    for count in bytes.indices { #expect(StoredResult(Array(bytes[..<count])) == nil) }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(StoredResult(damaged) == nil, "byte \(index)")
    }
  }

  @Test func processesOfEqualSettingsShareResults() async throws {
    let tier = MemoryTier()
    try await store(shared([tier]), in: tier)
    #expect(await shared([tier]).result(for: "key")?.facts == result.facts)
    #expect(await shared([tier]).result(for: "other") == nil)
    #expect(await shared([tier], "g").result(for: "key") == nil)
  }

  @Test func aResultOfALaterStoreIsKeptInThoseBeforeIt() async throws {
    let (near, far) = (MemoryTier(), MemoryTier())
    try await store(shared([far]), in: far)
    let both = shared([near, far])
    #expect(await both.result(for: "key") != nil)
    try await until { near.state.withLock { !$0.values.isEmpty } }
    #expect(both.tiers.map { $0.count(of: .miss) } == [1, 0])
    #expect(both.tiers.map { $0.count(of: .hit) } == [0, 1])
  }

  @Test func aStoreThatFailsIsEmptyAndThenNotAsked() async {
    let tier = MemoryTier()
    tier.state.withLock { $0.failure = .failed("it is down") }
    let shared = shared([tier])
    for _ in 0..<8 { #expect(await shared.result(for: "key") == nil) }
    #expect(tier.state.withLock { $0.calls } == 5)
    #expect(shared.tiers[0].count(of: .failed) == 5 && shared.tiers[0].count(of: .skipped) == 3)
  }

  @Test func aStoreThatRefusesAResultIsStillAsked() async {
    let tier = MemoryTier()
    tier.state.withLock { $0.failure = .refused("it is too large") }
    let guarded = GuardedTier(tier)
    for _ in 0..<8 { await guarded.store([1], for: "key") }
    #expect(guarded.count(of: .refused) == 8)
  }

  @Test func othersWaitForTheFirstWhoClaims() async throws {
    let (tier, clock) = (MemoryTier(canClaim: true), ManualClock())
    let (first, second) = (shared([tier]), shared([tier], clock: clock.pipelineClock))
    #expect(await first.madeElsewhere("key") == nil)
    let waiting = Task { await second.madeElsewhere("key") }
    await clock.waitForSleepers()
    try await store(first, in: tier)
    clock.advance(by: .seconds(1))
    #expect(await waiting.value?.facts == result.facts)
    try await until { tier.state.withLock { $0.claims.isEmpty } }
  }

  @Test func aClaimThatIsGivenUpIsTheNextOnes() async throws {
    let (tier, clock) = (MemoryTier(canClaim: true), ManualClock())
    let (first, second) = (shared([tier]), shared([tier], clock: clock.pipelineClock))
    #expect(await first.madeElsewhere("key") == nil)
    let waiting = Task { await second.madeElsewhere("key") }
    await clock.waitForSleepers()
    first.giveUp("key")
    try await until { tier.state.withLock { $0.claims.isEmpty } }
    clock.advance(by: .seconds(1))
    #expect(await waiting.value == nil)
    #expect(tier.state.withLock { $0.claims.count } == 1)
  }

  @Test func aResultThatWasStoredBeforeTheClaimIsFound() async throws {
    let tier = MemoryTier(canClaim: true)
    let (first, second) = (shared([tier]), shared([tier]))
    // The second has looked for the result before the first stores it.
    #expect(await second.result(for: "key") == nil)
    try await store(first, in: tier)
    #expect(await second.madeElsewhere("key")?.facts == result.facts)
    #expect(tier.state.withLock { $0.claims.isEmpty })
  }

  @Test func waitingHasABound() async {
    let (tier, clock) = (MemoryTier(canClaim: true), ManualClock())
    let (first, second) = (shared([tier]), shared([tier], clock: clock.pipelineClock))
    #expect(await first.madeElsewhere("key") == nil)
    let waiting = Task { await second.madeElsewhere("key") }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    #expect(await waiting.value == nil)
    // It makes the result without a claim, which is the first one's to give up.
    second.giveUp("key")
    #expect(tier.state.withLock { $0.claims.count } == 1)
  }

  @Test func aStoreThatFailsClaimsNothing() async {
    let tier = MemoryTier(canClaim: true)
    tier.state.withLock { $0.failure = .failed("it is down") }
    #expect(await shared([tier]).madeElsewhere("key") == nil)
  }

  @Test func aClaimThatWasNotHadIsNotGivenUp() async throws {
    let (tier, other) = (MemoryTier(canClaim: true), MemoryTier(canClaim: true))
    let (first, second) = (shared([tier]), shared([tier]))
    #expect(await first.madeElsewhere("key") == nil)
    // The store cannot say whose claim it is.
    tier.state.withLock { $0.failure = .failed("it is down") }
    #expect(await second.madeElsewhere("key") == nil)
    tier.state.withLock { $0.failure = nil }
    second.giveUp("key")
    // What comes later ends later.
    let third = shared([other])
    #expect(await third.madeElsewhere("key") == nil)
    third.giveUp("key")
    try await until { other.state.withLock { $0.claims.isEmpty } && !third.isBusy }
    #expect(!second.isBusy && tier.state.withLock { $0.claims.count } == 1)
  }

  @Test func aResultThatIsRemovedIsRemovedForAllProcesses() async throws {
    let tier = MemoryTier()
    let cache = try ResultCache(CacheSettings(), fingerprint: "f", shared: shared([tier]))
    cache.store(result, for: "key")
    try await until { tier.state.withLock { !$0.values.isEmpty } }
    cache.remove("key")
    try await until { cache.shared?.isBusy == false }
    #expect(tier.state.withLock { $0.values.isEmpty })
    #expect(await shared([tier]).result(for: "key") == nil)
  }

  @Test func itIsBusyUntilTheStoreHasAResult() async throws {
    let tier = MemoryTier()
    let shared = shared([tier])
    #expect(!shared.isBusy)
    shared.store(result, for: "key")
    try await until { !shared.isBusy }
    #expect(tier.state.withLock { $0.values.count } == 1)
  }
}
