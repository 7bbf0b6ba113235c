import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Damaged files: no crash and no wrong picture.
@Suite(.timeLimit(.minutes(10))) struct TableDamageTests {
  private let damaged: DamagedTable
  private let all = Set(DamagedTable.ids)

  init() throws { damaged = try DamagedTable() }

  @Test func aWholeCopyKeepsEverything() throws {
    #expect(try damaged.survivors(of: damaged.bytes) == all)
  }

  @Test func aCopyOfATableInUseKeepsEverything() throws {
    let table = try ImageTable(at: damaged.folder.path, format: DamagedTable.format)
    for id in DamagedTable.ids { try table.put(id, version: id * 3) }
    let held = try HeldPicture(table, 3)
    #expect(try damaged.survivors(of: Files.read(table.path)) == all)
    #expect(held.isUnchanged)
  }

  // MARK: - Pages

  @Test func aZeroedPageLosesOnlyItsEntries() throws {
    let pages = damaged.bytes.count / 4096
    for page in 0..<pages where Rounds.areAll || page % 7 < 2 {
      var bytes = damaged.bytes
      for offset in page * 4096..<(page + 1) * 4096 { bytes[offset] = 0 }
      let found = try damaged.survivors(of: bytes, "page \(page) zeroed")
      switch page * 4096 {
      case 0, DamagedTable.records:
        #expect(found == [], "page \(page)")
      case DamagedTable.records + 4096..<DamagedTable.records + 21 * 4096:
        let id = UInt64(page - DamagedTable.records / 4096 - 1)
        #expect(found == all.subtracting([id]), "page \(page)")
      default:
        // The directory is rebuilt from the records; the other pages have no entries.
        #expect(found == all, "page \(page)")
      }
    }
  }

  enum Filling: CaseIterable { case zeros, noise, ones, otherPage, otherPageOfAnotherTable }

  @Test(arguments: Filling.allCases)
  func randomPagesNeverGiveAWrongPicture(filling: Filling) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let pages = damaged.bytes.count / 4096
    // The pages that are not empty.
    let used = (0..<pages).filter { page in
      damaged.bytes[page * 4096..<(page + 1) * 4096].contains { $0 != 0 }
    }
    let other = try DamagedTable().bytes
    for round in 0..<Rounds.fewer(150) {
      var bytes = damaged.bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        // The header's page only sometimes: without it few things can go wrong.
        var page = used.randomElement(using: &generator) ?? 1
        if page == 0, round % 4 != 0 { page = 1 }
        let source = used.randomElement(using: &generator) ?? 0
        for offset in 0..<4096 {
          bytes[page * 4096 + offset] =
            switch filling {
            case .zeros: 0
            case .ones: 0xFF
            case .noise: UInt8.random(in: 0...255, using: &generator)
            case .otherPage: damaged.bytes[source * 4096 + offset]
            case .otherPageOfAnotherTable: other[source * 4096 + offset]
            }
        }
      }
      // A file that is no table is not opened, so nothing more can be tested.
      guard bytes.starts(with: Array("IKRTABLE".utf8)) || bytes[..<512].allSatisfy({ $0 == 0 })
      else { continue }
      try damaged.survivors(of: bytes, "round \(round), \(filling), seed \(seed)")
    }
  }

  @Test func twoSwappedPicturesAreBothRemoved() throws {
    var bytes = damaged.bytes
    let (one, two) = (DamagedTable.records + 4096 * 5, DamagedTable.records + 4096 * 9)
    for offset in 0..<4096 { bytes.swapAt(one + offset, two + offset) }
    #expect(try damaged.survivors(of: bytes) == all.subtracting([4, 8]))
  }

  @Test func twoSwappedRecordsAreBothRemoved() throws {
    var bytes = damaged.bytes
    for offset in 0..<64 {
      bytes.swapAt(DamagedTable.records + 64 * 4 + offset, DamagedTable.records + 64 * 8 + offset)
    }
    #expect(try damaged.survivors(of: bytes) == all.subtracting([4, 8]))
  }

  @Test func aDuplicatedRecordLosesAtMostItsEntry() throws {
    var bytes = damaged.bytes
    for offset in 0..<64 {
      bytes[DamagedTable.records + 64 * 30 + offset] =
        damaged.bytes[DamagedTable.records + 64 * 4 + offset]
    }
    #expect(try damaged.survivors(of: bytes).isSuperset(of: all.subtracting([4])))
  }

  // MARK: - Bits

  @Test func aFlippedBitOfAPictureLosesThatPicture() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let id = UInt64.random(in: DamagedTable.ids, using: &generator)
      var bytes = damaged.bytes
      // 320 bytes of rows, padding included.
      let offset = Int.random(in: 0..<320, using: &generator)
      let bit = UInt8.random(in: 0...7, using: &generator)
      bytes[DamagedTable.records + 4096 * (1 + Int(id)) + offset] ^= 1 << bit
      let found = try damaged.survivors(of: bytes, "round \(round)")
      #expect(found == all.subtracting([id]), "byte \(offset) of picture \(id)")
    }
  }

  @Test func verifyFindsEveryDamagedPicture() throws {
    var bytes = damaged.bytes
    for id in [2, 3, 17] { bytes[DamagedTable.records + 4096 * (1 + id) + 300] ^= 0x10 }
    try damaged.write(bytes)
    let table = try ImageTable(opening: damaged.file)
    let report = try table.verify()
    #expect(report.checked == 20)
    #expect(report.dropped == 3)
    #expect(try table.verify().checked == 17)
    #expect(Set(try table.ids) == all.subtracting([2, 3, 17]))
  }

  @Test func flippedBitsOfTheFirst512BytesGiveAnErrorOrAnEmptyTable() throws {
    // The checksum covers the rest, which is zero, as it covers the first 80 bytes.
    let bits = Array(0..<80 * 8) + Array(stride(from: 80 * 8, to: 512 * 8, by: 29))
    for bit in bits where bit % (Rounds.areFew ? 37 : 3) == 0 {
      var bytes = damaged.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try damaged.write(bytes)
      #expect(throws: TableError.self, "bit \(bit)") { try ImageTable(opening: damaged.file) }
      #expect(try Files.read(damaged.file) == bytes, "bit \(bit)")
      // Without its magic bytes it is no table.
      guard bit >= 64 else {
        #expect(throws: TableError.notATable(path: damaged.file)) {
          try ImageTable(at: "\(damaged.folder.path)/copy", format: DamagedTable.format)
        }
        continue
      }
      #expect(try damaged.useFile("bit \(bit)") == [], "bit \(bit)")
    }
  }

  @Test func flippedBitsOfTheWordsThatChangeNeverGiveAWrongPicture() throws {
    for word in stride(from: 512, to: 4096, by: Rounds.areFew ? 56 : 8)
    where word < 2048 || word % 256 == 0 {
      for bit in Rounds.areFew ? [0, 12, 40] : [0, 1, 7, 12, 31, 32, 40, 63] {
        var bytes = damaged.bytes
        bytes[word + bit / 8] ^= 1 << UInt8(bit % 8)
        let found = try damaged.survivors(of: bytes, "bit \(bit) of word \(word)")
        // Only the number of chunks and the list of directories are needed to find the pictures.
        if word < 1024 { #expect(found == all, "bit \(bit) of word \(word)") }
      }
    }
  }

  /// With another id it may replace that entry before its picture is found to be damaged.
  @Test func flippedBitsOfARecordLoseThatEntryAndAtMostOneMore() throws {
    for bit in stride(from: 0, to: 512, by: Rounds.areFew ? 11 : 1) {
      var bytes = damaged.bytes
      bytes[DamagedTable.records + 64 * 7 + bit / 8] ^= 1 << UInt8(bit % 8)
      let found = try damaged.survivors(of: bytes, "bit \(bit)")
      let isInAnID = 128..<256 ~= bit
      #expect(all.subtracting(found).subtracting([7]).count <= (isInAnID ? 1 : 0), "bit \(bit)")
    }
  }

  @Test func flippedBitsOfTheDirectoryLoseNothing() throws {
    let used = (4096..<DamagedTable.records).filter { damaged.bytes[$0] != 0 }
    for offset in used where Rounds.areAll || offset % 3 == 0 {
      for bit in Rounds.areFew ? [3] : [0, 3, 7] as [UInt8] {
        var bytes = damaged.bytes
        bytes[offset] ^= 1 << bit
        let found = try damaged.survivors(of: bytes, "bit \(bit) of byte \(offset)")
        #expect(found == all, "bit \(bit) of byte \(offset)")
      }
    }
  }

  // MARK: - Length

  @Test func aTableTruncatedAtEvery512thByteIsRefusedOrLosesEntries() throws {
    let step = Rounds.areFew ? 512 * 13 : 512
    for count in stride(from: 0, to: damaged.bytes.count, by: step) {
      let bytes = Array(damaged.bytes[..<count])
      try damaged.write(bytes)
      try damaged.openFile("\(count) bytes")
      try damaged.survivors(of: bytes, "\(count) bytes")
    }
  }

  @Test(arguments: [1, 511, 4096, 5000, 300_000])
  func aTableWithBytesAfterItsEndKeepsEverything(count: Int) throws {
    let bytes = damaged.bytes + [UInt8](repeating: 0xA5, count: count)
    #expect(try damaged.survivors(of: bytes) == all)
    // Enough new pictures that the table grows over them.
    let table = try ImageTable(
      at: "\(damaged.folder.path)/copy",
      format: .small("victim", maximumCount: 400)
    )
    for id in 0..<300 as Range<UInt64> { try table.put(id, version: id) }
    for id in 0..<300 as Range<UInt64> { #expect(table.version(id) == id) }
  }

  // MARK: - In place

  @Test func aByteChangedInTheFileItselfIsNoticed() throws {
    try damaged.write(damaged.bytes)
    #expect(try ImageTable(opening: damaged.file).entries().count == 20)
    let offset = DamagedTable.records + 4096 * 4 + 100
    try damaged.overwrite([damaged.bytes[offset] ^ 1], at: offset)
    #expect(try damaged.useFile() == all.subtracting([3]))
  }

  /// A disk error does not change the time of the last change: the file looks cleanly closed.
  @Test(
    arguments: [1, 0] as [UInt64],
    [1 << 15 | 9, 1 << 23 | 9, 66 << 8 | 26, .max, 0] as [UInt64]
  )
  func aWrongDirectoryOffsetAfterACleanShutdownLosesNothing(
    isClosed: UInt64,
    directory: UInt64
  ) throws {
    try damaged.write(damaged.bytes)
    _ = try ImageTable(opening: damaged.file).entries()
    try damaged.overwriteUnnoticed([(1040, directory), (1408, isClosed)])
    #expect(try damaged.useFile() == all)
  }

  /// Another program overwrites the file while it is in use: offsets and counts.
  @Test(
    arguments: [1040, 1056, 1296, 1328, 1536],
    [0, 1, 1 << 15 | 9, 66 << 8 | 26, 1 << 20, 1 << 40, 1 << 62, 1 << 63, .max] as [UInt64]
  )
  func aWordChangedInAnOpenTableLosesAtMostEntries(offset: Int, value: UInt64) throws {
    try damaged.write(damaged.bytes)
    let table = try ImageTable(opening: damaged.file)
    try damaged.overwriteUnnoticed([(offset, value)])
    for id in 0..<25 as Range<UInt64> { _ = table.get(id) }
    table.prefetch(DamagedTable.ids.map { TableID(id: $0) })
    let statistics = table.statistics
    // There is room for two chunks.
    #expect((0...128).contains(statistics.count))
    #expect((0...128 * 4096).contains(statistics.byteCount))
    _ = try? table.entries()
    for id in 100..<180 as Range<UInt64> { try? table.put(id, version: 1) }
    _ = try? table.verify()
    _ = try? table.removeAll(version: TableID(version: 3))
    try? table.compact()
    try table.reset()
    try table.put(7, version: 1)
    #expect(table.version(7) == 1)
  }

  /// A process is killed, and then another program overwrites the file.
  @Test func pagesDamagedAfterAKillNeverGiveAWrongPicture() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(60, concurrent: true) {
      try damaged.write(damaged.bytes)
      let child = try ChildProcess(["table-open", damaged.file])
      #expect(child.waitForOutput(1))
      child.kill()
      let pages = [0, 1, DamagedTable.records / 4096, DamagedTable.records / 4096 + 3]
      let page = pages.randomElement(using: &generator) ?? 0
      let start = page == 0 ? 1024 : 0
      let noise = (start..<4096).map { _ in
        round % 2 == 0 ? 0 : UInt8.random(in: 0...255, using: &generator)
      }
      try damaged.overwrite(noise, at: page * 4096 + start)
      _ = try damaged.useFile("round \(round), page \(page)")
    }
  }
}
