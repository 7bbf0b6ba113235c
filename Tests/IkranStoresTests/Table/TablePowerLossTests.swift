import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Files composed of pages of different moments, as a power loss leaves them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TablePowerLossTests {
  private let folder: TableFolder
  private static let format = TableHistory.format

  init() throws { folder = try TableFolder() }

  private func open(_ bytes: [UInt8]) throws -> ImageTable {
    try Files.removeTree("\(folder.path)/copy")
    try Files.createDirectories("\(folder.path)/copy")
    try Files.create(TableHistory.file("\(folder.path)/copy"), bytes)
    return try ImageTable(at: "\(folder.path)/copy", format: Self.format)
  }

  private func composeFiles(
    synchronizes: Bool,
    everyTenth: Bool = false,
    _ check: (ImageTable, TableHistory, String) throws -> Void
  ) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let histories = Rounds.fewer(50, atLeast: 5)
    var bytes: [UInt8] = []
    for history in 0..<histories {
      let made = try TableHistory(
        seed: .random(in: 0 ... .max, using: &generator),
        moments: 10,
        synchronizes: synchronizes
      )
      for round in 0..<Rounds.fewer(everyTenth ? 1000 : 10_000) / histories {
        try #require(!Task.isCancelled)
        made.compose(&bytes, using: &generator)
        let table = try open(bytes)
        try check(table, made, "history \(history), round \(round), seed \(seed)")
      }
    }
  }

  @Test func noCompositionOfPagesGivesAWrongPicture() throws {
    try composeFiles(synchronizes: false) { table, _, what in
      for id in Array(TableHistory.ids) + Array(TableHistory.manyIDs) {
        guard let image = table.get(id) else { continue }
        #expect(TorturePicture.read(image)?.id == id, "\(what)")
      }
      for entry in try table.entries() {
        let image = table.get(entry.id, version: entry.version)
        let name = TorturePicture.Name(id: entry.id.idNumber, version: entry.version.low)
        #expect(image.flatMap { TorturePicture.read($0) } == name, "\(what)")
      }
    }
  }

  @Test func noCompositionOfPagesLosesASlot() throws {
    try composeFiles(synchronizes: false) { table, _, what in
      for entry in try table.entries() { _ = table.get(entry.id) }
      let file = table.file
      let parts = file.header.directoryChunks
      let chunks = Int(file.header.chunkCount.value)
      #expect(parts.allSatisfy { $0.upperBound <= chunks }, "\(what)")
      file.forEachSlot { slot, record in
        let kind = TableRecord.State(bits: record.state.value).kind
        #expect(kind != .reserved && kind != .retired, "slot \(slot), \(what)")
        #expect(record.holders.value == 0, "slot \(slot), \(what)")
      }
      for id in 100..<170 as Range<UInt64> { try table.put(id) }
      #expect(try table.ids == (150..<170).reversed(), "\(what)")
      #expect(table.statistics.byteCount == 20 * 4096, "\(what)")
      // Every chunk that is no directory's has 64 slots, of which some may have no disk space.
      let kinds = kinds(table)
      let present = Set(parts.flatMap(Array.init)).count
      let later = Int(file.header.chunkCount.value)
      #expect(kinds.values.reduce(0, +) == (later - present) * 64, "\(what)")
      #expect(later == max(chunks, present + 1), "\(what)")
    }
  }

  /// Growth needs the numbers of chunks that a directory had which is gone.
  @Test func afterEveryCompositionATableGrowsWithoutLosingAnEntry() throws {
    try composeFiles(synchronizes: false, everyTenth: true) { opened, _, what in
      let path = opened.path
      let table = try ImageTable(opening: path)
      let larger = try ImageTable(
        at: "\(folder.path)/copy",
        format: .small("victim", maximumCount: 600)
      )
      for id in 2000..<2500 as Range<UInt64> { try larger.put(id) }
      let lost = (2000..<2500 as Range<UInt64>).filter { larger.version($0) == nil }
      #expect(lost == [], "\(what)")
      #expect(Set(try table.ids).isSuperset(of: 2000..<2500), "\(what)")
    }
  }

  // MARK: - Synchronized tables

  @Test func noCompositionOfPagesLosesADurablePicture() throws {
    try composeFiles(synchronizes: true) { table, history, what in
      for (id, version) in history.durable {
        // It, or one that replaced it since.
        let found = table.version(id) ?? 0
        #expect(found >= version, "id \(id), \(what)")
      }
    }
  }

  /// The bytes of a copy of a table: the file after a power loss that lost nothing.
  private func reopened(_ table: ImageTable) throws -> ImageTable {
    try open(try Files.read(table.path))
  }

  private func synchronizedTable() throws -> ImageTable {
    let table = try ImageTable(at: "\(folder.path)/original", format: Self.format)
    for id in 0..<5 as Range<UInt64> { try table.put(id, version: 1) }
    try table.synchronize()
    return table
  }

  private func kinds(_ table: ImageTable) -> [TableRecord.Kind: Int] {
    var kinds: [TableRecord.Kind: Int] = [:]
    table.file.forEachSlot { _, record in
      let kind = TableRecord.State(bits: record.state.value).kind
      if let kind { kinds[kind, default: 0] += 1 }
    }
    return kinds
  }

  @Test func theSlotOfAReplacedPictureWaitsForTheNextSynchronize() throws {
    let table = try synchronizedTable()
    try table.put(1, version: 2)
    try table.put(1, version: 3)
    #expect(kinds(table)[.superseded] == 2)
    #expect(try reopened(table).version(1) == 3)
    #expect(try kinds(reopened(table))[.superseded] == nil)
    try table.synchronize()
    #expect(kinds(table)[.superseded] == nil)
    #expect(kinds(table)[.published] == 5)
  }

  @Test func aTableThatIsNotSynchronizedReusesSlotsAtOnce() throws {
    let table = try ImageTable(at: "\(folder.path)/original", format: Self.format)
    for round in 0..<10 as Range<UInt64> { try table.put(1, version: round) }
    #expect(kinds(table)[.superseded] == nil)
  }

  @Test(arguments: [false, true], [false, true])
  func aRemovedPictureDoesNotComeBack(isSynchronized: Bool, isEvicted: Bool) throws {
    let table = try synchronizedTable()
    try table.put(1, version: 2)
    if isEvicted {
      for id in 100..<130 as Range<UInt64> { try table.put(id) }
    } else {
      let other = try ImageTable(opening: table.path)
      #expect(try other.remove(TableID(id: 1)))
    }
    if isSynchronized { try table.synchronize() }
    guard isSynchronized || !isEvicted else { return }
    #expect(try reopened(table).version(1) == nil)
  }

  @Test func replacingWithoutSynchronizingDoesNotGrowATableWithoutLimit() throws {
    let table = try synchronizedTable()
    for round in 2..<2000 as Range<UInt64> { try table.put(round % 5, version: round) }
    #expect(table.file.slotEnd <= 4 * 64)
    #expect(table.version(1999 % 5) == 1999)
    #expect(try table.isClean())
  }

  /// A power loss may undo the rename by which another file replaced this one.
  @Test func aReplacedFileThatHasItsNameAgainKeepsItsEntries() throws {
    let table = try synchronizedTable()
    var bytes = try Files.read(table.path)
    bytes[1024] = 1
    #expect(try open(bytes).ids.count == 5)
  }

  // MARK: - Sessions

  @Test func everySessionHasARandomNumber() throws {
    let table = try ImageTable(at: "\(folder.path)/first", format: Self.format)
    try table.put(1)
    let bytes = try Files.read(table.path)
    let sessions = try (0..<20).map { _ in try open(bytes).file.session }
    #expect(Set(sessions).count == 20)
    #expect(sessions.filter { $0 >> 32 != 0 }.count > 15)
    #expect(sessions.filter { $0 & 0xFFFF_FFFF != 0 }.count > 15)
  }
}
