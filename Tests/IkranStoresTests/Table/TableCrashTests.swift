import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Processes killed in the middle of their work.
@Suite(.timeLimit(.minutes(10))) struct TableCrashTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  private var table: ImageTable {
    get throws { try ImageTable(at: folder.path, format: TableTorture.format) }
  }

  /// How often a test kills a process; fewer under a sanitizer, which takes ten times as long.
  private static func kills(_ count: Int) -> Int { Rounds.fewer(count, concurrent: true) }

  /// Whether a table has the result of the operations, with the last one done, not done or half
  /// done.
  private func isPossible(
    _ found: TableModel,
    _ before: TableModel,
    _ operations: inout TableOperations,
    done: Int
  ) -> Bool {
    var model = before
    for _ in 0..<done { model.apply(operations.next()) }
    if found == model { return true }
    let last = operations.next()
    var after = model
    let evicted = after.apply(last)
    if found == after { return true }
    // It died half-way: some of the entries to evict are gone.
    if case .removeAll(let version) = last {
      let rest = found.entries.filter { $0.version != version }
      return rest == after.entries && found.entries.allSatisfy(model.entries.contains)
    }
    return (0...evicted.count).contains { found.entries == model.without(evicted.prefix($0)) }
  }

  /// No process, or a surviving one, has the table open while another one is killed.
  ///
  /// Four at a time, 100 kills each.
  @Test(arguments: [false, true], [1, 2])
  func aKilledWriterLeavesExactlyWhatItPut(staying: Bool, half: Int) throws {
    let seed = UInt64.random(in: 0..<1 << 20)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var kept = staying ? try table : nil
    var (pictures, operationsDone) = (0, 0)
    for round in 0..<Self.kills(100) {
      try #require(!Task.isCancelled, "after \(round) kills")
      let before = try TableModel(of: kept ?? table, maximumCount: 24)
      let seed = UInt64.random(in: 0..<1 << 31, using: &generator)
      let child = try ChildProcess(["table-write", folder.path, "\(seed)", "1000000"])
      // Some processes are killed before they have opened the table.
      let count = Int.random(in: 0...40, using: &generator)
      #expect(child.waitForOutput(count))
      usleep(UInt32.random(in: 0...3000, using: &generator))
      #expect(child.kill(), "\(child.rest().suffix(200))")
      let done = count + child.rest().utf8.count
      operationsDone += done

      let table = try kept ?? self.table
      var operations = TableOperations(seed: seed, ids: TableTorture.ids)
      let found = try TableModel(of: table, maximumCount: 24)
      let isPossible = isPossible(found, before, &operations, done: done)
      #expect(
        isPossible,
        "round \(round), \(done) operations, seed \(seed): \(before.entries) → \(found.entries)"
      )
      for entry in found.entries.reversed() {
        let image = table.get(TableID(id: entry.id), version: TableID(version: entry.version))
        #expect(image.flatMap { TorturePicture.read($0) } == entry)
        pictures += 1
      }
      let report = try table.verify()
      #expect(report.checked == found.entries.count)
      #expect(report.dropped == 0)
      #expect(!report.directoryWasRebuilt)
      if staying, round % 30 == 29 { kept = try self.table }
    }
    #expect(pictures > Self.kills(100))
    #expect(operationsDone > Self.kills(100))
    let statistics = try table.statistics
    #expect(statistics.byteCount <= 25 * (try table.slotByteCount))
    #expect(statistics.fileByteCount < 400 * (try table.slotByteCount))
  }

  /// One of three processes is killed repeatedly; the others read, write and hold pictures, and
  /// check every one.
  @Test func aKilledProcessDoesNotAffectOthers() throws {
    let seed = UInt64.random(in: 0..<1 << 20)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let path = "\(folder.path)/shared"
    func start() throws -> ChildProcess {
      let seed = UInt64.random(in: 0..<1 << 31, using: &generator)
      return try ChildProcess(["table-share", path, "\(seed)"])
    }
    let survivors = [try start(), try start()]
    for child in survivors { #expect(child.waitForOutput(1)) }
    let table = try ImageTable(at: path, format: TableTorture.format)
    var pictures = 0
    for round in 0..<Self.kills(100) {
      try #require(!Task.isCancelled, "after \(round) kills")
      let victim = try start()
      #expect(victim.waitForOutput(round % 10 == 0 ? 0 : 1))
      usleep(UInt32.random(in: 0...4000, using: &generator))
      #expect(victim.kill(), "\(victim.rest().suffix(200))")
      for id in 0..<TableTorture.ids {
        guard let name = table.name(id) else { continue }
        #expect(name.id == id)
        pictures += 1
      }
    }
    try Files.create("\(path).stop", [])
    for child in survivors {
      let end = child.finish()
      #expect(end.code == 0, "\(end.output.suffix(200))")
    }
    #expect(pictures > 0)
    let report = try table.verify()
    #expect(report.dropped == 0)
    #expect(!report.directoryWasRebuilt)
    // No picture is held any more.
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    for id in 0..<50 as Range<UInt64> { try table.put(id, version: 1) }
    #expect(try table.ids.count == 24)
    #expect(table.statistics.held == 0)
    #expect(table.statistics.byteCount == 24 * table.slotByteCount)
  }

  @Test func temporaryFilesOfAKilledProcessAreRemovedLater() throws {
    let leftover = "\(folder.path)/torture.table.0123456789abcdef.new"
    let table = try table
    try table.put(1)
    try Files.create(leftover, [UInt8](repeating: 7, count: 5000))
    try table.reset()
    // It may belong to a process that is still writing it.
    #expect(Files.exists(leftover))
    let hourAgo = timespec(tv_sec: time(nil) - 3600, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, leftover, [hourAgo, hourAgo], 0) == 0)
    try table.reset()
    #expect(try folder.names == ["torture.table"])
  }
}
