import Ikran
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

@Suite("Files of sources in shared stores", .timeLimit(.minutes(5)))
struct SharedSourceTests {
  private let url = "http://a.test/a.png"
  private let file = SharedFile(response: Array("a response".utf8), bytes: Array("a file".utf8))
  private let other = SharedFile(response: Array("a response".utf8), bytes: Array("a FILE".utf8))

  private func sources(_ tiers: [MemoryTier], _ scope: String = "") -> SharedSources {
    SharedSources(tiers.map { GuardedTier($0) }, scope: scope)
  }

  /// Stores a file and waits until the store has it.
  private func store(_ file: SharedFile, in tier: MemoryTier) async throws {
    let sources = sources([tier])
    sources.store(file, at: url)
    try await until { !sources.isBusy }
  }

  /// What another process finds.
  private func found(in tier: MemoryTier) async -> [UInt8]? {
    await sources([tier]).file(at: url)?.bytes
  }

  @Test func aFileIsReadAsItWasWritten() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    let found = await sources([tier]).file(at: url)
    #expect(found?.bytes == file.bytes && found?.response == file.response)
    #expect(await sources([tier]).file(at: url + "x") == nil)
    #expect(await sources([tier], "other rules").file(at: url) == nil)
    // No store reads the URL, or changes the file.
    #expect(tier.state.withLock { $0.values.keys.allSatisfy { !$0.contains("a.test") } })
    #expect(tier.state.withLock { $0.values.values.contains(file.bytes) })
  }

  @Test func aCutOrAlteredPairIsNoFile() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    let values = tier.state.withLock { $0.values }
    for (name, bytes) in values {
      for index in bytes.indices {
        var damaged = bytes
        damaged[index] ^= 1
        for value in [damaged, Array(bytes[..<index])] {
          tier.state.withLock { $0.values[name] = value }
          #expect(await found(in: tier) == nil, "byte \(index)")
        }
      }
      tier.state.withLock { $0.values = values }
    }
    #expect(await found(in: tier) == file.bytes)
  }

  @Test func aRecordOfOtherBytesIsCountedAndNoFile() async throws {
    let tier = MemoryTier()
    try await store(other, in: tier)
    let record = tier.state.withLock { $0.values.first { !$0.key.hasSuffix(".body") } }
    let (name, bytes) = try #require(record)
    try await store(file, in: tier)
    tier.state.withLock { $0.values[name] = bytes }
    let sources = sources([tier])
    #expect(await sources.file(at: url) == nil)
    #expect(sources.count(of: .damaged) == 1 && sources.count(of: .miss) == 0)
  }

  @Test func aFileThatAStoreHasDroppedIsNotThere() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    tier.state.withLock { $0.values = $0.values.filter { !$0.key.hasSuffix(".body") } }
    let sources = sources([tier])
    #expect(await sources.file(at: url) == nil)
    #expect(sources.count(of: .miss) == 1 && sources.count(of: .damaged) == 0)
  }

  @Test func aConfirmationWritesTheRecordAlone() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    let sources = sources([tier])
    let calls = tier.state.withLock { $0.calls }
    sources.confirm(SharedFile(response: Array("newer".utf8), bytes: file.bytes), at: url)
    try await until { !sources.isBusy }
    #expect(tier.state.withLock { $0.calls } == calls + 1)
    #expect(await sources.file(at: url)?.response == Array("newer".utf8))
  }

  @Test func aFileIsRemovedWithItsRecord() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    let sources = sources([tier])
    sources.remove(at: url)
    try await until { !sources.isBusy }
    #expect(tier.state.withLock { $0.values.isEmpty })
  }

  @Test func changesOfAFileAreMadeInTheirOrder() async throws {
    for _ in 0..<100 {
      let tier = MemoryTier()
      let sources = sources([tier])
      sources.store(other, at: url)
      sources.remove(at: url)
      sources.store(file, at: url)
      try await until { !sources.isBusy }
      #expect(await found(in: tier) == file.bytes)
      sources.store(other, at: url)
      sources.remove(at: url)
      try await until { !sources.isBusy }
      #expect(tier.state.withLock { $0.values.isEmpty })
    }
  }

  @Test func aFileOfALaterStoreIsKeptInThoseBeforeIt() async throws {
    let (near, far) = (MemoryTier(), MemoryTier())
    try await store(file, in: far)
    let both = sources([near, far])
    #expect(await both.file(at: url) != nil)
    try await until { !both.isBusy }
    #expect(await found(in: near) == file.bytes)
  }

  @Test func aStoreThatRefusesAFileKeepsNoOlderOne() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    tier.state.withLock { $0.maximumBytes = 1000 }
    let large = SharedFile(response: file.response, bytes: [UInt8](repeating: 7, count: 1001))
    try await store(large, in: tier)
    #expect(await found(in: tier) == nil)
  }

  @Test func moreThanWaitsAtOnceIsNotStored() async throws {
    let tier = MemoryTier()
    try await store(file, in: tier)
    let huge = SharedFile(response: [], bytes: [UInt8](repeating: 0, count: (64 << 20) + 1))
    try await store(huge, in: tier)
    // The one that was there is older.
    #expect(tier.state.withLock { $0.values.isEmpty })
  }

  @Test func aStoreThatFailsIsEmptyAndThenNotAsked() async {
    let tier = MemoryTier()
    tier.state.withLock { $0.failure = .failed("it is down") }
    let guarded = GuardedTier(tier)
    let sources = SharedSources([guarded], scope: "")
    for _ in 0..<8 { #expect(await sources.file(at: url) == nil) }
    #expect(guarded.count(of: .failed) == 5 && guarded.count(of: .skipped) == 3)
    #expect(sources.count(of: .miss) == 8)
  }
}
