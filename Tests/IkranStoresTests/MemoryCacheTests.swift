import Dispatch
import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct MemoryCacheTests {
  @Test func aStoredValueIsFound() {
    let cache = MemoryCache<String, Int>(byteLimit: 100, countLimit: 10)
    cache.store(7, cost: 10, for: "a")
    #expect(cache.value(for: "a") == 7)
    #expect(cache.value(for: "b") == nil)
    #expect(cache.contains("a"))
    #expect(!cache.contains("b"))
    let statistics = cache.statistics
    #expect((statistics.hits, statistics.misses, statistics.evictions) == (1, 1, 0))
    #expect((statistics.count, statistics.byteCount) == (1, 10))
  }

  @Test func aNewValueReplacesTheOldAndItsCost() {
    let cache = MemoryCache<String, Int>(byteLimit: 100, countLimit: 10)
    cache.store(1, cost: 90, for: "a")
    cache.store(2, cost: 20, for: "a")
    #expect(cache.value(for: "a") == 2)
    #expect(cache.statistics.byteCount == 20)
    #expect(cache.statistics.count == 1)
    #expect(cache.statistics.evictions == 0)
  }

  @Test func aValueOverTheLimitIsNotStoredAndTheOldOneGoes() {
    let cache = MemoryCache<String, Int>(byteLimit: 100, countLimit: 10)
    cache.store(1, cost: 10, for: "a")
    cache.store(2, cost: 5, for: "b")
    cache.store(3, cost: 101, for: "a")
    #expect(cache.value(for: "a") == nil)
    #expect(cache.value(for: "b") == 2)
    #expect(cache.statistics.byteCount == 5)
  }

  @Test func theValueUnusedForLongestLeavesFirst() {
    let cache = MemoryCache<String, Int>(byteLimit: 30, countLimit: 10)
    for key in ["a", "b", "c"] { cache.store(1, cost: 10, for: key) }
    _ = cache.value(for: "a")
    cache.store(1, cost: 10, for: "d")
    #expect(["a", "b", "c", "d"].filter(cache.contains) == ["a", "c", "d"])
    #expect(cache.statistics.evictions == 1)
  }

  @Test func loweredLimitsEvictAtOnce() {
    let cache = MemoryCache<Int, Int>(byteLimit: 1000, countLimit: 100)
    for key in 0..<100 { cache.store(key, cost: 10, for: key) }
    cache.byteLimit = 500
    #expect(cache.statistics.byteCount == 500)
    cache.countLimit = 3
    #expect((0..<100).filter(cache.contains) == [97, 98, 99])
    cache.countLimit = 0
    cache.store(1, cost: 0, for: 1)
    #expect(cache.statistics.count == 0)
  }

  @Test(arguments: [Int.min, -1, 0, 1, Int.max])
  func anyCostAndLimitIsAccepted(number: Int) {
    let cache = MemoryCache<Int, Int>(byteLimit: number, countLimit: number)
    for key in 0..<5 { cache.store(key, cost: number, for: key) }
    for key in 0..<5 { cache.store(key, cost: 1, for: key) }
    #expect(cache.statistics.byteCount <= max(0, number))
    #expect(cache.statistics.count <= max(0, number))
  }

  @Test func removedValuesAreGone() {
    let cache = MemoryCache<Int, Int>(byteLimit: 1000, countLimit: 100)
    for key in 0..<20 { cache.store(key, cost: 10, for: key) }
    cache.remove(3)
    cache.remove(30)
    #expect(cache.statistics.byteCount == 190)
    cache.removeAll()
    #expect(cache.statistics.byteCount == 0)
    #expect(cache.statistics.count == 0)
    cache.store(1, cost: 1, for: 1)
    #expect(cache.value(for: 1) == 1)
  }

  /// A value that uses the cache when it is released.
  private final class Guest: Sendable {
    let cache: MemoryCache<Int, Guest>

    init(_ cache: MemoryCache<Int, Guest>) { self.cache = cache }

    deinit { _ = cache.value(for: 0) }
  }

  @Test func valuesAreReleasedOutsideTheLock() {
    let cache = MemoryCache<Int, Guest>(byteLimit: 1000, countLimit: 2)
    for key in 0..<5 { cache.store(Guest(cache), cost: 1, for: key) }
    cache.store(Guest(cache), cost: 1, for: 4)
    cache.remove(4)
    cache.countLimit = 0
    cache.countLimit = 5
    cache.store(Guest(cache), cost: 1, for: 1)
    cache.removeAll()
    #expect(cache.statistics.count == 0)
    #expect(cache.statistics.misses == 7)
  }

  @Test func theDefaultLimitFitsTheMachine() {
    #expect((16 << 20...512 << 20).contains(MemoryCacheDefaults.byteLimit))
    #expect(PhysicalMemory.bytes() > 16 << 20)
    #expect(MemoryCache<Int, Int>().byteLimit == MemoryCacheDefaults.byteLimit)
  }

  /// Keys with few different hashes, so that probing and its gaps are exercised.
  private struct Clumsy: Hashable {
    let number: Int

    func hash(into hasher: inout Hasher) { hasher.combine(number % 5) }
  }

  /// A model of the cache: an array from the least to the most recently used value.
  private struct Model {
    typealias Entry = (key: Clumsy, value: Int, cost: Int, epoch: Int)
    static let limit = 51_200
    static let count = 20

    var entries: [Entry] = []
    var epoch = 0
    var hits = 0

    mutating func value(for key: Clumsy) -> Int? {
      guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
      var entry = entries[index]
      if entry.epoch != epoch {
        entries.remove(at: index)
        entry.epoch = epoch
        entries.append(entry)
      }
      hits += 1
      return entry.value
    }

    mutating func store(_ value: Int, cost: Int, for key: Clumsy) {
      epoch += 1
      entries.removeAll { $0.key == key }
      guard cost <= Self.limit else { return }
      while entries.reduce(cost, { $0 + $1.cost }) > Self.limit || entries.count >= Self.count {
        evict(forBytes: entries.reduce(cost) { $0 + $1.cost } > Self.limit)
      }
      entries.append((key, value, cost, epoch))
    }

    private mutating func evict(forBytes: Bool) {
      func isSmall(_ entry: Entry) -> Bool { entry.cost <= Self.limit / 256 }
      let small = entries.firstIndex(where: isSmall)
      let large = entries.firstIndex { !isSmall($0) }
      let smallCost = entries.filter(isSmall).reduce(0) { $0 + $1.cost }
      let sparesSmall = forBytes && smallCost <= Self.limit / 4
      switch (small, large) {
      case (let small?, let large?):
        let isOlder = entries[small].epoch < entries[large].epoch
        entries.remove(at: !sparesSmall && isOlder ? small : large)
      case (let only?, nil), (nil, let only?): entries.remove(at: only)
      case (nil, nil): break
      }
    }
  }

  @Test func itBehavesLikeTheModel() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let cache = MemoryCache<Clumsy, Int>(byteLimit: Model.limit, countLimit: Model.count)
    var model = Model()
    for step in 0..<Rounds.fewer(100_000) {
      let key = Clumsy(number: Int.random(in: 0..<40, using: &generator))
      switch Int.random(in: 0..<40, using: &generator) {
      case 0..<25:
        let expected = model.value(for: key)
        guard cache.value(for: key) == expected else {
          Issue.record("step \(step): another value")
          return
        }
      case 25..<28:
        cache.remove(key)
        model.entries.removeAll { $0.key == key }
      default:
        let scale = [1, 10, 60, step % 97 == 0 ? 600 : 60][step % 4]
        let cost = Int.random(in: 0..<200, using: &generator) * scale
        cache.store(step, cost: cost, for: key)
        model.store(step, cost: cost, for: key)
      }
    }
    #expect(cache.statistics.byteCount == model.entries.reduce(0) { $0 + $1.cost })
    #expect(cache.statistics.count == model.entries.count)
    #expect(cache.statistics.hits == model.hits)
    #expect(model.entries.allSatisfy { cache.value(for: $0.key) == $0.value })
  }

  @Test func manyThreadsKeepTheLimits() {
    let cache = MemoryCache<Int, [Int]>(byteLimit: 3000, countLimit: 60)
    let group = DispatchGroup()
    for worker in 0..<8 {
      group.enter()
      BackgroundThread.start(name: "hammer") {
        var generator = SeededGenerator(seed: UInt64(worker))
        for step in 0..<4000 {
          let key = Int.random(in: 0..<200, using: &generator)
          switch step % 8 {
          case 0: cache.store([key, step], cost: 40 + key % 50, for: key)
          case 1 where step % 64 == 1: cache.remove(key)
          case 2 where step % 512 == 2: cache.removeAll()
          default:
            if let value = cache.value(for: key), value.first != key {
              Issue.record("a value of another key")
            }
          }
          if step % 128 == 0 {
            let statistics = cache.statistics
            if statistics.byteCount > 3000 || statistics.count > 60 {
              Issue.record("over the limits: \(statistics)")
            }
          }
        }
        group.leave()
      }
    }
    group.wait()
    let statistics = cache.statistics
    #expect(statistics.hits > 0)
    #expect(statistics.evictions > 0)
    cache.removeAll()
    #expect(cache.statistics.byteCount == 0)
  }
}
