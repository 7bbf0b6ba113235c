import Glibc
import Support
import Testing

@testable import IkranStores

@Suite(.timeLimit(.minutes(10))) struct DiskCacheDirectoryTests {
  private let directory: TemporaryDirectory
  private let large = [UInt8](repeating: 5, count: 20_000)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  // MARK: - Namespaces

  private static let names = [
    "", ".", "..", "/", "../../etc", "a", "A", "a/b", "a%2fb", "%", "a\u{0}", "é", "e\u{301}",
    "bodies", "index.sqlite", String(repeating: "long", count: 100),
    String(repeating: "long", count: 100) + "x", String(repeating: "/", count: 41),
  ]

  @Test func aNewFolderIsMarkedForBackupsToLeaveOut() throws {
    let tag = path + "/CACHEDIR.TAG"
    _ = try DiskCache(directory: path)
    let text = String(decoding: try Files.read(tag), as: UTF8.self)
    #expect(text.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55"))
    // Its owner may want it in backups.
    try Files.remove(tag)
    try DiskCache(directory: path).store([1], for: "a")
    #expect(!Files.exists(tag))
  }

  @Test func aFolderThatHasOtherFilesIsNotMarked() throws {
    try Files.createDirectories(path)
    try Files.create(path + "/not ours", [1])
    _ = try DiskCache(directory: path)
    #expect(!Files.exists(path + "/CACHEDIR.TAG"))
  }

  @Test func aMovedCacheTakesItsMarkAlong() throws {
    let cache = try DiskCache(directory: path)
    try cache.move(to: path + "-moved")
    #expect(!Files.exists(path + "/CACHEDIR.TAG"))
    #expect(Files.exists(path + "-moved/CACHEDIR.TAG"))
  }

  @Test func namespacesShareNothing() throws {
    for (number, name) in Self.names.enumerated() {
      let cache = try DiskCache(directory: path, namespace: name)
      try cache.store([UInt8(number)], for: "key")
    }
    try DiskCache(directory: path).store([99], for: "key")
    for (number, name) in Self.names.enumerated() {
      let cache = try DiskCache(directory: path, namespace: name)
      #expect(try cache.body(for: "key") == [UInt8(number)], "\(name.prefix(20))")
      try cache.removeAll()
    }
    #expect(try DiskCache(directory: path).body(for: "key") == [99])
    #expect(try Files.list(directory.path) == ["cache"])
    #expect(try Files.list("\(path)/namespaces").count == Self.names.count)
  }

  @Test(arguments: names)
  func aNamespacesFolderHasASafeName(name: String) {
    let folder = DiskCache.folder(ofNamespace: name)
    #expect((1...120).contains(folder.utf8.count))
    #expect(!folder.contains { "/.\0".contains($0) })
  }

  // MARK: - Read-only folders

  private func bundle() throws -> String {
    let bundle = "\(directory.path)/bundle"
    let cache = try DiskCache(directory: bundle)
    try cache.store(large, extended: [1], for: "large")
    try cache.store([1, 2, 3], for: "small")
    return bundle
  }

  /// The files of a cache with its entries, and their bytes.
  private func content(_ folder: String) throws -> [String: [UInt8]] {
    var files = ["index": try Files.read("\(folder)/index.sqlite")]
    for part in try Files.list("\(folder)/bodies") {
      for name in try Files.list("\(folder)/bodies/\(part)") {
        files[name] = try Files.read("\(folder)/bodies/\(part)/\(name)")
      }
    }
    return files
  }

  @Test func aReadOnlyCacheIsQueriedAndNotChanged() throws {
    let bundle = try bundle()
    let before = try content(bundle)
    let options = DiskCacheOptions(readOnlyDirectories: ["\(directory.path)/none", bundle])
    do {
      let cache = try DiskCache(directory: path, options: options)
      #expect(try cache.entry(for: "large")?.body == large)
      #expect(try cache.entry(for: "large")?.extended == [1])
      #expect(try cache.body(for: "small") == [1, 2, 3])
      #expect(try cache.contains("small"))
      #expect(try cache.body(for: "other") == nil)
      #expect(try cache.statistics.count == 0)
      #expect(try cache.statistics.hits == 3)
      #expect(try !cache.extend([2], for: "small"))
      try cache.store([9], for: "small")
      #expect(try cache.body(for: "small") == [9])
      try cache.removeAll()
      #expect(try cache.body(for: "small") == [1, 2, 3])
    }
    #expect(try content(bundle) == before)
  }

  @Test func aTimeInTheFutureInAReadOnlyCacheCountsAsNow() throws {
    let bundle = try bundle()
    let options = DiskCacheOptions(readOnlyDirectories: [bundle])
    let cache = try DiskCache(directory: path, options: options) { 1234 }
    #expect(try cache.entry(for: "large")?.stored == 1234)
  }

  @Test func aDamagedBodyOfAReadOnlyCacheIsAMissAndStays() throws {
    let bundle = try bundle()
    let folder = try #require(Files.list("\(bundle)/bodies").first)
    let name = try #require(Files.list("\(bundle)/bodies/\(folder)").first)
    let file = "\(bundle)/bodies/\(folder)/\(name)"
    var bytes = try Files.read(file)
    bytes[777] ^= 1
    try Files.writeAtomically(bytes, to: file)
    let options = DiskCacheOptions(readOnlyDirectories: [bundle])
    let cache = try DiskCache(directory: path, options: options)
    #expect(try cache.body(for: "large") == nil)
    #expect(try cache.body(for: "small") == [1, 2, 3])
    #expect(Files.exists(file))
  }

  /// What no process may write: the index, and the folder, in which it would make a log.
  enum Protected: CaseIterable { case nothing, index, folder, both }

  /// The log of a cache that may still be written must not be ignored.
  @Test(arguments: Protected.allCases)
  func onlyAReadOnlyIndexIsReadWithoutItsLog(protected: Protected) throws {
    let bundle = try bundle()
    // Like a full disk: SQLite can neither create a log nor lock.
    let copy = "\(directory.path)/copy 100%?#"
    try Files.copyTree(bundle, to: copy)
    for name in ["index.sqlite-wal", "index.sqlite-shared"] {
      try Files.remove("\(copy)/\(name)")
      // A folder with the log's name cannot be opened as a log.
      try Files.createDirectories("\(copy)/\(name)")
    }
    let options = DiskCacheOptions(readOnlyDirectories: [copy])
    if [.index, .both].contains(protected) {
      #expect(chmod("\(copy)/index.sqlite", 0o444) == 0)
    }
    if [.folder, .both].contains(protected) { #expect(chmod(copy, 0o555) == 0) }
    let cache = try DiskCache(directory: path, options: options)
    #expect(try cache.body(for: "large") == (protected == .both ? large : nil))
    #expect(chmod(copy, 0o755) == 0)
  }

  // MARK: - Moving

  @Test func aMovedCacheWorksInItsNewFolder() throws {
    let cache = try DiskCache(directory: path)
    try Files.create("\(path)/not ours", [1])
    for number in 0..<50 { try cache.store(large + [UInt8(number)], for: "\(number)") }
    try cache.store([1], for: "small")
    let target = "\(directory.path)/deep/er/new"
    try cache.move(to: target)
    #expect(cache.directory == target)
    for number in 0..<50 { #expect(try cache.body(for: "\(number)")?.last == UInt8(number)) }
    try cache.store(large, for: "new")
    #expect(try cache.body(for: "new") == large)
    #expect(try Files.list(path) == ["not ours"])
    #expect(try cache.verify().checked == 52)
    #expect(try cache.statistics.dropped == 0)
    #expect(Files.permissions(target) == 0o700)
    #expect(try DiskCache(directory: target).statistics.count == 52)
  }

  @Test func aCacheIsNotMovedOntoAnother() throws {
    let other = "\(directory.path)/other"
    try DiskCache(directory: other).store([2], for: "key")
    let cache = try DiskCache(directory: path)
    try cache.store([1], for: "key")
    #expect(throws: DiskCacheError.occupied(path: other)) { try cache.move(to: other) }
    #expect(try cache.body(for: "key") == [1])
    try cache.move(to: path)
    #expect(try cache.body(for: "key") == [1])
  }

  @Test func aMoveThatFailsHalfwayIsUndone() throws {
    let cache = try DiskCache(directory: path)
    try cache.store(large, for: "key")
    let target = "\(directory.path)/new"
    try Files.createDirectories("\(target)/incoming/in the way")
    #expect(throws: DiskCacheError.self) { try cache.move(to: target) }
    #expect(cache.directory == path)
    #expect(try Files.list(target) == ["incoming"])
    #expect(try cache.body(for: "key") == large)
    #expect(try cache.statistics.dropped == 0)
  }

  /// A folder on tmpfs, which is another file system.
  private static let hasAnotherDisk = Files.isDirectory("/dev/shm") && Files.isWritable("/dev/shm")

  @Test(.enabled(if: hasAnotherDisk, "needs a /dev/shm that can be written"))
  func aMoveToAnotherDiskCopiesTheCache() throws {
    let memory = "/dev/shm/ikran-test-\(UInt64.random(in: 0 ... .max))"
    defer { try? Files.removeTree(memory) }
    let cache = try DiskCache(directory: path)
    for number in 0..<20 { try cache.store(large + [UInt8(number)], for: "\(number)") }
    try cache.move(to: memory)
    for number in 0..<20 { #expect(try cache.body(for: "\(number)")?.last == UInt8(number)) }
    #expect(try cache.verify().dropped == 0)
    #expect(!Files.exists("\(path)/index.sqlite") && !Files.exists("\(path)/bodies"))
    #expect(Files.permissions("\(memory)/index.sqlite") == 0o600)
  }

  @Test(.enabled(if: hasAnotherDisk, "needs a /dev/shm that can be written"))
  func filesThatAppearDuringACopyLoseNothing() throws {
    let memory = "/dev/shm/ikran-test-\(UInt64.random(in: 0 ... .max))"
    defer { try? Files.removeTree(memory) }
    let cache = try DiskCache(directory: path)
    for number in 0..<20 { try cache.store(large + [UInt8(number)], for: "\(number)") }
    // New files appear while these are removed, so the folder does not become empty.
    for number in 0..<1000 { try Files.create("\(path)/incoming/old-\(number)", [1]) }
    let (isMoving, count) = (Guarded(true), Rounds.fewer(20_000, concurrent: true))
    onThreads(2) { worker in
      #expect(throws: Never.self) {
        defer { isMoving.withLock { $0 = false } }
        if worker == 0 { try cache.move(to: memory) }
      }
      var number = 0
      while worker == 1 && (number < count || isMoving.withLock { $0 }) {
        number += 1
        try? Files.create("\(path)/incoming/new-\(number)", [1])
      }
    }
    #expect(cache.directory == memory)
    for number in 0..<20 { #expect(try cache.body(for: "\(number)")?.last == UInt8(number)) }
    #expect(try cache.statistics.dropped == 0)
    #expect(!Files.exists("\(path)/index.sqlite"))
  }

  @Test func otherThreadsReadAndWriteWhileItMoves() async throws {
    let cache = try DiskCache(directory: "\(path)-0")
    for number in 0..<20 { try cache.store(large + [UInt8(number)], for: "\(number)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          for step in 0..<200 {
            let number = (worker * 7 + step) % 20
            #expect(try cache.body(for: "\(number)") == self.large + [UInt8(number)])
            try cache.store(self.large + [UInt8(number)], for: "\(number)")
          }
        }
      }
      group.addTask {
        for round in 1...10 { try cache.move(to: "\(self.path)-\(round)") }
      }
      try await group.waitForAll()
    }
    #expect(try cache.statistics.dropped == 0)
    #expect(try cache.verify().checked == 20)
  }

  @Test func readsAndStoresSucceedWhileTheCacheMovesRepeatedly() throws {
    let cache = try DiskCache(directory: "\(path)-0")
    try cache.store(large, for: "read")
    let busy = Guarded(2)
    onThreads(3) { worker in
      #expect(throws: Never.self) {
        defer { busy.withLock { $0 -= worker > 0 ? 1 : 0 } }
        for _ in 0..<Rounds.fewer(150, concurrent: true) {
          if worker == 1 { try cache.store(large, for: "store") }
          if worker == 2 { #expect(try cache.body(for: "read") == large) }
        }
        // There and back again: the folder is the same, the number of moves is not.
        var round = 0
        while worker == 0 && busy.withLock({ $0 }) > 0 {
          round += 1
          try cache.move(to: "\(path)-\(round % 2)")
          sched_yield()
        }
      }
    }
    #expect(try cache.statistics.dropped == 0)
    #expect(try cache.body(for: "store") == large)
  }
}
