import IkranStores
import Support
import Testing

@testable import IkranCaches

/// Every policy of every operation, checked by the calls that each cache received.
@Suite("Chains of caches", .timeLimit(.minutes(10)))
struct ChainTests {
  private struct Failure: Error, Equatable {
    let name: String
  }

  /// A cache that records its calls, and can fail or wait.
  private final class Noted: MemoryCaching {
    let name: String
    let calls = Recorder<String>()
    private let values: Guarded<[String: Int]>
    private let fails: Bool
    private let door: ThreadLatch?

    init(
      _ name: String,
      _ values: [String: Int] = [:],
      fails: Bool = false,
      door: ThreadLatch? = nil
    ) {
      self.name = name
      self.values = Guarded(values)
      self.fails = fails
      self.door = door
    }

    var held: [String: Int] { values.withLock { $0 } }

    private func note(_ call: String) {
      calls.add(call)
      door?.wait()
    }

    private func attempt(_ call: String) throws {
      note(call)
      if fails { throw Failure(name: name) }
    }

    func value(for key: String) -> Int? {
      note("query")
      return held[key]
    }

    func store(_ value: Int, cost: Int, for key: String) {
      note("store")
      values.withLock { $0[key] = value }
    }

    func remove(_ key: String) {
      note("remove")
      values.withLock { $0[key] = nil }
    }

    func contains(_ key: String) -> Bool {
      note("contains")
      return held[key] != nil
    }

    func removeAll() {
      note("clear")
      values.withLock { $0 = [:] }
    }

    /// The same cache as one of bodies: a body is one byte, the value.
    var data: Bodies { Bodies(cache: self) }

    struct Bodies: DataCaching {
      let cache: Noted

      func body(for key: String) throws -> [UInt8]? {
        try cache.attempt("query")
        return cache.held[key].map { [UInt8($0)] }
      }

      func store(_ body: [UInt8], for key: String) throws {
        try cache.attempt("store")
        cache.values.withLock { $0[key] = Int(body[0]) }
      }

      func remove(_ key: String) throws {
        try cache.attempt("remove")
        cache.values.withLock { $0[key] = nil }
      }

      func contains(_ key: String) throws -> Bool {
        try cache.attempt("contains")
        return cache.held[key] != nil
      }

      func removeAll() throws {
        try cache.attempt("clear")
        cache.values.withLock { $0 = [:] }
      }
    }
  }

  private let high = Noted("high", ["high": 1])
  private let middle = Noted("middle", ["middle": 2])
  private let low = Noted("low", ["low": 3])

  private var caches: [Noted] { [high, middle, low] }

  /// The number of calls of each cache, from the highest to the lowest.
  private var asked: [Int] { caches.map(\.calls.items.count) }

  private func chain(_ policies: ChainPolicies) -> CacheChain<String, Int> {
    CacheChain(caches, policies: policies)
  }

  @Test func theDefaultsAreThoseOfSDWebImage() {
    let policies = ChainPolicies()
    #expect(policies.query == .serial)
    #expect(policies.store == .highestOnly)
    #expect(policies.remove == .concurrent)
    #expect(policies.contains == .serial)
    #expect(policies.clear == .concurrent)
  }

  @Test(
    arguments: [
      (.serial, "middle", 2, [1, 1, 0]), (.serial, "none", nil, [1, 1, 1]),
      (.concurrent, "low", 3, [1, 1, 1]), (.concurrent, "none", nil, [1, 1, 1]),
      (.highestOnly, "high", 1, [1, 0, 0]), (.highestOnly, "low", nil, [1, 0, 0]),
      (.lowestOnly, "low", 3, [0, 0, 1]), (.lowestOnly, "high", nil, [0, 0, 1]),
    ] as [(ChainPolicy, String, Int?, [Int])]
  )
  func queriesAndContainsFollowTheirOwnPolicy(
    policy: ChainPolicy,
    key: String,
    expected: Int?,
    calls: [Int]
  ) {
    let query = ChainPolicies(
      query: policy,
      store: .lowestOnly,
      remove: .lowestOnly,
      contains: policy == .highestOnly ? .lowestOnly : .highestOnly,
      clear: .lowestOnly
    )
    #expect(chain(query).value(for: key) == expected)
    // A concurrent look-up may return before every cache is called.
    #expect(policy == .concurrent && expected != nil || asked == calls)
    #expect(caches.flatMap(\.calls.items).allSatisfy { $0 == "query" })
  }

  @Test(
    arguments: [
      (.serial, "middle", true, [1, 1, 0]), (.serial, "none", false, [1, 1, 1]),
      (.concurrent, "low", true, [1, 1, 1]), (.concurrent, "none", false, [1, 1, 1]),
      (.highestOnly, "high", true, [1, 0, 0]), (.highestOnly, "low", false, [1, 0, 0]),
      (.lowestOnly, "low", true, [0, 0, 1]), (.lowestOnly, "high", false, [0, 0, 1]),
    ] as [(ChainPolicy, String, Bool, [Int])]
  )
  func containsFollowsItsPolicyAndNotThatOfClearing(
    policy: ChainPolicy,
    key: String,
    expected: Bool,
    calls: [Int]
  ) {
    let other: ChainPolicy = policy == .highestOnly ? .lowestOnly : .highestOnly
    let policies = ChainPolicies(
      query: other,
      store: other,
      remove: other,
      contains: policy,
      clear: other
    )
    #expect(chain(policies).contains(key) == expected)
    #expect(policy == .concurrent && expected || asked == calls)
    #expect(caches.flatMap(\.calls.items).allSatisfy { $0 == "contains" })
  }

