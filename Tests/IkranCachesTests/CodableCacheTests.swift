import IkranStores
import Support
import Testing

@testable import IkranCaches

@Suite("Values of any type", .timeLimit(.minutes(10)))
struct CodableCacheTests {
  private struct Profile: Codable, Hashable, Sendable {
    var name: String
    var tags: [String: Int] = [:]
    var score: Double?
  }

  private struct Account: Codable, Hashable, Sendable {
    let number: Int
  }

  private struct Refusal: Error {}

  private let folder: TemporaryDirectory
  private let profile = Profile(name: "Ada \u{1F98A}", tags: ["a": 1, "b": -2], score: 0.1)

  init() throws { folder = try TemporaryDirectory() }

  private func open<Value>(
    _ type: Value.Type = Profile.self,
    _ options: DiskCacheOptions = DiskCacheOptions()
  ) throws -> CodableCache<Value> {
    try CodableCache(directory: folder.path + "/values", options: options)
  }

  @Test(arguments: ValuePlaces.allCases)
  func whatIsStoredIsFound(places: ValuePlaces) throws {
    let cache = try open()
    #expect(try cache.value(for: "a") == nil)
    try cache.store(profile, for: "a", in: places)
    #expect(try cache.value(for: "a") == profile)
    #expect(try cache.value(for: "a", in: places) == profile)
    #expect(try cache.contains("a"))
    #expect(try cache.value(for: "b") == nil)
  }

  @Test func whatItsPlacesHoldIsCounted() throws {
    let cache = try open()
    try cache.store(profile, for: "a")
    try cache.store(profile, for: "b", in: .disk)
    _ = try cache.value(for: "c")
    let (memory, disk) = (cache.memoryStatistics, try cache.diskStatistics)
    #expect(memory?.count == 1 && disk?.count == 2 && disk?.misses == 1)
    #expect(disk?.byteCount == (memory?.byteCount ?? 0) * 2)
    let own = CodableCache<Profile>(memory: nil, disk: nil)
    #expect(try own.memoryStatistics == nil && own.diskStatistics == nil)
  }

  @Test func aSingleNumberAndAnEmptyListAreValues() throws {
    let numbers = try open(Int.self)
    try numbers.store(-7, for: "n", in: .disk)
    #expect(try numbers.value(for: "n") == -7)
    let lists = try open([String].self)
    try lists.store([], for: "l", in: .disk)
    #expect(try lists.value(for: "l") == [])
  }

  @Test(arguments: ValuePlaces.allCases)
  func aValueOnTheDiskSurvivesReopening(places: ValuePlaces) throws {
    try open().store(profile, for: "a", in: places)
    #expect(try open().value(for: "a") == (places == .memory ? nil : profile))
  }

  @Test func eachPlaceIsAskedAndEmptiedByItself() throws {
    let cache = try open()
    try cache.store(profile, for: "a")
    try cache.remove("a", in: .memory)
    #expect(try !cache.contains("a", in: .memory))
    #expect(try cache.contains("a", in: .disk))
    #expect(try cache.value(for: "a", in: .disk) == profile)
    #expect(try !cache.contains("a", in: .memory))
    #expect(try cache.value(for: "a") == profile)
    #expect(try cache.contains("a", in: .memory))
    try cache.removeAll(in: .disk)
    #expect(try cache.value(for: "a", in: .disk) == nil)
    #expect(try cache.value(for: "a") == profile)
    try cache.removeAll()
    #expect(try cache.value(for: "a") == nil)
  }

  @Test(arguments: [ValuePlaces.memory, .disk])
  func theOtherPlaceKeepsNoOlderValue(places: ValuePlaces) throws {
    let cache = try open()
    try cache.store(Profile(name: "old"), for: "a")
    try cache.store(profile, for: "a", in: places)
    #expect(try cache.value(for: "a", in: places == .memory ? .disk : .memory) == nil)
    #expect(try cache.value(for: "a") == profile)
  }

