import Glibc
import Support
import Testing

@testable import IkranStores

/// Files that bodies are written over, and transactions that threads share.
@Suite(.timeLimit(.minutes(10))) struct DiskCacheSpareTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  private func body(_ number: Int, _ count: Int = 40_000) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count)
  }

  /// A cache with room for some entries of any size.
  private func open(entries: Int = 2) throws -> DiskCache {
    try DiskCache(
      directory: path,
      options: DiskCacheOptions(byteLimit: 4 << 20, countLimit: entries)
    )
  }

  private func file(_ key: String, in cache: DiskCache) throws -> String {
    let hash = try cache.encoding.name(of: key).hash
    let found = try cache.withIndex { (index) throws(DiskCacheError) in try index.row(hash) }
    return cache.files.path(try #require(found).name)
  }

  private func bodyFiles() throws -> [String] {
    try Files.list("\(path)/bodies").flatMap { folder in
      try Files.list("\(path)/bodies/\(folder)").map { "\(path)/bodies/\(folder)/\($0)" }
    }
  }

  @Test func aBodyIsWrittenOverTheFileOfAnEvictedOne() throws {
    let cache = try open()
    for number in 0..<2 { try cache.store(body(number), for: "\(number)") }
    let old = try Files.identity(file("0", in: cache))
    try cache.store(body(2), for: "2")
    try cache.store(body(3), for: "3")
    #expect(try Files.identity(file("3", in: cache)) == old)
    #expect(try cache.body(for: "3") == body(3))
  }

  @Test func aShorterBodyEndsTheFileThatItIsWrittenOver() throws {
    let cache = try open()
    for number in 0..<3 { try cache.store(body(number), for: "\(number)") }
    try cache.store(body(3, 17_000), for: "3")
    #expect(try cache.body(for: "3") == body(3, 17_000))
    #expect(try Files.size(file("3", in: cache)) == 17_000)
  }

  @Test func spareFilesAreRemovedWithTheCache() throws {
    do {
      let cache = try open()
      for number in 0..<6 { try cache.store(body(number), for: "\(number)") }
      #expect(try bodyFiles().count > 2)
    }
    #expect(try bodyFiles().count == 2)
  }

  @Test func spareFilesTakeAThirtySecondOfTheLimit() throws {
    let options = DiskCacheOptions(byteLimit: 32 * 100_000, countLimit: 1)
    let cache = try DiskCache(directory: path, options: options)
    // A cache's first store sweeps one of its folders.
    try cache.store([1], for: "first")
    cache.store((0..<10).map { (body($0), [], "\($0)") }) { Issue.record($0) }
    #expect(try bodyFiles().count == 1 + 2)
  }

  @Test func aSpareFileThatAnotherProcessHasRemovedIsNotNeeded() throws {
    let cache = try open()
    for number in 0..<3 { try cache.store(body(number), for: "\(number)") }
    #expect(try open().verify().orphansRemoved == 1)
    try cache.store(body(3), for: "3")
    #expect(try cache.body(for: "3") == body(3))
    #expect(try cache.verify().dropped == 0)
  }

  /// As a copy of the folder made of hard links has.
  @Test func aFileWithASecondNameIsNotWrittenOver() throws {
    let cache = try open()
    for number in 0..<2 { try cache.store(body(number), for: "\(number)") }
    let copy = "\(directory.path)/copy"
    try Files.link(file("0", in: cache), to: copy)
    for number in 2..<5 { try cache.store(body(number), for: "\(number)") }
    #expect(try Files.read(copy) == body(0))
    #expect(try cache.body(for: "4") == body(4))
  }

  /// Another process has found the row before its file was written over.
  @Test func aBodyThatIsWrittenOverIsNotReadAsTheOldOne() throws {
    let (cache, reader) = (try open(), try open())
    for number in 0..<2 { try cache.store(body(number), for: "\(number)") }
    let found = try #require(try reader.find(reader.encoding.name(of: "0")))
    let old = try file("0", in: cache)
    try cache.store(body(2), for: "2")
    try Files.overwrite(old, body(3))
    #expect(try reader.read(found) == nil)
    #expect(try !reader.drop(found))
    #expect(try reader.statistics.dropped == 0)
  }

  // MARK: - Shared transactions

  /// Stores bodies on a thread each, all while the index is locked; returns the errors.
  private func storeAtOnce(
    _ cache: DiskCache,
    _ keys: [String]
  ) throws -> [String: DiskCacheError] {
    let errors = Guarded<[String: DiskCacheError]>([:])
    let isLocked = Guarded(false)
    onThreads(keys.count + 1) { worker in
      if worker == keys.count {
        try? cache.withClosedState { _ throws(DiskCacheError) in
          isLocked.withLock { $0 = true }
          while cache.waiting.withLock({ $0.count }) < keys.count { sched_yield() }
        }
        return
      }
      while !isLocked.withLock({ $0 }) { sched_yield() }
      do throws(DiskCacheError) { try cache.store(body(worker), for: keys[worker]) } catch {
        errors.withLock { $0[keys[worker]] = error }
      }
    }
    return errors.withLock { $0 }
  }

  @Test func threadsThatWaitForTheIndexStoreTogether() throws {
    let cache = try open(entries: 100)
    let keys = (0..<6).map { "\($0)" }
    try cache.store([1], for: "first")
    #expect(try storeAtOnce(cache, keys) == [:])
    let other = try open(entries: 100)
    for (number, key) in keys.enumerated() { #expect(try other.body(for: key) == body(number)) }
    #expect(try other.verify().orphansRemoved == 0)
    #expect(try cache.statistics.count == 7)
  }

  @Test func aStoreThatFailsKeepsThoseOfOtherThreadsNotOut() throws {
    let cache = try open(entries: 100)
    let keys = (0..<6).map { "\($0)" }
    try cache.store(body(1), for: "3")
    // A file where the folder of this body has to be.
    let folder = Files.parent(of: try file("3", in: cache))
    try Files.removeTree(folder)
    try Files.create(folder, [])
    let errors = try storeAtOnce(cache, keys)
    #expect(errors.keys.sorted() == ["3"])
    for (number, key) in keys.enumerated() where key != "3" {
      #expect(try cache.body(for: key) == body(number))
    }
    #expect(try Files.list(cache.files.incoming) == [])
  }
}
