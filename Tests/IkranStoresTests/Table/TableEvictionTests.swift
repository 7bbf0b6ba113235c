import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TableEvictionTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  @Test func theLeastRecentlyUsedPictureIsEvictedFirst() throws {
    let table = try folder.table(maximumCount: 3)
    for id in 1...3 { try table.put(UInt64(id)) }
    _ = table.get(1)
    try table.put(4)
    #expect(try table.ids == [4, 1, 3])
    try table.put(3, version: 2)
    try table.put(5)
    #expect(try table.ids == [5, 3, 4])
    #expect(table.statistics.evictions == 2)
  }

  @Test func theOrderOfUseOutlivesTheProcessAndTheInstance() throws {
    do {
      let table = try folder.table(maximumCount: 6)
      for id in 1...6 { try table.put(UInt64(id)) }
      for id in [2, 1, 5] as [UInt64] { #expect(table.version(id) == 1) }
    }
    let table = try folder.table(maximumCount: 6)
    #expect(try table.ids == [5, 1, 2, 6, 4, 3])
    for (new, leaving) in [(7, 3), (8, 4), (9, 6), (10, 2)] as [(UInt64, UInt64)] {
      try table.put(new)
      #expect(!table.contains(TableID(id: leaving)))
    }
    #expect(try table.ids == [10, 9, 8, 7, 5, 1])
  }

  @Test(arguments: [100, 1000, 2000])
  func theOrderIsExactAmongFewAndTheMoreRecentHalfStaysAmongMany(count: Int) throws {
    let table = try folder.table(maximumCount: count)
    var model = TableModel(maximumCount: count)
    var generator = SeededGenerator(seed: 9)
    for id in 0..<UInt64(count) {
      try table.put(id)
      model.put(id, version: 1)
    }
    for round in 0..<UInt64(Rounds.fewer(400)) {
      for _ in 0..<3 {
        let id = UInt64.random(in: 0..<UInt64(count), using: &generator)
        if table.get(id) != nil { _ = model.use(id) }
      }
      try table.put(10_000 + round)
      model.put(10_000 + round, version: 1)
      let recent = model.entries.prefix(count / 2 - 1).map(\.id)
      #expect(recent.allSatisfy { table.contains(TableID(id: $0)) })
    }
    if count == 100 { #expect(try table.ids == model.entries.map(\.id)) }
  }

  @Test func aTableOfOneEntryHoldsTheLast() throws {
    let table = try folder.table(maximumCount: 1)
    for id in 1...30 as ClosedRange<UInt64> {
      try table.put(id, version: id)
      #expect(table.version(id) == id)
      #expect(try table.ids == [id])
      try table.put(id, version: id + 1)
      #expect(table.version(id) == id + 1)
    }
    #expect(table.statistics.evictions == 29)
  }

  @Test(arguments: [(1, 1), (2, 1), (6, 3), (7, 3)])
  func bytesAreLimitedToo(halfSlots: Int, count: Int) throws {
    let table = try folder.table(maximumCount: 100, byteLimit: 4096 * halfSlots / 2)
    #expect(table.slotByteCount == 4096)
    for id in 1...20 as ClosedRange<UInt64> {
      try table.put(id)
      #expect(table.statistics.byteCount <= max(4096, 4096 * halfSlots / 2))
    }
    #expect(try table.ids == (0..<UInt64(count)).map { 20 - $0 })
  }

  @Test func theFileDoesNotGrowBeyondItsLimit() throws {
    let table = try folder.table(maximumCount: 10)
    for id in 0..<200 as Range<UInt64> { try table.put(id) }
    let size = table.statistics.fileByteCount
    let count = UInt64(Rounds.fewer(2000, atLeast: 600))
    for id in 200..<count { try table.put(id, version: id) }
    for version in 0..<count / 4 { try table.put(1999, version: version) }
    #expect(table.statistics.fileByteCount == size)
  }

  // MARK: - Other limits

  @Test func raisedLimitsKeepEntries() throws {
    do {
      let table = try folder.table(maximumCount: 5, byteLimit: 5 * 4096)
      for id in 1...5 as ClosedRange<UInt64> { try table.put(id, version: id) }
    }
    let table = try folder.table(maximumCount: 5000)
    #expect(table.format.maximumCount == 5000)
    for id in 6...600 as ClosedRange<UInt64> { try table.put(id, version: id) }
    #expect(try table.entries().count == 600)
    for id in 1...600 as ClosedRange<UInt64> { #expect(table.version(id) == id) }
    #expect(table.statistics.evictions == 0)
    #expect(try table.isClean())
  }

  @Test func loweredLimitsKeepTheMostRecentlyUsedEntries() throws {
    do {
      let table = try folder.table(maximumCount: 300)
      for id in 1...300 as ClosedRange<UInt64> { try table.put(id, version: id) }
    }
    let table = try folder.table(maximumCount: 4)
    for id in 297...300 as ClosedRange<UInt64> { #expect(table.version(id) == id) }
    try table.put(301, version: 301)
    #expect(try table.ids == [301, 300, 299, 298])
    // Their disk space is freed.
    #expect(table.statistics.fileByteCount < 200 * table.slotByteCount)
    #expect(try table.isClean())
  }

  @Test func loweredByteLimitsKeepTheMostRecentlyUsedEntries() throws {
    do {
      let table = try folder.table(maximumCount: 300)
      for id in 1...20 as ClosedRange<UInt64> { try table.put(id, version: id) }
    }
    let table = try folder.table(maximumCount: 300, byteLimit: 3 * 4096)
    try table.put(21)
    #expect(try table.ids == [21, 20, 19])
  }

  /// Many chunks of slots, and directories between them.
  @Test func aTableWithALargerDirectoryKeepsEveryPicture() throws {
    do { try folder.table(maximumCount: 2).put(0) }
    let most = UInt64(Rounds.fewer(3000, atLeast: 900))
    for limit in [500, most] {
      let table = try folder.table(maximumCount: Int(limit))
      for id in 0..<limit { try table.put(id, version: id + 1) }
      for id in stride(from: 0, to: limit, by: 3) { try table.remove(TableID(id: id)) }
      for id in stride(from: 0, to: limit, by: 3) { try table.put(id, version: id + 1) }
    }
    for round in 0..<2 {
      let table = try folder.table(maximumCount: Int(most))
      for id in 0..<most { #expect(table.version(id) == id + 1) }
      #expect(try table.isClean())
      if round == 0 { try table.compact() }
    }
  }

  // MARK: - Held pictures

  @Test func aHeldPictureIsNotEvicted() throws {
    let table = try folder.table(maximumCount: 3)
    for id in 1...3 as ClosedRange<UInt64> { try table.put(id) }
    var held: [HeldPicture] = [try HeldPicture(table, 1)]
    for id in 4...20 as ClosedRange<UInt64> { try table.put(id) }
    #expect(try table.ids == [20, 19, 1])
    held.append(try HeldPicture(table, 19))
    for id in 21...30 as ClosedRange<UInt64> { try table.put(id) }
    #expect(try table.ids == [30, 19, 1])
    #expect(held.allSatisfy { $0.isUnchanged })
    held.removeAll()
    try table.put(31)
    #expect(try table.ids == [31, 30, 19])
  }

  @Test func aTableOfHeldPicturesGrowsAndShrinks() throws {
    let table = try folder.table(maximumCount: 10)
    var held: [HeldPicture] = []
    let count = UInt64(Rounds.fewer(700, atLeast: 300))
    for id in 1...count {
      try table.put(id, version: id)
      held.append(try HeldPicture(table, id))
    }
    #expect(try table.entries().count == Int(count))
    #expect(held.allSatisfy { $0.isUnchanged })
    let grown = table.statistics.fileByteCount
    held.removeAll()
    for id in count + 1...count + 20 { try table.put(id, version: id) }
    #expect(try table.ids == (0..<10).map { count + 20 - $0 })
    #expect(table.statistics.byteCount == 10 * table.slotByteCount)
    #expect(table.statistics.fileByteCount < grown / 2)
    #expect(try table.isClean())
  }

  // MARK: - Cost

  /// FastImageCache wrote the metadata of every entry with each new picture.
  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer takes most of the time"))
  func aPutCostsTheSameInALargeTable() throws {
    let table = try folder.table(maximumCount: 6000)
    let image = try noise(table.format.size, .bgra, seed: 1)
    func time(_ ids: Range<UInt64>) throws -> Duration {
      try (0..<5).map { round in
        let start = threadTime()
        for id in ids {
          try table.put(TableID(id: id), version: TableID(version: UInt64(round)), image)
        }
        return threadTime() - start
      }.min() ?? .zero
    }
    let small = try time(0..<200)
    for id in 200..<6000 as Range<UInt64> {
      try table.put(TableID(id: id), version: TableID("1"), image)
    }
    let large = try time(5000..<5200)
    // With thirty times as many entries a put that reads them all would take thirty times as long.
    #expect(large < small * 8)
  }
}
