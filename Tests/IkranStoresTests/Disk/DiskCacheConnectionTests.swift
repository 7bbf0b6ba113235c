import Support
import Testing

@testable import IkranStores

/// The connections to one index: of threads, processes, forks and other programs.
@Suite(.timeLimit(.minutes(10))) struct DiskCacheConnectionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }
  private var index: String { "\(path)/index.sqlite" }

  private var newPath: String { "\(directory.path)/new.sqlite" }

  // MARK: - Reads and changes

  /// Another process has the writer's lock, and a store waits for it.
  @Test func aReadDoesNotWaitForAStoreThatWaits() throws {
    let cache = try DiskCache(directory: path)
    try cache.store([1, 2, 3], for: "key")
    let other = try SQLiteHandle.open(index, busyMilliseconds: 5000)
    try other.execute("BEGIN IMMEDIATE")
    let (order, isRead) = (Recorder<String>(), ThreadLatch())
    onThreads(2) { worker in
      if worker == 0 {
        try? cache.store([4], for: "other")
        order.add("stored")
      } else {
        // Until the store has the lock of the index.
        while cache.state.withLockIfAvailable({ _ in true }) != nil {}
        #expect((try? cache.body(for: "key")) == [1, 2, 3])
        #expect((try? cache.contains("other")) == false)
        order.add("read")
        isRead.open()
      }
    }
    isRead.wait()
    try other.execute("ROLLBACK")
    #expect(order.items == ["read", "stored"])
  }

  @Test func aReadSeesWhatWasStoredJustBefore() throws {
    let caches = try (0..<2).map { _ in try DiskCache(directory: path) }
    for number in 0..<200 {
      let (writer, reader) = (caches[number % 2], caches[(number + 1) % 2])
      let body = [UInt8](repeating: UInt8(number), count: number % 3 == 0 ? 20_000 : 50)
      try writer.store(body, for: "key-\(number % 7)")
      #expect(try reader.body(for: "key-\(number % 7)") == body)
      #expect(try writer.body(for: "key-\(number % 7)") == body)
    }
    #expect(try caches[0].verify().dropped == 0)
  }

  // MARK: - The log's index

  /// The log has more frames than the first page of its index, begins again, and is read meanwhile.
  @Test func connectionsAgreeOnALongLog() throws {
    let path = "\(directory.path)/long.sqlite"
    let writer = try SQLiteHandle.open(path, busyMilliseconds: 1000)
    try writer.limitLog(toBytes: 64 << 20)
    try writer.execute("CREATE TABLE pages(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
    let reader = try SQLiteHandle.openReadOnly(path, busyMilliseconds: 1000)
    let sum = try reader.prepare("SELECT count(*), coalesce(sum(number), 0) FROM pages")
    var count: Int64 = 0
    for round in 0..<24 {
      if round == 20 { try writer.execute("PRAGMA wal_checkpoint(RESTART)") }
      try writer.execute("BEGIN IMMEDIATE")
      for _ in 0..<400 {
        count += 1
        try writer.execute("INSERT INTO pages VALUES(\(count), zeroblob(4000))")
      }
      try writer.execute("COMMIT")
      #expect(try reader.step(sum))
      #expect(sum.integer(0) == count)
      #expect(sum.integer(1) == count * (count + 1) / 2)
      sum.reset()
    }
    let check = try reader.prepare("PRAGMA integrity_check")
    #expect(try reader.step(check))
    #expect(check.text(0) == "ok")
    #expect(writer.isIntact && reader.isIntact)
  }

  @Test func aConnectionThatHasTheIndexToItselfKeepsOthersOut() throws {
    try DiskCache(directory: path).store([1], for: "key")
    let alone = try SQLiteHandle.open(index, busyMilliseconds: 10, isPrivate: true)
    #expect(throws: DiskCacheError.busy(path: index)) {
      _ = try SQLiteHandle.open(index, busyMilliseconds: 10).version()
    }
    #expect(try alone.version() == DiskCacheFormat.version)
  }

  /// Another connection may have begun the log again since.
  @Test func aConnectionWhoseChangeOthersDoNotSeeLeavesTheLogAsItIs() throws {
    var handle: SQLiteHandle? = try SQLiteHandle.open(newPath, busyMilliseconds: 10)
    try handle?.execute("CREATE TABLE numbers(number INTEGER)")
    try handle?.execute("BEGIN; INSERT INTO numbers VALUES(1)")
    try FullFile.replace(#require(FullFile.descriptors(of: "\(newPath)-shared").first))
    try handle?.execute("COMMIT")
    #expect(handle?.isIntact == false)
    let (before, log) = (try Files.read(newPath), try Files.read("\(newPath)-wal"))
    handle = nil
    #expect(try Files.read(newPath) == before)
    #expect(try Files.read("\(newPath)-wal") == log)
  }

  /// A cache whose next change has no room for what connections share.
  private func fullCache() throws -> DiskCache {
    let cache = try DiskCache(directory: path)
    try cache.store([1, 2, 3], for: "key")
    try FullFile.replace(#require(FullFile.descriptors(of: "\(index)-shared").first))
    return cache
  }

  @Test func theCachesOwnReadsDoNotKeepItFromOpeningTheIndexAlone() throws {
    let cache = try fullCache()
    #expect(try cache.body(for: "key") == [1, 2, 3])
    try cache.store([4], for: "other")
    #expect(try cache.body(for: "other") == [4])
    #expect(try cache.body(for: "key") == [1, 2, 3])
  }

  @Test func anEntryIsRemovedFromAFullDiskThatAnotherProcessReads() throws {
    let cache = try fullCache()
    let other = try DiskCache(directory: path)
    #expect(try other.body(for: "key") == [1, 2, 3])
    try cache.remove("key")
    #expect(try cache.body(for: "key") == nil)
    #expect(try other.body(for: "key") == nil)
  }

  // MARK: - Other programs

  /// It would map the log's index, and change it without a look at ours.
  @Test func aProgramThatMapsTheLogsIndexIsWaitedForAndThenKeptOut() throws {
    try DiskCache(directory: path).store([1], for: "key")
    try Files.remove("\(index)-shm")
    do {
      let mapped = try LockedFile("\(index)-shm")
      #expect(try mapped.lock(128..<129, shared: true))
      #expect(throws: DiskCacheError.busy(path: "\(index)-shm")) {
        try DiskCache(directory: path)
      }
    }
    #expect(try DiskCache(directory: path).body(for: "key") == [1])
    #expect(LockedFile.isLink("\(index)-shm"))
  }

  @Test func aForkUsesTheCacheWithoutItsParentsConnection() throws {
    let make = try ChildProcess(["disk-make", directory.path]).finish()
    #expect(make.code == 0, "\(make.output)")
    let end = try ChildProcess(["disk-fork", directory.path]).finish()
    #expect(end.code == 0, "\(end.output)")
  }
}
