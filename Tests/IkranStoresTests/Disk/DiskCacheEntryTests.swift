import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskCacheEntryTests {
  private let directory: TemporaryDirectory
  private let clock = ManualClock(seconds: 1)
  private let small = [UInt8](repeating: 7, count: 100)
  private let large = [UInt8](repeating: 5, count: 20_000)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  private func open(_ options: DiskCacheOptions = DiskCacheOptions()) throws -> DiskCache {
    try DiskCache(directory: path, options: options, now: { [clock] in clock.microseconds })
  }

  // MARK: - Extended data

  @Test func anExpiredEntryIsNotExtended() throws {
    let cache = try open(DiskCacheOptions(maximumAge: .sinceAccess(.seconds(10))))
    try cache.store(small, for: "key")
    clock.advance(by: .seconds(11))
    #expect(try !cache.extend([1], for: "key"))
    #expect(try cache.body(for: "key") == nil)
  }

  @Test func dataOverTheRowLimitAreRefused() throws {
    let cache = try open()
    try cache.store(small, for: "key")
    let limit = 64 << 20
    let data = [UInt8](repeating: 1, count: limit)
    let error = DiskCacheError.rowOverLimit(bytes: limit + 3, limit: limit)
    #expect(throws: error) { try cache.store([2], extended: data, for: "key") }
    #expect(throws: error) { try cache.extend(data, for: "key") }
    #expect(try cache.body(for: "key") == small)
    #expect(try cache.statistics.rebuilds == 0)
  }

  @Test(arguments: [100, 20_000], [0, 1, 3000])
  func additionalDataAreReadWithTheBody(bodyCount: Int, extendedCount: Int) throws {
    let body = [UInt8](repeating: 3, count: bodyCount)
    let extended = [UInt8](repeating: 9, count: extendedCount)
    clock.advance(by: .seconds(5))
    try open().store(body, extended: extended, for: "key")
    let cache = try open()
    let entry = try cache.entry(for: "key")
    #expect(entry == DiskCacheEntry(body: body, extended: extended, stored: 6_000_000))
    #expect(try cache.statistics.byteCount == bodyCount + extendedCount)
  }

  @Test(arguments: [100, 20_000])
  func extendingReplacesTheDataAndNotTheBody(count: Int) throws {
    let cache = try open()
    let body = [UInt8](repeating: 3, count: count)
    try cache.store(body, extended: [1, 2, 3], for: "key")
    let stored = clock.microseconds
    clock.advance(by: .seconds(1))
    #expect(try cache.extend([4, 5, 6, 7], for: "key"))
    let entry = try open().entry(for: "key")
    #expect(entry == DiskCacheEntry(body: body, extended: [4, 5, 6, 7], stored: stored))
    #expect(try cache.statistics.byteCount == count + 4)
    #expect(try cache.verify().checked == 1)
    #expect(try cache.statistics.byteCount == count + 4)
  }

  @Test func extendingAMissingEntryReturnsFalse() throws {
    let cache = try open()
    #expect(try !cache.extend([1], for: "key"))
    #expect(try cache.entry(for: "key") == nil)
  }

  @Test func storingWithoutDataRemovesTheOldData() throws {
    let cache = try open()
    try cache.store(small, extended: [1, 2, 3], for: "key")
    try cache.store(large, for: "key")
    #expect(try cache.entry(for: "key")?.extended == [])
  }

  @Test func dataCountTowardsTheLimit() throws {
    let cache = try open(DiskCacheOptions(byteLimit: 1000))
    #expect(throws: DiskCacheError.bodyOverLimit(bytes: 1001, limit: 1000)) {
      try cache.store(small, extended: [UInt8](repeating: 0, count: 901), for: "key")
    }
    for number in 0..<8 { try cache.store(small, for: "\(number)") }
    #expect(throws: DiskCacheError.bodyOverLimit(bytes: 1001, limit: 1000)) {
      try cache.extend([UInt8](repeating: 0, count: 901), for: "7")
    }
    #expect(try cache.extend([UInt8](repeating: 1, count: 300), for: "7"))
    #expect(try cache.statistics.byteCount <= 1000)
    #expect(try cache.entry(for: "7")?.extended.count == 300)
  }

  // MARK: - The list

  @Test func theListHasSizesAndTimes() throws {
    let cache = try open()
    try cache.store(large, extended: [1, 2], for: "key")
    let stored = clock.microseconds
    clock.advance(by: .seconds(60))
    _ = try cache.body(for: "key")
    cache.flush()
    let item = try #require(try cache.list().first)
    #expect(item.key == "key")
    #expect(item.bodyBytes == 20_000)
    #expect(item.storedBytes == 20_002)
    #expect(item.stored == stored)
    #expect(item.accessed == clock.microseconds)
  }

  @Test(arguments: [1, 7, 64, 1000])
  func pagesOfTheListHaveEachEntryOnce(limit: Int) throws {
    let cache = try open()
    let keys = (0..<200).map { "key-\($0)" }
    for key in keys { try cache.store([1], for: key) }
    var found: [String] = []
    var page = try cache.list(limit: limit)
    while let last = page.last {
      #expect(page.count <= limit)
      found += page.map(\.key)
      page = try cache.list(after: last, limit: limit)
    }
    #expect(found.sorted() == keys.sorted())
    #expect(try cache.keys().sorted() == keys.sorted())
  }

  // MARK: - Expiry

  private let minute = Duration.seconds(60)

  @Test func anExpiredEntryIsAMissAndRemoved() throws {
    let cache = try open(DiskCacheOptions(maximumAge: .sinceAccess(minute)))
    try cache.store(large, for: "read")
    try cache.store(large, for: "not read")
    clock.advance(by: .seconds(40))
    #expect(try cache.body(for: "read") != nil)
    clock.advance(by: .seconds(40))
    #expect(try cache.body(for: "read") != nil)
    #expect(try cache.body(for: "not read") == nil)
    let statistics = try cache.statistics
    #expect(statistics.count == 1)
    #expect(statistics.expired == 1)
    #expect(statistics.dropped == 0)
    #expect(try cache.verify().orphansRemoved == 0)
  }

  @Test func readingDoesNotPostponeExpirySinceStored() throws {
    let cache = try open(DiskCacheOptions(maximumAge: .sinceStored(minute)))
    try cache.store(small, for: "key")
    clock.advance(by: .microseconds(59_999_999))
    #expect(try cache.body(for: "key") != nil)
    clock.advance(by: .microseconds(1))
    #expect(try cache.body(for: "key") == nil)
    #expect(try cache.statistics.count == 0)
  }

  @Test(arguments: [DiskCacheOptions.Age.sinceStored(.zero), .sinceAccess(.zero)])
  func withAnAgeOfZeroNothingIsFound(age: DiskCacheOptions.Age) throws {
    let cache = try open(DiskCacheOptions(maximumAge: age))
    try cache.store(small, for: "key")
    #expect(try cache.body(for: "key") == nil)
  }

  @Test func withoutAMaximumAgeNothingExpires() throws {
    let cache = try open(DiskCacheOptions(maximumAge: .never))
    try cache.store(small, for: "key")
    clock.advance(by: .microseconds(1 << 60))
    #expect(try cache.body(for: "key") == small)
  }

  @Test func theDefaultAgeIsAWeekSinceTheLastAccess() throws {
    let cache = try open()
    try cache.store(small, for: "key")
    clock.advance(by: .microseconds(7 * 86_400 * 1_000_000 - 1))
    #expect(try cache.contains("key"))
    clock.advance(by: .microseconds(1))
    #expect(try cache.body(for: "key") == nil)
  }

  @Test func expiredEntriesAreEvictedFirst() throws {
    let options = DiskCacheOptions(countLimit: 4, maximumAge: .sinceStored(minute))
    let cache = try open(options)
    for key in ["a", "b"] { try cache.store(small, for: key) }
    clock.advance(by: .seconds(30))
    for key in ["c", "d"] { try cache.store(small, for: key) }
    for key in ["a", "b"] { _ = try cache.body(for: key) }
    clock.advance(by: .seconds(40))
    for key in ["e", "f"] { try cache.store(small, for: key) }
    #expect(try Set(cache.keys()) == ["c", "d", "e", "f"])
  }

  @Test func trimmingAndStoringRemoveExpiredEntries() throws {
    let cache = try open(DiskCacheOptions(maximumAge: .sinceStored(minute)))
    for number in 0..<200 { try cache.store(small, for: "old-\(number)") }
    clock.advance(by: .seconds(61))
    for number in 0..<512 { try cache.store(small, for: "new-\(number)") }
    #expect(try cache.statistics.expired > 50)
    try cache.trim()
    #expect(try cache.statistics.count == 512)
    #expect(try cache.statistics.expired == 200)
  }

  @Test(arguments: [
    DiskCacheOptions.Age.sinceAccess(.seconds(60)), .sinceStored(.seconds(60)),
  ])
  func afterAClockIsSetBackEntriesExpireOneAgeLater(age: DiskCacheOptions.Age) throws {
    let cache = try open(DiskCacheOptions(maximumAge: age))
    clock.advance(by: .microseconds(1 << 50))
    for key in ["read", "not read"] { try cache.store(large, for: key) }
    // Set back by years: nothing is lost, and an entry stored in the future counts as stored now.
    clock.advance(by: .microseconds(-(1 << 49)))
    let entry = try #require(try cache.entry(for: "read"))
    #expect(entry.stored == clock.microseconds)
    try cache.trim()
    #expect(try cache.statistics.count == 2)
    clock.advance(by: .seconds(61))
    #expect(try cache.entry(for: "read") == nil)
    #expect(try cache.entry(for: "not read") == nil)
    #expect(try cache.statistics.dropped == 0)
  }
}
