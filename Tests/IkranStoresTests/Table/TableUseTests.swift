import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// How look-ups and pictures use a table's file: how long it stays open, and what they count.
@Suite(.timeLimit(.minutes(10))) struct TableUseTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  @Test func aReplacedFileIsClosedWithItsLastPicture() throws {
    let table = try folder.table()
    for id in 1...3 as ClosedRange<UInt64> { try table.put(id) }
    weak let old = table.file
    var held: [HeldPicture] = []
    for id in 1...3 as ClosedRange<UInt64> { held.append(try HeldPicture(table, id)) }
    // Retrieved again, a picture is found without a lock.
    for id in 1...3 as ClosedRange<UInt64> { held.append(try HeldPicture(table, id)) }
    try table.reset()
    while let last = held.popLast() {
      #expect(last.isUnchanged)
      #expect(old != nil)
    }
    #expect(old == nil)
  }

  @Test func aPictureKeepsTheFileOfAReleasedTableOpen() throws {
    var table: ImageTable? = try folder.table()
    try table?.put(1)
    _ = table?.get(1)
    weak let file = table?.file
    var held: HeldPicture? = try HeldPicture(try #require(table), 1)
    table = nil
    #expect(file != nil)
    #expect(held?.isUnchanged == true)
    held = nil
    #expect(file == nil)
  }

  /// Each file is used by a picture while others follow it.
  @Test func filesThatAreReplacedAgainAndAgainAreClosed() throws {
    final class Reference {
      weak let file: TableFile?
      init(_ file: TableFile) { self.file = file }
    }
    let table = try folder.table()
    var references: [Reference] = []
    var held: [HeldPicture] = []
    for round in 0..<40 as Range<UInt64> {
      try table.put(1, version: round)
      for _ in 0..<2 { held.append(try HeldPicture(table, 1)) }
      references.append(Reference(table.file))
      try table.compact()
      if held.count > 6 { held.removeFirst(2) }
      #expect(references.filter { $0.file != nil }.count <= 3)
    }
    #expect(held.allSatisfy { $0.isUnchanged })
    held = []
    #expect(references.allSatisfy { $0.file == nil })
  }

  @Test func hitsAndMissesOfReplacedFilesCount() throws {
    let table = try folder.table()
    for round in 1...10 {
      try table.put(1)
      let held = try HeldPicture(table, 1)
      for _ in 0..<4 { #expect(table.get(1) != nil) }
      for _ in 0..<3 { #expect(table.get(2) == nil) }
      try table.reset()
      #expect(held.isUnchanged)
      #expect(table.statistics.hits == round * 5)
      #expect(table.statistics.misses == round * 3)
    }
  }

  /// Threads that look up while another one replaces the file find its picture or nothing.
  @Test func lookUpsGoOnWhileTheFileIsReplaced() throws {
    let table = try folder.table()
    try table.put(1)
    let rounds = Rounds.fewer(400, atLeast: 60)
    onThreads(4) { number in
      for _ in 0..<rounds {
        if number == 0 {
          do { try table.compact() } catch { Issue.record("\(error)") }
        } else {
          for _ in 0..<20 where table.get(1).map({ TorturePicture.read($0)?.id == 1 }) == false {
            Issue.record("a wrong picture")
          }
        }
      }
    }
    let counts = table.statistics
    #expect(counts.hits + counts.misses >= 3 * 20 * rounds)
    #expect(table.version(1) == 1)
    #expect(try table.isClean())
    #expect(try table.entries().allSatisfy { !$0.isHeld })
  }

  // MARK: - The clock

  @Test func lookUpsInALargeTableChangeTheClockInSteps() throws {
    let table = try folder.table(maximumCount: 2000)
    try table.put(1)
    let clock = table.file.header.clock
    var changes = 0
    let before = clock.relaxed
    for _ in 0..<64 {
      let last = clock.relaxed
      #expect(table.get(1) != nil)
      #expect(!table.contains(TableID(id: 2)))
      if clock.relaxed != last { changes += 1 }
    }
    #expect(clock.relaxed == before + 64)
    #expect(changes == 8)
  }
}
