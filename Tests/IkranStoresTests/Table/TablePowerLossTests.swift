import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Files composed of pages of different moments, as a power loss leaves them.
@Suite(.timeLimit(.minutes(10))) struct TablePowerLossTests {
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
    _ check: (ImageTable, TableHistory, String) throws -> Void
  ) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let histories = Rounds.fewer(50, atLeast: 5)
    for history in 0..<histories {
      let made = try TableHistory(
        seed: .random(in: 0 ... .max, using: &generator),
        moments: 10,
        synchronizes: synchronizes
      )
      for round in 0..<Rounds.fewer(10_000) / histories {
        try #require(!Task.isCancelled)
        let table = try open(made.composed(using: &generator))
        try check(table, made, "history \(history), round \(round), seed \(seed)")
      }
    }
  }

  @Test func noCompositionOfPagesGivesAWrongPicture() throws {
    try composeFiles(synchronizes: false) { table, _, what in
      for id in TableHistory.ids {
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
      for id in TableHistory.ids { _ = table.get(id) }
      let (file, parts) = (
        table.file, table.file.header.directoryChunks.reduce(0) { $0 + $1.count }
      )
      let chunks = Int(file.header.chunkCount.value)
      file.forEachSlot { slot, record in
        let kind = TableRecord.State(bits: record.state.value).kind
        #expect(kind != .reserved && kind != .retired, "slot \(slot), \(what)")
        #expect(record.holders.value == 0, "slot \(slot), \(what)")
      }
      for id in 100..<170 as Range<UInt64> { try table.put(id) }
      #expect(try table.ids == (150..<170).reversed(), "\(what)")
      #expect(table.statistics.byteCount == 20 * 4096, "\(what)")
      #expect(Int(file.header.chunkCount.value) == max(chunks, parts + 1), "\(what)")
    }
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
