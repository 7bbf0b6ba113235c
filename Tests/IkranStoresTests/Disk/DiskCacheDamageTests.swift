import Glibc
import StoreTorture
import Support
import Testing

@testable import IkranStores

@Suite(.timeLimit(.minutes(10))) struct DiskCacheDamageTests {
  private let directory: TemporaryDirectory
  private let large = [UInt8](repeating: 5, count: 20_000)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  private func bodyFile() throws -> String {
    let folder = try #require(Files.list("\(path)/bodies").first)
    let name = try #require(Files.list("\(path)/bodies/\(folder)").first)
    return "\(path)/bodies/\(folder)/\(name)"
  }

  enum Damage: CaseIterable { case flipped, shortened, lengthened, emptied, removed, folder }

  @Test(arguments: Damage.allCases)
  func aDamagedFileIsDroppedAndCountedAndReadsAsAMiss(damage: Damage) throws {
    let cache = try DiskCache(directory: path)
    try cache.store(large, for: "key")
    let file = try bodyFile()
    var bytes = try Files.read(file)
    try Files.remove(file)
    switch damage {
    case .flipped:
      bytes[12_345] ^= 4
      try Files.create(file, bytes)
    case .shortened: try Files.create(file, bytes.dropLast())
    case .lengthened: try Files.create(file, bytes + [0])
    case .emptied: try Files.create(file, [])
    case .removed: break
    case .folder: try Files.createDirectories(file)
    }
    #expect(try cache.body(for: "key") == nil)
    let statistics = try cache.statistics
    #expect(statistics.dropped == 1)
    #expect(statistics.misses == 1)
    #expect(statistics.count == 0)
    #expect(!Files.exists(file))
    try cache.store(large, for: "key")
    #expect(try cache.body(for: "key") == large)
  }

  @Test(arguments: TortureForm.allCases)
  func aFlippedBitInABodyNeverGivesAWrongOne(form: TortureForm) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let cache = try DiskCache(directory: path, options: form.options)
    let key = "key"
    for _ in 0..<Rounds.fewer(100) {
      let count = Int.random(in: 20_000...50_000, using: &generator)
      let body = TortureBody.make(key: key, seed: generator.next(), count: count)
      try cache.store(body, for: key)
      let file = try bodyFile()
      var bytes = try Files.read(file)
      let place = Int.random(in: bytes.indices, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      try Files.remove(file)
      try Files.create(file, bytes)
      #expect(try cache.entry(for: key) == nil, "bit of byte \(place) of \(bytes.count)")
    }
  }

  @Test func verifyFindsDamageAndOrphans() throws {
    let cache = try DiskCache(directory: path)
    try cache.store(large, for: "damaged")
    let file = try bodyFile()
    try Files.remove(file)
    try Files.create(file, [1])
    for number in 0..<100 { try cache.store([UInt8(number)], for: "\(number)") }
    try Files.create("\(path)/bodies/stray", [])
    try Files.createDirectories("\(path)/bodies/ab")
    try Files.create("\(path)/bodies/ab/stray", [1, 2, 3])
    let report = try cache.verify()
    #expect(report.checked == 101)
    #expect(report.dropped == 1)
    #expect(report.orphansRemoved == 2)
    #expect(!report.indexWasRebuilt)
    #expect(try cache.statistics.count == 100)
  }

  /// Flips bits in the second page's list of cells, so that a search ends at another key's row.
  @Test func anIndexThatLeadsToAnotherKeysRowGivesNoBody() throws {
    do {
      let cache = try DiskCache(directory: path)
      for number in 0..<30 { try cache.store([UInt8(number)], for: "key-\(number)") }
    }
    let index = try Files.read("\(path)/index.sqlite")
    let copy = "\(directory.path)/copy"
    // Two bytes for each of 30 cells, after the page's head of eight.
    let bits = (4096 + 8)..<(4096 + 8 + 60)
    for number in stride(from: 0, to: bits.count * 8, by: Rounds.areFew ? 13 : 3) {
      var damaged = index
      damaged[bits.lowerBound + number / 8] ^= 1 << UInt8(number % 8)
      try Files.createDirectories(copy)
      try Files.create("\(copy)/index.sqlite", damaged)
      let cache = try DiskCache(directory: copy)
      for number in 0..<30 {
        if let body = try cache.body(for: "key-\(number)") { #expect(body == [UInt8(number)]) }
      }
      try Files.removeTree(copy)
    }
  }

  @Test func aFlippedBitInTheIndexNeverGivesAWrongBody() throws {
    let bodies = (0..<30).map { number in
      [UInt8](repeating: UInt8(number), count: number * 97)
    }
    let time: Int64 = 1_000_000_000
    do {
      let cache = try DiskCache(directory: path) { time }
      for (number, body) in bodies.enumerated() {
        try cache.store(body, extended: Array(body.prefix(40)), for: "key-\(number)")
      }
    }
    let index = try Files.read("\(path)/index.sqlite")
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(200, atLeast: 40) {
      var damaged = index
      // Half of the rounds aim at the first pages, where the schema and the totals are.
      let range = round % 2 == 0 ? 0..<12_288 : 0..<index.count
      let bit = UInt8.random(in: 0...7, using: &generator)
      damaged[Int.random(in: range, using: &generator)] ^= 1 << bit
      let copy = "\(directory.path)/copy-\(round)"
      try Files.createDirectories(copy)
      try Files.create("\(copy)/index.sqlite", damaged)
      let cache = try DiskCache(directory: copy) { time + 5 }
      for (number, body) in bodies.enumerated() {
        let stored = DiskCacheEntry(body: body, extended: Array(body.prefix(40)), stored: time)
        if let read = try cache.entry(for: "key-\(number)") {
          // Compared outside `#expect`, so that a failure does not print whole bodies.
          let isRight = read == stored
          #expect(isRight, "key-\(number) in round \(round)")
        }
      }
      _ = try cache.verify()
      try cache.store([1, 2, 3], for: "new")
      #expect(try cache.body(for: "new") == [1, 2, 3])
      #expect(try cache.statistics.byteCount >= 3)
    }
  }

  @Test(arguments: [0, 100, 512, 40_000])
  func anIndexThatIsNoDatabaseIsReplaced(count: Int) throws {
    try Files.createDirectories(path)
    try Files.create("\(path)/index.sqlite", [UInt8](repeating: 0x41, count: count))
    let cache = try DiskCache(directory: path)
    try cache.store(large, for: "key")
    #expect(try cache.body(for: "key") == large)
    // An empty file is a database without tables.
    #expect(try cache.statistics.rebuilds == (count == 0 ? 0 : 1))
    #expect(Files.exists("\(path)/index.damaged") == (count > 0))
  }

  @Test func aTruncatedIndexIsReplaced() throws {
    do {
      let cache = try DiskCache(directory: path)
      for number in 0..<50 { try cache.store([UInt8](large.prefix(4000)), for: "\(number)") }
    }
    let index = try Files.read("\(path)/index.sqlite")
    try Files.writeAtomically(Array(index.prefix(index.count / 2)), to: "\(path)/index.sqlite")
    let cache = try DiskCache(directory: path)
    #expect(try cache.verify().indexWasRebuilt)
    #expect(try !cache.verify().indexWasRebuilt)
    try cache.store(large, for: "key")
    #expect(try cache.body(for: "key") == large)
  }

  /// Changes the version of the index, or the name of one of its columns.
  private func makeUnknown(isNewer: Bool) throws {
    do { try DiskCache(directory: path).store(large, for: "key") }
    // Nothing is left in the log.
    do {
      let handle = try SQLiteHandle.open("\(path)/index.sqlite", busyMilliseconds: 1000)
      try handle.execute(
        isNewer ? "PRAGMA user_version = 99" : "ALTER TABLE entries RENAME COLUMN mark TO other"
      )
      try handle.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  @Test(arguments: [true, false])
  func aCacheOfAnUnknownFormatIsSetAside(isNewer: Bool) throws {
    for _ in 0..<2 {
      try makeUnknown(isNewer: isNewer)
      let index = try Files.read("\(path)/index.sqlite")
      let bodies = try Files.list("\(path)/bodies")
      #expect(!bodies.isEmpty)
      let cache = try DiskCache(directory: path)
      #expect(try cache.statistics.setAside == 1)
      #expect(try cache.statistics.rebuilds == 0)
      #expect(try cache.body(for: "key") == nil)
      try cache.store([2], for: "key")
      #expect(try cache.body(for: "key") == [2])
      #expect(try Files.read("\(path)/aside/index.sqlite") == index)
      #expect(try Files.list("\(path)/aside/bodies") == bodies)
    }
  }

  @Test func removingAllRemovesWhatWasSetAside() throws {
    try makeUnknown(isNewer: true)
    let cache = try DiskCache(directory: path)
    #expect(cache.hasSetAside)
    try cache.removeAll()
    #expect(!cache.hasSetAside)
  }

  @Test func aCacheSetAsideByHalfIsCompleted() throws {
    try makeUnknown(isNewer: true)
    let bodies = try Files.list("\(path)/bodies")
    // A process died after its first step.
    try Files.createDirectories("\(path)/aside")
    try Files.rename("\(path)/bodies", to: "\(path)/aside/bodies")
    let cache = try DiskCache(directory: path)
    #expect(try cache.statistics.setAside == 1)
    #expect(Files.exists("\(path)/aside/index.sqlite"))
    #expect(try Files.list("\(path)/aside/bodies") == bodies)
  }

  /// SQLite ignores locks and log of an immutable file: it must not be one that may change.
  @Test func onlyAFolderThatCannotChangeIsImmutable() throws {
    let file = "\(directory.path)/file"
    try Files.create(file, [1])
    #expect(!Files.isImmutable(file) && !Files.isImmutable(directory.path))
    #expect(chmod(file, 0o440) == 0)
    #expect(Files.isImmutable(file) && !Files.isImmutable("\(file).missing"))
    #expect(chmod(file, 0o460) == 0)
    #expect(!Files.isImmutable(file))
  }

  // MARK: - Folders

  @Test(arguments: [100, 20_000])
  func aFolderRemovedWhileInUseIsReportedThenCreatedAgain(count: Int) throws {
    let body = [UInt8](repeating: 5, count: count)
    let cache = try DiskCache(directory: path)
    try cache.store(body, for: "key")
    try Files.removeTree(path)
    #expect(throws: DiskCacheError.removed(path: path)) { try cache.store(body, for: "key") }
    try cache.store(body, for: "key")
    #expect(try cache.body(for: "key") == body)
    try Files.removeTree(path)
    #expect(throws: DiskCacheError.removed(path: path)) { try cache.body(for: "key") }
    #expect(try cache.body(for: "key") == nil)
    try Files.removeTree(path)
    #expect(throws: DiskCacheError.removed(path: path)) { try cache.body(for: "missing") }
    #expect(try cache.statistics.dropped == 0)
  }

  /// The old index still lists the body, and the new folder has a file of that name.
  @Test func aFolderReplacedWhileInUseIsReported() throws {
    let cache = try DiskCache(directory: path)
    try cache.store(large, for: "key")
    #expect(try cache.body(for: "key") == large)
    try Files.removeTree(path)
    let other = try DiskCache(directory: path)
    try other.store(large.map { $0 + 1 }, for: "key")
    #expect(throws: DiskCacheError.removed(path: path)) { try cache.body(for: "key") }
    #expect(try cache.body(for: "key") == large.map { $0 + 1 })
    #expect(try other.statistics.dropped == 0)
  }

  @Test func missingFoldersOfBodiesAreCreatedAgain() throws {
    let cache = try DiskCache(directory: path)
    try Files.removeTree("\(path)/bodies")
    try Files.removeTree("\(path)/incoming")
    try cache.store(large, for: "key")
    #expect(try cache.body(for: "key") == large)
  }

  @Test func aFolderThatCannotBeMadeIsReported() throws {
    let file = "\(directory.path)/file"
    try Files.create(file, [])
    let error = #expect(throws: DiskCacheError.self) { try DiskCache(directory: "\(file)/cache") }
    #expect(error.map { "\($0)" }?.contains("not a folder") == true)
  }

  @Test func aFolderThatMayNotBeWrittenIsReported() throws {
    // Permissions do not apply to root; no user can create folders in /proc or /sys.
    let error = #expect(throws: DiskCacheError.self) {
      try DiskCache(directory: "/proc/ikran-cache")
    }
    #expect(error.map { "\($0)" }?.contains("/proc/ikran-cache") == true)
  }

  @Test func aDamagedIndexIsReplacedOnceByConcurrentInstances() throws {
    for round in 0..<30 {
      let path = "\(directory.path)/found-\(round)"
      try Files.createDirectories(path)
      try Files.create("\(path)/index.sqlite", [UInt8](repeating: 7, count: 5000))
      let rebuilds = Guarded(0)
      onThreads(3) { worker in
        #expect(throws: Never.self) {
          let cache = try DiskCache(directory: path)
          try cache.store([UInt8](repeating: 1, count: 20_000), for: "\(worker)")
          let count = try cache.statistics.rebuilds
          rebuilds.withLock { $0 += count }
        }
      }
      #expect(rebuilds.withLock { $0 } == 1)
      #expect(try DiskCache(directory: path).statistics.count == 3)
    }
  }

  @Test func unfinishedBodiesOfOtherContainersStay() throws {
    let cache = try DiskCache(directory: path)
    let own = String(ProcessTable.namespace, radix: 16)
    let names = ["999999999-\(own)-1", "999999999-\(own)1-2", "\(ProcessTable.current)-\(own)-3"]
    for name in names { try Files.create("\(path)/incoming/\(name)", [1]) }
    #expect(try cache.verify().orphansRemoved == 1)
    #expect(try Files.list("\(path)/incoming") == names[1...].sorted())
  }
}
