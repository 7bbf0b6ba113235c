import Support
import Testing

@testable import IkranStores

@Suite(.timeLimit(.minutes(10))) struct DiskCacheBatchTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ options: DiskCacheOptions = DiskCacheOptions()) throws -> DiskCache {
    try DiskCache(directory: "\(directory.path)/cache", options: options)
  }

  private func body(_ number: Int) -> [UInt8] {
    [UInt8](
      repeating: UInt8(truncatingIfNeeded: number),
      count: number.isMultiple(of: 2) ? 100 : 40_000
    )
  }

  /// Whether the cache has neither damaged entries nor files without one.
  private func isWhole(_ cache: DiskCache) throws -> Bool {
    let report = try cache.verify()
    return report.dropped == 0 && report.orphansRemoved == 0
  }

  @Test func bodiesStoredTogetherAreReadByAnotherCache() throws {
    let cache = try open()
    let bodies = (0..<40).map { (body: body($0), extended: [UInt8($0)], key: "\($0)") }
    cache.store(bodies) { Issue.record($0) }
    let other = try open()
    for number in 0..<40 {
      let entry = try other.entry(for: "\(number)")
      #expect(entry?.body == body(number))
      #expect(entry?.extended == [UInt8(number)])
    }
    #expect(try isWhole(other))
  }

  @Test func ofOneKeyTheLastBodyStays() throws {
    let cache = try open()
    let bodies = [1, 3, 5].map { (body: body($0), extended: [UInt8](), key: "key") }
    cache.store(bodies) { Issue.record($0) }
    #expect(try cache.body(for: "key") == body(5))
    #expect(try cache.statistics.count == 1)
    #expect(try isWhole(cache))
  }

  @Test func oneThatIsOverTheLimitKeepsTheOthersNotOut() throws {
    let cache = try open(DiskCacheOptions(byteLimit: 60_000))
    try cache.store(body(2), for: "large")
    let large = [UInt8](repeating: 7, count: 70_000)
    var errors: [DiskCacheError] = []
    cache.store([(body(1), [], "a"), (large, [], "large"), (body(2), [], "b")]) {
      errors.append($0)
    }
    #expect(errors.count == 1)
    #expect(try cache.body(for: "a") == body(1))
    #expect(try cache.body(for: "large") == nil)
    #expect(try cache.body(for: "b") == body(2))
  }

  @Test func moreThanTheLimitEvictsTheOldest() throws {
    let cache = try open(DiskCacheOptions(countLimit: 8))
    cache.store((0..<20).map { (body($0), [], "\($0)") }) { Issue.record($0) }
    #expect(try cache.statistics.count == 8)
    #expect(try cache.body(for: "19") == body(19))
    #expect(try isWhole(cache))
  }

  @Test func aFileThatCannotBePublishedKeepsTheOthersNotOut() throws {
    let cache = try open()
    // A file where the folder of the second one's body has to be.
    try cache.store(body(1), for: "second")
    let hash = try cache.encoding.name(of: "second").hash
    let found = try cache.withIndex { (index) throws(DiskCacheError) in try index.row(hash) }
    let row = try #require(found)
    let folder = Files.parent(of: cache.files.path(row.name))
    try Files.removeTree(folder)
    try Files.create(folder, [])
    var errors: [DiskCacheError] = []
    cache.store([(body(2), [], "first"), (body(1), [], "second"), (body(4), [], "third")]) {
      errors.append($0)
    }
    #expect(errors.count == 1)
    #expect(try cache.body(for: "first") == body(2))
    #expect(try cache.body(for: "third") == body(4))
    #expect(try Files.list(cache.files.incoming) == [])
  }

  @Test func afterAFolderWasRemovedTheNextBatchIsStored() throws {
    let cache = try open()
    cache.store([(body(1), [], "before")]) { Issue.record($0) }
    try Files.removeTree("\(directory.path)/cache")
    let bodies = [(body: body(1), extended: [UInt8](), key: "a"), (body(3), [], "b")]
    var errors: [DiskCacheError] = []
    cache.store(bodies) { errors.append($0) }
    // The first of all finds out that the folder is gone.
    #expect(errors.count <= 1)
    cache.store(bodies) { Issue.record($0) }
    #expect(try cache.body(for: "a") == body(1))
    #expect(try cache.body(for: "b") == body(3))
  }
}
