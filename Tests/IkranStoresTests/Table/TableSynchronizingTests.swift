import Glibc
import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Durability: which bytes of which file are not written to the disk yet.
@Suite(.timeLimit(.minutes(10))) struct TableSynchronizingTests {
  private let folder: TableFolder
  private let table: ImageTable
  private static let ids: Range<UInt64> = 0..<100

  init() throws {
    folder = try TableFolder()
    table = try folder.table()
    for id in Self.ids { try table.put(id) }
  }

  /// The kilobytes of the mapped file that are not on the disk yet.
  private func waiting() throws -> Int {
    for id in Self.ids { #expect(table.version(id) == 1) }
    let maps = String(decoding: try Files.read("/proc/self/smaps"), as: UTF8.self)
    var isOfTable = false
    var sum = 0
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first?.hasSuffix(":") == false {
        isOfTable = line.hasSuffix(" \(table.path)")
      } else if isOfTable, words.count > 1, words[0].hasSuffix("_Dirty:") {
        sum += Int(words[1]) ?? 0
      }
    }
    return sum
  }

  /// Header, records and directory change with every use; each picture has a page.
  private static let pictures = ids.count * 4

  /// Whether temporary files are on a disk; tmpfs never writes anything.
  private static let hasDisk: Bool = {
    // A table that cannot be created or read fails the tests themselves.
    guard let tests = try? Self(), (try? tests.table.synchronize()) != nil else { return true }
    return (try? tests.waiting() < pictures / 2) ?? true
  }()

  @Test(.enabled(if: hasDisk, "needs temporary files on a disk"), arguments: [false, true])
  func aCompactedTableIsOnTheDisk(isAnothersWork: Bool) throws {
    try table.synchronize()
    if isAnothersWork {
      try folder.table().compact()
      try table.remove(TableID("none"))
    } else {
      try table.compact()
    }
    #expect(try waiting() < Self.pictures / 2)
  }

  @Test(arguments: [false, true])
  func synchronizingUsesTheFileThatHasTheName(isDeleted: Bool) throws {
    let other = try folder.table()
    if isDeleted {
      try Files.remove(table.path)
      other.forgetNameCheck()
      try other.put(1)
    } else {
      try other.compact()
    }
    #expect(other.file !== table.file)
    try table.synchronize()
    #expect(table.file === other.file)
    #expect(table.version(1) == 1)
  }

  @Test func aDeletedTableThatIsNotCreatedAgainCannotBeSynchronized() throws {
    let opened = try ImageTable(opening: table.path)
    try Files.remove(table.path)
    #expect(throws: TableError.self) { try opened.synchronize() }
  }
}