  /// The expected calls of an operation that changes caches.
  private static let doers: [(ChainPolicy, [Int])] = [
    (.serial, [1, 1, 1]), (.concurrent, [1, 1, 1]), (.highestOnly, [1, 0, 0]),
    (.lowestOnly, [0, 0, 1]),
  ]

  @Test(arguments: doers)
  func storingFollowsItsPolicy(policy: ChainPolicy, calls: [Int]) {
    var policies = ChainPolicies()
    policies.store = policy
    chain(policies).store(9, cost: 1, for: "new")
    #expect(asked == calls)
    #expect(caches.map { $0.held["new"] == 9 ? 1 : 0 } == calls)
  }

  @Test(arguments: doers)
  func removingFollowsItsPolicy(policy: ChainPolicy, calls: [Int]) {
    for cache in caches { cache.store(1, cost: 1, for: "all") }
    let before = asked
    var policies = ChainPolicies()
    policies.remove = policy
    chain(policies).remove("all")
    #expect(zip(asked, before).map { $0 - $1 } == calls)
    #expect(caches.map { $0.held["all"] == nil ? 1 : 0 } == calls)
  }

  @Test(arguments: doers)
  func clearingFollowsItsPolicy(policy: ChainPolicy, calls: [Int]) {
    var policies = ChainPolicies()
    policies.clear = policy
    chain(policies).removeAll()
    #expect(asked == calls)
    #expect(caches.map { $0.held.isEmpty ? 1 : 0 } == calls)
  }

  @Test func concurrentMeansAtTheSameTime() {
    let door = ThreadLatch()
    let first = Noted("first", door: door)
    let second = Noted("second", door: door)
    var policies = ChainPolicies()
    policies.remove = .concurrent
    let chain = CacheChain<String, Int>([first, second], policies: policies)
    BackgroundThread.start(name: "remover") { chain.remove("a") }
    while first.calls.items.isEmpty || second.calls.items.isEmpty { BackgroundThread.yield() }
    door.open()
  }

  @Test func aConcurrentQueryDoesNotWaitForASlowCache() {
    let door = ThreadLatch()
    let slow = Noted("slow", door: door)
    var policies = ChainPolicies()
    policies.query = .concurrent
    let chain = CacheChain<String, Int>([high, slow], policies: policies)
    #expect(chain.value(for: "high") == 1)
    door.open()
  }

  @Test(arguments: ChainPolicy.allCases)
  func aChainOfNoOrOneCacheWorks(policy: ChainPolicy) {
    let policies = ChainPolicies(
      query: policy,
      store: policy,
      remove: policy,
      contains: policy,
      clear: policy
    )
    let none = CacheChain<String, Int>([], policies: policies)
    none.store(1, cost: 1, for: "a")
    none.removeAll()
    #expect(none.value(for: "a") == nil)
    let one = CacheChain<String, Int>([high], policies: policies)
    one.store(5, cost: 1, for: "a")
    #expect(one.value(for: "a") == 5)
    #expect(one.contains("a"))
    one.remove("a")
    #expect(!one.contains("a"))
  }

  @Test(arguments: [ChainPolicy.serial, .concurrent])
  func aLookUpSkipsACacheThatFails(policy: ChainPolicy) throws {
    let broken = Noted("broken", fails: true)
    let policies = ChainPolicies(query: policy, store: policy, contains: policy, clear: policy)
    let chain = DataCacheChain([broken.data, low.data], policies: policies)
    #expect(try chain.body(for: "low") == [3])
    #expect(try chain.contains("low"))
    #expect(throws: Failure(name: "broken")) { try chain.body(for: "none") }
    #expect(throws: Failure(name: "broken")) { try chain.contains("none") }
    #expect(throws: Failure(name: "broken")) { try chain.store([7], for: "new") }
    #expect(low.held["new"] == 7)
    #expect(throws: Failure(name: "broken")) { try chain.removeAll() }
    #expect(low.held.isEmpty)
  }

  @Test func bodiesOfTwoDiskCachesAreFound() throws {
    let folder = try TemporaryDirectory()
    let caches = try ["a", "b"].map { try DiskCache(directory: folder.path + "/" + $0) }
    let chain = DataCacheChain(caches)
    try caches[1].store([1, 2], for: "old")
    try chain.store([3], for: "new")
    #expect(try chain.body(for: "old") == [1, 2])
    #expect(try caches[0].body(for: "new") == [3])
    #expect(try caches[1].body(for: "new") == nil)
    try chain.removeAll()
    #expect(try !chain.contains("old") && !chain.contains("new"))
  }

  @Test func aChainIsThreadSafe() {
    let caches = (0..<2).map { _ in MemoryCache<Int, Int>(byteLimit: 1000, countLimit: 100) }
    let policies = ChainPolicies(query: .concurrent, store: .concurrent, contains: .concurrent)
    let chain = CacheChain<Int, Int>(caches, policies: policies)
    let done = Counter()
    for worker in 0..<4 {
      BackgroundThread.start(name: "sharer") {
        for step in 0..<Rounds.fewer(1000, concurrent: true) {
          chain.store(step, cost: 1, for: worker)
          if chain.value(for: worker) != step { Issue.record("another value") }
        }
        done.add()
      }
    }
    while done.count < 4 { BackgroundThread.yield() }
    #expect(caches.allSatisfy { $0.statistics.count == 4 })
  }
}
