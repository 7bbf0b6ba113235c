import Glibc
import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Tables that grow beyond a process's mapping.
@Suite(.timeLimit(.minutes(10))) struct TableGrowthTests {
  private let folder: TableFolder

  init() throws {
    folder = try TableFolder()
    // A small limit makes a small directory, so a larger one follows after many pictures.
    var format = TableTorture.grownFormat
    format.maximumCount = 100
    _ = try ImageTable(at: folder.path, format: format)
  }

  /// Starts a process with a small address space, and grows the table beyond its mapping.
  private func outgrow(_ task: String) throws -> (table: ImageTable, child: ChildProcess) {
    let child = try ChildProcess(["table-addresses", folder.path, task])
    try #require(child.waitForOutput(1), "\(child.rest())")
    let table = try ImageTable(at: folder.path, format: TableTorture.grownFormat)
    for id in 0..<TableTorture.grownCount { try table.put(id) }
    child.send(SIGUSR1)
    return (table, child)
  }

  private func expectAll(_ table: ImageTable) throws {
    let lost = (0..<TableTorture.grownCount).filter { table.version($0) == nil }
    #expect(lost.count == 0)
    #expect(try table.isClean())
  }

  @Test func aTableThatAnotherProcessEnlargedIsMappedAgain() throws {
    let (table, child) = try outgrow("follow")
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
    #expect(table.version(TableTorture.grownCount - 1) == 2)
    #expect(table.version(TableTorture.grownCount) == 1)
    #expect(table.statistics.count == Int(TableTorture.grownCount) + 1)
    try expectAll(table)
  }

  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer needs addresses of its own"))
  func aProcessThatMapsAPartOfATableChangesNothing() throws {
    let (table, child) = try outgrow("stay")
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
    #expect(table.version(0) == 1)
    #expect(table.statistics.count == Int(TableTorture.grownCount))
    try expectAll(table)
  }

  @Test func aTableGrowsBeyondItsFirstMapping() throws {
    let end = try ChildProcess(["table-addresses", folder.path, "grow"]).finish()
    #expect(end.code == 0, "\(end.output)")
    try expectAll(ImageTable(at: folder.path, format: TableTorture.grownFormat))
  }

  /// A held picture keeps the file open, with the mapping for the first limit.
  @Test func aLargerLimitGetsALargerMapping() throws {
    let held: HeldPicture
    let before: Int
    do {
      let table = try folder.table(maximumCount: 2)
      try table.put(1)
      held = try HeldPicture(table, 1)
      before = table.file.mapped.capacity
    }
    let table = try folder.table(maximumCount: 1 << 20)
    #expect(table.file.mapped.capacity > before)
    #expect(table.file.mapped.capacity >= (1 << 20) * table.slotByteCount)
    #expect(table.version(1) == 1)
    try table.put(1, version: 2)
    #expect(held.isUnchanged)
    // The mapping is also used for a smaller limit.
    let second = try folder.table(maximumCount: 2)
    #expect(second.file === table.file)
  }
}
