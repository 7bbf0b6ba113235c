import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Many pictures that are put with one call.
@Suite(.timeLimit(.minutes(10))) struct TableBatchTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  private typealias Picture = (id: TableID, version: TableID, image: Bitmap)

  private func pictures(
    _ ids: some Sequence<UInt64>,
    version: UInt64 = 1,
    _ format: TableFormat = .small()
  ) throws -> [Picture] {
    try ids.map { id in
      let image = try TorturePicture.make(id: id, version: version, format: format)
      return (TableID(id: id), TableID(version: version), image)
    }
  }

  @Test(arguments: [0, 1, 2, 64, 65, 200] as [UInt64])
  func allPicturesOfABatchAreStored(count: UInt64) throws {
    let table = try folder.table(maximumCount: 1000)
    try table.put(pictures(0..<count))
    for id in 0..<count { #expect(table.version(id) == 1) }
    #expect(try table.ids.count == Int(count))
    #expect(try table.isClean())
  }

  @Test func theLaterOfTwoPicturesOfOneEntityStays() throws {
    let table = try folder.table()
    try table.put(pictures([1, 2, 1], version: 1) + pictures([2, 1], version: 2))
    #expect(table.version(1) == 2)
    #expect(table.version(2) == 2)
    #expect(try table.ids.count == 2)
    #expect(table.statistics.byteCount == 2 * table.slotByteCount)
    #expect(try table.isClean())
  }

  @Test(arguments: [1, 3, 16, 100])
  func aBatchLargerThanTheTableLeavesTheLast(limit: Int) throws {
    let table = try folder.table(maximumCount: limit)
    try table.put(pictures(0..<250))
    #expect(Set(try table.ids) == Set(UInt64(250 - limit)..<250))
    for id in UInt64(250 - limit)..<250 { #expect(table.version(id) == 1) }
    #expect(table.statistics.evictions == 250 - limit)
    #expect(try table.isClean())
  }

  @Test func aWrongSizeStoresNothing() throws {
    let table = try folder.table()
    var batch = try pictures(0..<3)
    batch[2].image = try noise(PixelSize(width: 3, height: 3), .bgra, seed: 1)
    #expect(throws: TableError.self) { try table.put(batch) }
    #expect(try table.ids == [])
    #expect(table.statistics.byteCount == 0)
  }

  @Test func heldPicturesStayWhenABatchReplacesThem() throws {
    let table = try folder.table(maximumCount: 8)
    try table.put(pictures(0..<8))
    let held = try (0..<8 as Range<UInt64>).map { try HeldPicture(table, $0) }
    for version in 2..<5 as Range<UInt64> { try table.put(pictures(0..<8, version: version)) }
    for picture in held { #expect(picture.isUnchanged) }
    for id in 0..<8 as Range<UInt64> { #expect(table.version(id) == 4) }
  }

  @Test func aBatchGoesToTheFileThatHasTheName() throws {
    let (table, other) = (try folder.table(), try folder.table())
    try table.put(1)
    try other.reset()
    try table.put(pictures(2..<5))
    #expect(Set(try other.ids) == [2, 3, 4])
    try Files.remove(table.path)
    table.forgetNameCheck()
    try table.put(pictures(5..<8))
    #expect(Set(try folder.table().ids) == [5, 6, 7])
  }

  @Test func batchesOfManyThreadsMeet() throws {
    let table = try folder.table(maximumCount: 400)
    let rounds = UInt64(Rounds.fewer(60, atLeast: 6, concurrent: true))
    onThreads(4) { thread in
      for round in 0..<rounds {
        do {
          let first = UInt64(thread) * 50
          try table.put(pictures(first..<first + 80, version: round))
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    for id in 0..<230 as Range<UInt64> { #expect(table.version(id) == rounds - 1) }
    #expect(try table.isClean())
  }
}