  @Test func aValueOfAnotherTypeIsRemovedAndReadsAsAMiss() throws {
    try open(Account.self).store(Account(number: 1), for: "a")
    let cache = try open()
    #expect(try cache.contains("a"))
    #expect(try cache.value(for: "a") == nil)
    #expect(try !cache.contains("a"))
    #expect(cache.dropped == 1)
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.dropped == 1)
  }

  @Test(arguments: ["", "{", "{\"name\":", "\u{0}\u{0}", "{\"name\":1}"])
  func bytesThatAreNoValueAreRemoved(text: String) throws {
    let disk = FakeDisk()
    try disk.store(Array(text.utf8), for: "a")
    let cache = CodableCache<Profile>(memory: nil, disk: disk)
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.dropped == 1)
    #expect(disk.keys == [])
  }

  @Test func valuesMayBeEncryptedAndCompressed() throws {
    let key = try EncryptionKey([UInt8](repeating: 7, count: 32))
    let options = DiskCacheOptions(compresses: true, encryptionKey: key)
    let long = Profile(name: String(repeating: "secret", count: 20_000))
    try open(Profile.self, options).store(long, for: "a")
    #expect(try open().value(for: "a") == nil)
    #expect(try open(Profile.self, options).value(for: "a") == long)
  }

  @Test func memoryHeedsTheAgeToo() throws {
    let clock = ManualClock()
    let memory = MemoryCache<String, KeptValue<Profile>>(byteLimit: 1 << 20)
    let cache = CodableCache<Profile>(
      memory,
      nil,
      .sinceStored(.seconds(60)),
      .json,
      now: { clock.microseconds }
    )
    try cache.store(profile, for: "a")
    clock.advance(by: .seconds(59))
    #expect(try cache.value(for: "a") == profile)
    clock.advance(by: .seconds(2))
    #expect(try cache.value(for: "a") == nil)
  }

  @Test func memoryCountsEncodedBytes() throws {
    let memory = MemoryCache<String, KeptValue<String>>(byteLimit: 1 << 20)
    let cache = CodableCache<String>(memory: memory, disk: nil)
    try cache.store("12345678", for: "a")
    #expect(memory.statistics.byteCount == 10)
  }

  @Test func aCoderMayBeOnesOwn() throws {
    let coder = ValueCoder<String> { text in
      if text.isEmpty { throw Refusal() }
      return Array(text.utf8.reversed())
    } decode: { bytes in
      String(decoding: bytes.reversed(), as: UTF8.self)
    }
    let disk = FakeDisk()
    let cache = CodableCache<String>(memory: nil, disk: disk, coder: coder)
    try cache.store("abc", for: "a")
    #expect(try disk.body(for: "a") == Array("cba".utf8))
    #expect(try cache.value(for: "a") == "abc")
    #expect(throws: CodableCacheError.encoding(key: "a", reason: "Refusal()")) {
      try cache.store("", for: "a")
    }
    #expect(try cache.value(for: "a") == "abc")
  }

  @Test func aDiskThatFailsIsTold() throws {
    #expect {
      try CodableCache<Int>(directory: "/proc/values")
    } throws: { error in
      if case CodableCacheError.disk = error { true } else { false }
    }
  }

  @Test func aReaderBringsNoOlderValueBackIntoMemory() throws {
    // The store that the reader overlaps with happens inside its read.
    let memory = MemoryCache<String, KeptValue<Int>>(byteLimit: 1 << 20)
    let overtaken = Guarded<(@Sendable () throws -> Void)?>(nil)
    let disk = FakeDisk()
    let coder = ValueCoder<Int> {
      [UInt8($0)]
    } decode: { bytes in
      let action = overtaken.withLock { action in
        defer { action = nil }
        return action
      }
      try action?()
      return Int(bytes[0])
    }
    let cache = CodableCache<Int>(memory: memory, disk: disk, coder: coder)
    try cache.store(1, for: "a", in: .disk)
    overtaken.withLock { $0 = { try cache.store(2, for: "a") } }
    _ = try cache.value(for: "a")
    #expect(try cache.value(for: "a") == 2)
  }
}
