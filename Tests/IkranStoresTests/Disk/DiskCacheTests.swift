import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskCacheTests {
  private let directory: TemporaryDirectory
  private let clock = ManualClock(seconds: 1)

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ options: DiskCacheOptions = DiskCacheOptions()) throws -> DiskCache {
    try DiskCache(
      directory: "\(directory.path)/cache",
      options: options,
      now: { [clock] in clock.microseconds }
    )
  }

  private func body(_ count: Int, _ first: UInt8 = 1) -> [UInt8] {
    (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0 &* 31) }
  }

  @Test(arguments: [0, 1, 31, 16_383, 16_384, 16_385, 40_960, 300_001])
  func aStoredBodyIsReadBackByteForByte(count: Int) throws {
    let cache = try open()
    try cache.store(body(count), for: "key")
    #expect(try cache.body(for: "key") == body(count))
    #expect(try cache.contains("key"))
    #expect(try cache.statistics.byteCount == count)
  }

  @Test func anUnknownKeyIsAMiss() throws {
    let cache = try open()
    #expect(try cache.body(for: "key") == nil)
    #expect(try !cache.contains("key"))
    #expect(try cache.statistics.misses == 1)
  }

  @Test(arguments: [10, 20_000], [10, 20_000])
  func aNewBodyReplacesTheOld(old: Int, new: Int) throws {
    let cache = try open()
    try cache.store(body(old), for: "key")
    try cache.store(body(new, 9), for: "key")
    #expect(try cache.body(for: "key") == body(new, 9))
    let statistics = try cache.statistics
    #expect(statistics.count == 1)
    #expect(statistics.byteCount == new)
    #expect(try cache.verify().orphansRemoved == 0)
  }

  @Test func keysAreComparedByteByByte() throws {
    let cache = try open()
    let keys = [
      "", "a", "A", "a\u{0}", "a\u{0}b", "é", "e\u{301}", "../../../etc/passwd", "/", "%00",
      String(repeating: "https://example.com/", count: 1000),
    ]
    for (number, key) in keys.enumerated() {
      try cache.store([UInt8(number)] + body(20_000), for: key)
    }
    for (number, key) in keys.enumerated() {
      #expect(try cache.body(for: key)?.first == UInt8(number), "\(key.prefix(20))")
    }
    #expect(try Set(cache.keys().map { Array($0.utf8) }) == Set(keys.map { Array($0.utf8) }))
    #expect(try Files.list(directory.path) == ["cache"])
  }

  @Test(arguments: [10, 20_000])
  func aRemovedBodyIsGone(count: Int) throws {
    let cache = try open()
    try cache.store(body(count), for: "a")
    try cache.store(body(count), for: "b")
    try cache.remove("a")
    try cache.remove("never stored")
    #expect(try cache.body(for: "a") == nil)
    #expect(try cache.body(for: "b") != nil)
    #expect(try cache.statistics.byteCount == count)
  }

  @Test func removingAllLeavesNoFiles() throws {
    let cache = try open()
    for number in 0..<20 { try cache.store(body(number * 2000), for: "\(number)") }
    try cache.removeAll()
    let statistics = try cache.statistics
    #expect(statistics.count == 0)
    #expect(statistics.byteCount == 0)
    for folder in try Files.list("\(directory.path)/cache/bodies") {
      #expect(try Files.list("\(directory.path)/cache/bodies/\(folder)") == [])
    }
  }

  @Test func bodiesSurviveReopening() throws {
    for count in [100, 20_000] { try open().store(body(count), for: "\(count)") }
    let cache = try open()
    for count in [100, 20_000] { #expect(try cache.body(for: "\(count)") == body(count)) }
    #expect(try cache.statistics.count == 2)
  }

  @Test func onlyItsOwnerMayReadTheFiles() throws {
    let cache = try open()
    try cache.store(body(20_000), for: "key")
    let path = "\(directory.path)/cache"
    #expect(Files.permissions(path) == 0o700)
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shared"] {
      #expect(Files.permissions("\(path)/\(name)") == 0o600, "\(name)")
    }
    let folder = try #require(Files.list("\(path)/bodies").first)
    let file = try #require(Files.list("\(path)/bodies/\(folder)").first)
    #expect(Files.permissions("\(path)/bodies/\(folder)/\(file)") == 0o600)
  }

  // MARK: - Limits

  @Test func theLimitsHoldAfterEachStore() throws {
    let cache = try open(DiskCacheOptions(byteLimit: 100_000, countLimit: 12))
    for number in 0..<60 {
      clock.advance(by: .microseconds(1))
      try cache.store(body((number * 7919) % 40_000), for: "\(number)")
      let statistics = try cache.statistics
      #expect(statistics.byteCount <= 100_000)
      #expect(statistics.count <= 12)
      #expect(try cache.contains("\(number)"))
    }
    #expect(try cache.statistics.evictions >= 48)
    #expect(try cache.verify().orphansRemoved == 0)
  }

  @Test func theOldestAccessLeavesFirst() throws {
    let cache = try open(DiskCacheOptions(byteLimit: 1000, countLimit: 3))
    for key in ["a", "b", "c"] {
      clock.advance(by: .microseconds(1))
      try cache.store(body(10), for: key)
    }
    clock.advance(by: .microseconds(1))
    #expect(try cache.body(for: "a") != nil)
    clock.advance(by: .microseconds(1))
    try cache.store(body(10), for: "d")
    #expect(try Set(cache.keys()) == ["a", "c", "d"])
  }

  @Test func accessTimesSurviveReopening() throws {
    for key in ["a", "b"] {
      clock.advance(by: .microseconds(1))
      try open().store(body(10), for: key)
    }
    clock.advance(by: .microseconds(1))
    #expect(try open().body(for: "a") != nil)
    clock.advance(by: .microseconds(1))
    try open(DiskCacheOptions(countLimit: 2)).store(body(10), for: "c")
    #expect(try Set(open().keys()) == ["a", "c"])
  }

  @Test func aBodyOverTheLimitIsRefusedAndTheOldOneGoes() throws {
    let cache = try open(DiskCacheOptions(byteLimit: 100))
    try cache.store(body(10), for: "key")
    #expect(throws: DiskCacheError.bodyOverLimit(bytes: 101, limit: 100)) {
      try cache.store(body(101), for: "key")
    }
    #expect(try cache.body(for: "key") == nil)
  }

  @Test func trimmingKeepsTheMostRecentEntries() throws {
    let cache = try open()
    for number in 0..<10 {
      clock.advance(by: .microseconds(1))
      try cache.store(body(20_000), for: "\(number)")
    }
    #expect(try cache.trim(toBytes: 50_000) == 8)
    #expect(try Set(cache.keys()) == ["8", "9"])
    #expect(try cache.trim() == 0)
  }

  @Test func aLowerLimitHoldsAfterTheNextStore() throws {
    let cache = try open()
    for number in 0..<20 { try cache.store(body(1000), for: "\(number)") }
    try open(DiskCacheOptions(byteLimit: 5000)).store(body(1000), for: "new")
    #expect(try cache.statistics.byteCount <= 5000)
  }

  @Test func aNewFolderMayBeOpenedManyTimesAtOnce() async throws {
    for round in 0..<40 {
      let path = "\(directory.path)/new-\(round)"
      try await withThrowingTaskGroup(of: Void.self) { group in
        for opener in 0..<4 {
          group.addTask {
            let cache = try DiskCache(directory: path)
            try cache.store([1, 2, 3], for: "\(opener)")
          }
        }
        try await group.waitForAll()
      }
      #expect(try DiskCache(directory: path).statistics.count == 4)
    }
  }

  @Test func manyThreadsMayUseOneCache() async throws {
    let cache = try open(DiskCacheOptions(byteLimit: 400_000, countLimit: 50))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for step in 0..<40 {
            let key = "\((worker * 13 + step * 7) % 60)"
            try cache.store(Array(key.utf8) + self.body(step * 500), for: key)
            if let body = try cache.body(for: key) { #expect(body.starts(with: key.utf8)) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try cache.verify().dropped == 0)
    #expect(try cache.statistics.byteCount <= 400_000)
  }
}
