import IkranStores
import Support
import Testing

/// The size classes, and which of their values is evicted first.
@Suite("Memory cache, small and large", .timeLimit(.minutes(10)))
struct MemoryCacheClassTests {
  /// Values of up to 1,000 bytes are small; up to 64,000 bytes of them are not evicted for large
  /// ones.
  private static let limit = 256_000

  private func cache() -> MemoryCache<Int, Int> {
    MemoryCache(byteLimit: Self.limit, countLimit: 10_000)
  }

  @Test func aSmallValueOutlivesAFloodOfLargeOnes() {
    let cache = cache()
    cache.store(1, cost: 1000, for: -1)
    for key in 0..<1000 { cache.store(key, cost: 60_000, for: key) }
    #expect(cache.contains(-1))
    #expect(cache.statistics.byteCount <= Self.limit)
  }

  @Test func aLargeValueDoesNotOutliveAFloodOfLargeOnes() {
    let cache = cache()
    cache.store(1, cost: 1001, for: -1)
    for key in 0..<1000 { cache.store(key, cost: 60_000, for: key) }
    #expect(!cache.contains(-1))
  }

  @Test func smallValuesOverTheirReserveLeaveInTheOrderOfUse() {
    let cache = cache()
    for key in 0..<100 { cache.store(key, cost: 1000, for: key) }
    for key in 0..<1000 { cache.store(key, cost: 60_000, for: 1000 + key) }
    let left = (0..<100).filter(cache.contains)
    #expect(left == Array(36..<100))
  }

  @Test func largeValuesStayWhenTheyWereUsedLaterThanSmallOnesOverTheirReserve() {
    let cache = cache()
    for key in 0..<190 { cache.store(key, cost: 1000, for: key) }
    cache.store(1, cost: 60_000, for: 1000)
    cache.store(1, cost: 60_000, for: 1001)
    #expect(cache.contains(1000))
    #expect(!cache.contains(0))
  }

  @Test func smallValuesMayFillTheWholeCache() {
    let cache = cache()
    for key in 0..<1000 { cache.store(key, cost: 1000, for: key) }
    #expect(cache.statistics.count == 256)
    #expect((0..<1000).filter(cache.contains) == Array(744..<1000))
  }

  @Test func largeValuesMayFillTheWholeCache() {
    let cache = cache()
    for key in 0..<1000 { cache.store(key, cost: 2560, for: key) }
    #expect((0..<1000).filter(cache.contains) == Array(900..<1000))
  }

  @Test func evictingForTheCountLimitIgnoresTheSizeClasses() {
    let cache = MemoryCache<Int, Int>(byteLimit: Self.limit, countLimit: 10)
    cache.store(1, cost: 10, for: -1)
    for key in 0..<10 { cache.store(key, cost: 5000, for: key) }
    #expect(!cache.contains(-1))
    #expect((0..<10).allSatisfy(cache.contains))
  }

  @Test func trimmingSparesSmallValuesButHoldsToTheNumber() {
    let cache = cache()
    for key in 0..<10 { cache.store(key, cost: 1000, for: key) }
    for key in 10..<20 { cache.store(key, cost: 20_000, for: key) }
    cache.trim(toBytes: 50_000)
    #expect((0..<20).filter(cache.contains) == Array(0..<10) + [18, 19])
    cache.trim(toBytes: 5000)
    #expect((0..<20).filter(cache.contains) == Array(5..<10))
    cache.trim(toBytes: -1)
    #expect(cache.statistics.byteCount == 0)
    #expect(cache.byteLimit == Self.limit)
  }

  @Test func inTheBackgroundAShareOfTheLimitApplies() {
    let cache = MemoryCache<Int, Int>(byteLimit: 100_000, countLimit: 100, backgroundShare: 0.5)
    for key in 0..<20 { cache.store(key, cost: 5000, for: key) }
    cache.isInBackground = true
    #expect(cache.statistics.byteCount == 50_000)
    cache.store(1, cost: 5000, for: 100)
    #expect(cache.statistics.byteCount == 50_000)
    cache.backgroundShare = 0.1
    #expect(cache.statistics.byteCount == 10_000)
    cache.isInBackground = false
    cache.store(1, cost: 80_000, for: 101)
    #expect(cache.statistics.byteCount == 90_000)
    #expect(cache.byteLimit == 100_000)
  }

  @Test(arguments: [-.infinity, -1, 0, 0.3, 1, 2, .infinity, .nan])
  func anyShareIsTaken(share: Double) {
    let cache = MemoryCache<Int, Int>(byteLimit: .max, countLimit: 10, backgroundShare: share)
    cache.isInBackground = true
    cache.store(1, cost: .max / 4, for: 1)
    #expect(cache.contains(1) == (share.isNaN || share > 0.25))
    #expect((0...1).contains(cache.backgroundShare))
  }

  @Test func aHashedKeyFindsTheSameValue() {
    let cache = MemoryCache<String, Int>(byteLimit: 100, countLimit: 10)
    cache.store(7, cost: 1, for: "a")
    #expect(cache.value(for: HashedKey("a")) == 7)
    #expect(cache.value(for: HashedKey("b")) == nil)
    #expect(HashedKey("a") == HashedKey("a"))
    #expect(Set([HashedKey("a"), HashedKey("a"), HashedKey("b")]).count == 2)
  }
}
