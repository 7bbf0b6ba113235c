import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// A held picture stays as it is, whatever happens to its entry and its table.
@Suite(.timeLimit(.minutes(10))) struct TableHoldTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  enum Change: CaseIterable {
    case replaced, drawnOver, removed, versionRemoved, evictedAround, reset, compacted, verified
    case resetElsewhere, compactedElsewhere, fileDeleted, reopened, otherLayout
  }

  private func make(_ change: Change, to table: ImageTable) throws {
    let id = TableID(id: 1)
    switch change {
    case .replaced: try table.put(1, version: 2)
    case .drawnOver:
      try table.put(id, version: TableID(version: 2)) { canvas in
        canvas.withMutableBytes { bytes in for index in bytes.indices { bytes[index] = 0xFF } }
      }
    case .removed: #expect(try table.remove(id))
    case .versionRemoved: #expect(try table.removeAll(version: TableID(version: 1)) == 1)
    case .evictedAround: for id in 10..<40 as Range<UInt64> { try table.put(id, version: 3) }
    case .reset: try table.reset()
    case .compacted: try table.compact()
    case .verified: #expect(try table.verify().dropped == 0)
    case .resetElsewhere: try folder.table(maximumCount: 4).reset()
    case .compactedElsewhere: try folder.table(maximumCount: 4).compact()
    case .fileDeleted: try Files.remove(table.path)
    case .reopened: try folder.table(maximumCount: 4).put(1, version: 4)
    case .otherLayout:
      let other = TableFormat("small", size: PixelSize(width: 80, height: 80))
      try ImageTable(at: folder.path, format: other).put(1)
      try Files.remove(table.path)
    }
  }

  @Test(arguments: Change.allCases)
  func aHeldPictureStaysAsItIs(change: Change) throws {
    let table = try folder.table(maximumCount: 4)
    try table.put(1, version: 1)
    try table.put(2, version: 5)
    let held = try HeldPicture(table, 1)
    try make(change, to: table)
    #expect(held.isUnchanged)
    // Every slot gets several new pictures.
    for id in 50..<150 as Range<UInt64> { try table.put(id, version: 9) }
    #expect(held.isUnchanged)
    #expect(table.version(149) == 9)
    #expect(try table.verify().dropped == 0)
  }

  @Test func everyVersionOfAnEntryMayBeHeldAtOnce() throws {
    let table = try folder.table(maximumCount: 2)
    var held: [HeldPicture] = []
    let count = Rounds.fewer(200, atLeast: 80)
    for version in 1...UInt64(count) {
      try table.put(1, version: version)
      held.append(try HeldPicture(table, 1))
    }
    #expect(held.map(\.name.version) == Array(1...UInt64(count)))
    #expect(held.allSatisfy { $0.isUnchanged })
    #expect(table.statistics.held == count - 1)
    #expect(table.statistics.count == 1)
    held.removeAll()
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    for id in 2..<30 as Range<UInt64> { try table.put(id) }
    #expect(table.statistics.held == 0)
    #expect(table.statistics.byteCount == 2 * table.slotByteCount)
  }

  @Test func aReleasedSlotIsUsedAgain() throws {
    let table = try folder.table(maximumCount: 8)
    for id in 0..<8 as Range<UInt64> { try table.put(id) }
    var sizes: [Int] = []
    for round in 1...UInt64(Rounds.fewer(200)) {
      var held = try (0..<8 as Range<UInt64>).map { try HeldPicture(table, $0) }
      for id in 0..<8 as Range<UInt64> { try table.put(id, version: round) }
      #expect(held.allSatisfy { $0.isUnchanged })
      held.removeAll()
      sizes.append(table.statistics.fileByteCount)
    }
    #expect(sizes.dropFirst(2).allSatisfy { $0 <= sizes[1] })
    #expect(table.statistics.byteCount <= 16 * table.slotByteCount)
  }

  @Test func slotsReleasedInAnyOrderAreUsedAgain() throws {
    let table = try folder.table(maximumCount: 50)
    var generator = SeededGenerator(seed: 12)
    var held: [HeldPicture] = []
    for round in 0..<UInt64(Rounds.fewer(3000)) {
      let id = UInt64.random(in: 0..<50, using: &generator)
      try table.put(id, version: round)
      if round % 3 == 0 { held.append(try HeldPicture(table, id)) }
      if held.count > 30 {
        let released = held.remove(at: Int.random(in: 0..<30, using: &generator))
        #expect(released.isUnchanged)
      }
    }
    // 50 entries, 30 held pictures, one being drawn, and a spare chunk: not 3000.
    #expect(table.statistics.fileByteCount < 300 * table.slotByteCount)
    #expect(held.allSatisfy { $0.isUnchanged })
  }

  @Test func aHeldPictureOfAResetTableDoesNotCount() throws {
    let table = try folder.table(maximumCount: 3)
    var held: [HeldPicture] = []
    for id in 0..<3 as Range<UInt64> {
      try table.put(id)
      held.append(try HeldPicture(table, id))
    }
    try table.reset()
    #expect(table.statistics.held == 0)
    for id in 10..<30 as Range<UInt64> { try table.put(id) }
    #expect(try table.ids == [29, 28, 27])
    #expect(held.allSatisfy { $0.isUnchanged })
  }

  @Test func copiesOfABitmapHoldItToo() throws {
    let table = try folder.table(maximumCount: 1)
    try table.put(1)
    var copy = table.get(1)
    do {
      let same = copy
      copy = same
    }
    let whole = try #require(copy).pixels
    for id in 2..<40 as Range<UInt64> { try table.put(id) }
    #expect(copy?.pixels == whole)
    copy = nil
    for id in 40..<60 as Range<UInt64> { try table.put(id) }
    #expect(try table.ids == [59])
  }

  /// The permissions of the mapping that an address is in, such as `r--s`.
  private func permissions(of address: UInt) throws -> Substring {
    let maps = String(decoding: try Files.read("/proc/self/maps"), as: UTF8.self)
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2, ends[0]..<ends[1] ~= address { return words[1] }
    }
    return ""
  }

  /// A stray write ends the process; it cannot change the file unnoticed.
  @Test func thePagesOfAPictureCannotBeWritten() throws {
    let table = try folder.table()
    try table.put(1)
    try table.put(TableID(id: 2), version: TableID(version: 1)) { canvas in
      TorturePicture.draw(id: 2, version: 1, on: &canvas)
    }
    for id in [1, 2] as [UInt64] {
      let image = try #require(table.get(id))
      let address = image.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      #expect(try permissions(of: address) == "r--s")
    }
  }
}
