import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Several processes that use one table, and the state that dead ones leave.
@Suite(.timeLimit(.minutes(10))) struct TableProcessTests {
  private let folder: TableFolder
  private let table: ImageTable

  init() throws {
    folder = try TableFolder()
    table = try ImageTable(at: folder.path, format: TableTorture.format)
  }

  private func fill(_ ids: Range<UInt64>, version: UInt64 = 1) throws {
    for id in ids { try table.put(id, version: version) }
  }

  private func start(_ words: String...) throws -> ChildProcess {
    let child = try ChildProcess([words[0], folder.path] + words.dropFirst())
    try #require(child.waitForOutput(1))
    return child
  }

  private func finish(_ child: ChildProcess) {
    child.send(SIGUSR1)
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
  }

  // MARK: - Held pictures

  @Test func picturesHeldByAnotherProcessStayAsTheyAre() throws {
    try fill(0..<24)
    let child = try start("table-hold")
    #expect(try table.entries().allSatisfy { $0.isHeld })
    try fill(0..<24, version: 2)
    try fill(100..<160)
    #expect(try table.ids.count == 24)
    finish(child)
    try fill(200..<230)
    #expect(table.statistics.held == 0)
    #expect(table.statistics.byteCount == 24 * table.slotByteCount)
  }

  @Test func heldEntriesOfAnotherProcessAreNotEvicted() throws {
    try fill(0..<24)
    let child = try start("table-hold")
    try fill(100..<124)
    // New entries can only evict each other.
    #expect(Set(try table.ids) == Set(0..<24).union([123]))
    finish(child)
    try fill(200..<201)
    #expect(try table.ids.count == 24)
  }

  @Test(arguments: ["reset", "compact"])
  func aNewFileDoesNotChangePicturesThatAnotherProcessHolds(change: String) throws {
    try fill(0..<24)
    let child = try start("table-hold")
    try change == "reset" ? table.reset() : table.compact()
    try fill(100..<200)
    #expect(try table.ids.count == 24)
    finish(child)
  }

  @Test func picturesHeldByADeadProcessAreFree() throws {
    try fill(0..<24)
    let child = try start("table-hold")
    try fill(0..<24, version: 2)
    #expect(table.statistics.held == 24)
    child.kill()
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    let size = table.statistics.fileByteCount
    try fill(100..<300)
    #expect(try table.ids == (276..<300).reversed())
    #expect(table.statistics.held == 0)
    #expect(table.statistics.byteCount == 24 * table.slotByteCount)
    #expect(table.statistics.fileByteCount <= size)
  }

  /// To ask for each picture whether its holder lives would take fifty times as long.
  @Test(.enabled(if: !Sanitizer.watchesThreads, "ThreadSanitizer takes most of the time"))
  func puttingIsNotSlowerForOldPicturesThatAnotherProcessHolds() throws {
    var format = TableTorture.format
    format.maximumCount = 2000
    let image = try TorturePicture.make(id: 1, version: 1, format: format)
    func time(_ name: String, holding: Bool) throws -> Duration {
      let table = try ImageTable(at: "\(folder.path)/\(name)", format: format)
      for id in 0..<1000 as Range<UInt64> { try table.put(id) }
      let child = holding ? try ChildProcess(["table-hold", "\(folder.path)/\(name)"]) : nil
      if let child { try #require(child.waitForOutput(1)) }
      for id in 1000..<2100 as Range<UInt64> { try table.put(id) }
      let times = try (10_000..<10_101 as Range<UInt64>).map { id in
        let start = threadTime()
        try table.put(TableID(id: id), version: TableID(version: 1), image)
        return threadTime() - start
      }
      if holding { #expect(try table.entries().filter { $0.isHeld }.count == 1000) }
      child?.kill()
      return times.sorted()[50]
    }
    let alone = try time("alone", holding: false)
    let held = try time("held", holding: true)
    #expect(held < alone * 8, "\(alone) → \(held)")
  }

  /// More processes than a table has process numbers, one after the other.
  @Test func holdersMayDieAnyNumberOfTimes() throws {
    try fill(0..<24)
    for round in 0..<UInt64(Rounds.fewer(150, atLeast: 20, concurrent: true)) {
      let child = try start("table-hold")
      if round % 3 == 0 { try fill(0..<3, version: round) }
      child.kill()
    }
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    let child = try start("table-hold")
    finish(child)
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    try fill(100..<124)
    #expect(try table.ids == (100..<124).reversed())
    #expect(table.statistics.held == 0)
    #expect(table.statistics.byteCount == 24 * table.slotByteCount)
  }

  /// A new process gets the number of a dead one, but not its pins.
  @Test func aNewProcessDoesNotHoldWhatADeadOneHeld() throws {
    try fill(0..<24)
    for _ in 0..<Rounds.fewer(80, atLeast: 66, concurrent: true) { try start("table-hold").kill() }
    let child = try ChildProcess(["table-open", table.path])
    try #require(child.waitForOutput(1))
    let other = try ImageTable(at: folder.path, format: TableTorture.format)
    #expect(try other.entries().allSatisfy { !$0.isHeld })
    try fill(100..<124)
    #expect(try table.ids == (100..<124).reversed())
    child.kill()
  }

  @Test func moreProcessesThanATableAllowsAreRefused() throws {
    let path = "\(folder.path)/tooManyProcesses"
    do { try ImageTable(at: path, format: TableTorture.format).put(1) }
    var children: [ChildProcess] = []
    for _ in 0..<64 {
      let child = try ChildProcess(["table-hold", path])
      try #require(child.waitForOutput(1))
      children.append(child)
    }
    let error = TableError.tooManyProcesses(path: "\(path)/torture.table")
    #expect(throws: error) { try ImageTable(at: path, format: TableTorture.format) }
    #expect(throws: error) { try ImageTable(opening: "\(path)/torture.table") }
    children.removeLast().kill()
    let table = try ImageTable(at: path, format: TableTorture.format)
    #expect(table.version(1) == 1)
    try table.put(1, version: 2)
    #expect(table.version(1) == 2)
    for child in children { finish(child) }
    #expect(try table.isClean())
  }

  // MARK: - Forks

  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer has a thread of its own"))
  func forksOfAProcessUseATableWithoutFreeingItsPictures() throws {
    let end = try ChildProcess(["table-fork", "\(folder.path)/forks"]).finish()
    #expect(end.code == 0, "\(end.output)")
  }

  // MARK: - Drawings

  @Test func otherProcessesDoNotWaitForADrawing() throws {
    try fill(0..<24)
    let child = try start("table-draw", "5", "9")
    for id in 1..<24 as Range<UInt64> { #expect(table.version(id) == 1) }
    try fill(50..<60)
    try table.put(5, version: 3)
    #expect(table.version(5) == 3)
    #expect(try table.remove(TableID(id: 50)))
    #expect(try table.verify().dropped == 0)
    finish(child)
    #expect(table.version(5) == 9)
  }

  @Test func aProcessKilledWhileItDrawsLeavesTheOldPictureAndNoReservedSlot() throws {
    try fill(0..<24)
    for round in 0..<20 as Range<UInt64> {
      let child = try start("table-draw", "\(round)", "9")
      child.kill()
      #expect(table.version(round) == 1)
      try table.put(round, version: 1)
      #expect(try table.ids.count == 24)
    }
    try fill(100..<200)
    #expect(try table.ids == (176..<200).reversed())
    #expect(table.statistics.byteCount == 24 * table.slotByteCount)
    #expect(try table.isClean())
  }

  @Test func aDrawingOutlivesANewFile() throws {
    try fill(0..<10)
    let child = try start("table-draw", "5", "9")
    try table.compact()
    #expect(table.version(5) == 1)
    child.send(SIGUSR1)
    // `draw` may be called again, for the new file.
    _ = child.waitForOutput(1)
    finish(child)
    #expect(table.version(5) == 9)
    #expect(try table.isClean())
  }
}
