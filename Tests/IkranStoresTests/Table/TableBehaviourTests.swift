import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TableBehaviourTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  @Test func aPutPictureIsReadBack() throws {
    let table = try folder.table()
    for id in 0..<50 { try table.put(UInt64(id), version: UInt64(id * 3)) }
    for id in 0..<50 { #expect(table.version(UInt64(id)) == UInt64(id * 3)) }
    #expect(table.get(50) == nil)
    let image = try #require(table.get(7))
    #expect(image.size == table.format.size)
    #expect(image.format == table.format.pixels)
    #expect(image.bytesPerRow == table.bytesPerRow)
    #expect(try table.isClean())
  }

  @Test func anUnknownIDIsAMiss() throws {
    let table = try folder.table()
    #expect(table.get(1) == nil)
    #expect(!table.contains(TableID(id: 1)))
    #expect(try !table.remove(TableID(id: 1)))
    #expect(try table.entries() == [])
  }

  @Test func anotherVersionIsAMiss() throws {
    let table = try folder.table()
    try table.put(1, version: 10)
    let id = TableID(id: 1)
    #expect(table.get(id, version: TableID(version: 10)) != nil)
    #expect(table.get(id, version: TableID(version: 11)) == nil)
    #expect(table.contains(id, version: TableID(version: 10)))
    #expect(!table.contains(id, version: TableID(version: 11)))
    #expect(table.contains(id))
    // A look-up of another version does not remove this one.
    #expect(table.version(1) == 10)
  }

  @Test func aNewVersionReplacesTheOldOne() throws {
    let table = try folder.table()
    for version in 1...20 {
      try table.put(1, version: UInt64(version))
      #expect(table.version(1) == UInt64(version))
    }
    #expect(table.get(TableID(id: 1), version: TableID(version: 19)) == nil)
    #expect(try table.entries().count == 1)
    #expect(table.statistics.count == 1)
    #expect(table.statistics.evictions == 0)
  }

  @Test func anEntryOfTheSameVersionIsReplacedToo() throws {
    let table = try folder.table()
    let (id, version) = (TableID("id"), TableID("version"))
    for seed in 1...3 {
      let image = try noise(table.format.size, .bgra, seed: UInt64(seed))
      try table.put(id, version: version, image)
      #expect(table.get(id)?.pixels == image.pixels)
    }
  }

  @Test func aRemovedEntryIsGone() throws {
    let table = try folder.table()
    for id in 1...9 { try table.put(UInt64(id)) }
    for id in [4, 9, 1] {
      #expect(try table.remove(TableID(id: UInt64(id))))
      #expect(table.get(UInt64(id)) == nil)
      #expect(try !table.remove(TableID(id: UInt64(id))))
    }
    #expect(try table.ids == [8, 7, 6, 5, 3, 2])
    try table.put(4, version: 2)
    #expect(table.version(4) == 2)
    #expect(try table.isClean())
  }

  @Test func allEntriesOfAVersionAreRemoved() throws {
    let table = try folder.table()
    for id in 0..<30 { try table.put(UInt64(id), version: UInt64(id % 3)) }
    #expect(try table.removeAll(version: TableID(version: 1)) == 10)
    #expect(try table.removeAll(version: TableID(version: 1)) == 0)
    for id in 0..<30 { #expect(table.version(UInt64(id)) == (id % 3 == 1 ? nil : UInt64(id % 3))) }
    #expect(try table.entries().count == 20)
  }

  @Test func entriesAreListedMostRecentlyUsedFirst() throws {
    let table = try folder.table()
    for id in 1...4 { try table.put(UInt64(id), version: UInt64(10 + id)) }
    var held = table.get(2)
    #expect(held != nil)
    let entries = try table.entries()
    #expect(entries.map(\.id) == [2, 4, 3, 1].map { TableID(id: $0) })
    #expect(entries.map(\.version) == [12, 14, 13, 11].map { TableID(version: $0) })
    #expect(entries.map(\.isHeld) == [true, false, false, false])
    #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.lastUse > $1.lastUse })
    held = nil
    #expect(try !table.entries().contains { $0.isHeld })
  }

  @Test func containsDoesNotCountAsAUse() throws {
    let table = try folder.table(maximumCount: 2)
    try table.put(1)
    try table.put(2)
    #expect(table.contains(TableID(id: 1), version: TableID(version: 1)))
    #expect(table.contains(TableID(id: 1)))
    _ = table.get(TableID(id: 1), version: TableID("another"))
    _ = try table.entries()
    _ = try table.verify()
    table.prefetch([TableID(id: 1)])
    try table.put(3)
    #expect(try table.ids == [3, 2])
    #expect(table.statistics.hits == 0)
    #expect(table.statistics.misses == 1)
  }

  @Test func aResetTableIsEmptyAndUsable() throws {
    let table = try folder.table()
    for id in 0..<50 { try table.put(UInt64(id)) }
    let before = table.statistics.fileByteCount
    try table.reset()
    #expect(try table.entries() == [])
    for id in 0..<50 { #expect(table.get(UInt64(id)) == nil) }
    #expect(table.statistics.count == 0)
    #expect(table.statistics.byteCount == 0)
    #expect(table.statistics.fileByteCount < before)
    try table.put(3, version: 9)
    #expect(table.version(3) == 9)
    #expect(try folder.table().ids == [3])
    #expect(try folder.names == ["small.table"])
  }

  @Test func aCompactedTableKeepsEntriesAndOrderInFewerBytes() throws {
    let count = Rounds.fewer(2000, atLeast: 500)
    let table = try folder.table(maximumCount: 2000)
    for id in 0..<count { try table.put(UInt64(id)) }
    for id in 0..<count where id % 50 != 0 { try table.remove(TableID(id: UInt64(id))) }
    _ = table.get(100)
    let (order, before) = (try table.ids, table.statistics.fileByteCount)
    try table.compact()
    #expect(try table.ids == order)
    #expect(order.count == count / 50)
    #expect(table.statistics.fileByteCount < before)
    #expect(table.statistics.fileByteCount < count * table.slotByteCount / 2)
    for id in order { #expect(table.version(id) == 1) }
    #expect(try folder.table(maximumCount: 2000).entries().count == count / 50)
    #expect(try folder.names == ["small.table"])
    #expect(try table.isClean())
  }

  @Test func statisticsCountHitsMissesAndEvictions() throws {
    let table = try folder.table(maximumCount: 3)
    for id in 1...5 { try table.put(UInt64(id)) }
    for id in 1...5 { _ = table.get(UInt64(id)) }
    _ = table.get(TableID(id: 5), version: TableID("other"))
    var held = table.get(5)
    #expect(held != nil)
    try table.put(5, version: 2)
    var statistics = table.statistics
    #expect((statistics.hits, statistics.misses, statistics.evictions) == (4, 3, 2))
    #expect(statistics.count == 3)
    #expect(statistics.held == 1)
    #expect(statistics.byteCount >= 3 * table.slotByteCount)
    #expect(statistics.fileByteCount >= statistics.byteCount)
    held = nil
    // The slot is found when the next one is needed.
    for version in 3...100 as ClosedRange<UInt64> { try table.put(4, version: version) }
    statistics = table.statistics
    #expect(statistics.held == 0)
    try table.remove(TableID(id: 5))
    #expect(table.statistics.count == 2)
    #expect(table.statistics.byteCount == 2 * table.slotByteCount)
  }

  @Test func prefetchAcceptsKnownAndUnknownIDs() throws {
    let table = try folder.table()
    table.prefetch([TableID(id: 1)])
    for id in 0..<20 { try table.put(UInt64(id)) }
    table.prefetch([])
    table.prefetch((0..<1000).map { TableID(id: $0) })
    table.prefetch([TableID(id: 3), TableID(id: 3)])
    for id in 0..<20 { #expect(table.version(UInt64(id)) == 1) }
    #expect(table.statistics.misses == 0)
  }

  @Test func synchronizingKeepsEverything() throws {
    let table = try folder.table()
    try table.synchronize()
    for id in 0..<20 {
      try table.put(UInt64(id))
      if id % 5 == 0 { try table.synchronize() }
    }
    try table.synchronize()
    #expect(try folder.table().entries().count == 20)
  }

  // MARK: - Ownership of the memory

  @Test func aPictureOutlivesItsTableAndItsFolder() throws {
    var table: ImageTable? = try folder.table()
    try table?.put(1)
    let held = try HeldPicture(try #require(table), 1)
    table = nil
    #expect(held.isUnchanged)
    try Files.removeTree(folder.path)
    #expect(held.isUnchanged)
  }

  @Test func aPictureOfTheTableCanBePutIntoIt() throws {
    let table = try folder.table(maximumCount: 2)
    let image = try noise(table.format.size, .bgra, seed: 5)
    try table.put(TableID("a"), version: TableID("1"), image)
    for version in 2...5 {
      let own = try #require(table.get(TableID("a")))
      try table.put(TableID("a"), version: TableID("\(version)"), own)
      try table.put(TableID("b"), version: TableID("\(version)"), own)
      #expect(table.get(TableID("a"))?.pixels == image.pixels)
      #expect(table.get(TableID("b"))?.pixels == image.pixels)
    }
  }

  @Test func aTwiceHeldPictureIsHeldUntilBothAreGone() throws {
    let table = try folder.table(maximumCount: 1)
    try table.put(1)
    var first: HeldPicture? = try HeldPicture(table, 1)
    let second = try HeldPicture(table, 1)
    #expect(first?.isUnchanged == true)
    first = nil
    for id in 2..<20 { try table.put(UInt64(id)) }
    #expect(second.isUnchanged)
    #expect(table.version(1) == 1)
  }
}
