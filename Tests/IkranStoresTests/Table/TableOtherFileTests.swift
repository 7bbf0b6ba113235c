import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Files that are not valid tables, or not any more.
@Suite(.timeLimit(.minutes(10))) struct TableOtherFileTests {
  private let folder: TableFolder
  private let path: String

  init() throws {
    folder = try TableFolder()
    path = "\(folder.path)/small.table"
  }

  // MARK: - Other versions

  @Test(arguments: [(12, 1), (12, 0), (12, 99), (8, 0x0403_0201), (8, 0)] as [(Int, UInt32)])
  func anotherVersionOrByteOrderIsReplacedButNotByOpening(offset: Int, value: UInt32) throws {
    let table = try DamagedTable()
    let bytes = table.withHeader(offset, value)
    try table.write(bytes)
    #expect(throws: TableError.otherVersion(path: table.file)) {
      try ImageTable(opening: table.file)
    }
    #expect(try Files.read(table.file) == bytes)
    #expect(try table.useFile() == [])
  }

  /// Possible and impossible sizes and formats in a header.
  @Test(
    arguments: [
      (16, 8192), (20, 128), (24, 12), (24, 0), (24, .max), (28, 6), (28, 1 << 20), (32, 128),
      (32, 0), (36, 1), (36, 200), (36, 256), (40, 8192), (40, 0), (44, 1), (48, 0), (56, 32),
      (56, 0), (60, 16_384), (60, 0),
    ] as [(Int, UInt32)]
  )
  func anotherLayoutIsReplacedAndNeverRead(offset: Int, value: UInt32) throws {
    let table = try DamagedTable()
    try table.write(table.withHeader(offset, value))
    #expect(try table.useFile() == [])
  }

  @Test func aRewrittenHeaderWithTheSameContentsIsValid() throws {
    let table = try DamagedTable()
    #expect(table.withHeader(12, 3) == table.bytes)
  }

  // MARK: - Other files

  @Test(arguments: [1, 7, 8, 9, 511, 512, 4095, 4096, 4097, 300_000])
  func anotherFileIsNeverOverwritten(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + 65) }
    try Files.create(path, bytes)
    #expect(throws: TableError.notATable(path: path)) { try folder.table() }
    #expect(throws: TableError.notATable(path: path)) { try ImageTable(opening: path) }
    #expect(try Files.read(path) == bytes)
    #expect(try folder.names == ["small.table"])
  }

  @Test func anEmptyFileBecomesATable() throws {
    try Files.create(path, [])
    let table = try folder.table()
    try table.put(1)
    #expect(table.version(1) == 1)
    #expect(try folder.table().version(1) == 1)
  }

  @Test func aFolderInPlaceOfTheFileIsLeftAlone() throws {
    try Files.createDirectories("\(path)/inner")
    #expect(throws: TableError.self) { try folder.table() }
    #expect(throws: TableError.self) { try ImageTable(opening: path) }
    #expect(Files.isDirectory("\(path)/inner"))
  }

  @Test func aPipeInPlaceOfTheFileDoesNotBlock() throws {
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: TableError.notATable(path: path)) { try folder.table() }
    #expect(throws: TableError.notATable(path: path)) { try ImageTable(opening: path) }
  }

  @Test func aFileInPlaceOfTheFolderIsAnError() throws {
    try Files.create("\(folder.path)/file", [1])
    #expect(throws: TableError.self) {
      try ImageTable(at: "\(folder.path)/file", format: .small())
    }
    #expect(try Files.read("\(folder.path)/file") == [1])
  }

  // MARK: - Removed files

  @Test func aDeletedFileIsReadOnAndReplacedByTheNextPut() throws {
    let table = try folder.table()
    for id in 1...5 as ClosedRange<UInt64> { try table.put(id) }
    let held = try HeldPicture(table, 1)
    try Files.remove(path)
    for id in 1...5 as ClosedRange<UInt64> { #expect(table.version(id) == 1) }
    #expect(!Files.exists(path))
    table.forgetNameCheck()
    try table.put(6, version: 2)
    #expect(Files.exists(path))
    #expect(table.version(6) == 2)
    #expect(try table.ids == [6])
    #expect(try folder.table().version(6) == 2)
    #expect(held.isUnchanged)
  }

  enum Call: CaseIterable { case remove, removeAll, reset, compact, verify, entries, synchronize }

  @Test(arguments: Call.allCases)
  func everyCallWorksOnADeletedFile(call: Call) throws {
    let table = try folder.table()
    try table.put(1)
    try Files.remove(path)
    switch call {
    case .remove: _ = try table.remove(TableID(id: 1))
    case .removeAll: _ = try table.removeAll(version: TableID(version: 1))
    case .reset: try table.reset()
    case .compact: try table.compact()
    case .verify: #expect(try table.verify().dropped == 0)
    case .entries: _ = try table.entries()
    case .synchronize: try table.synchronize()
    }
    try table.put(2)
    #expect(table.version(2) == 1)
    #expect(try folder.table().version(2) == 1)
  }

  @Test func anotherTableMovedIntoItsPlaceIsUsed() throws {
    let table = try folder.table()
    try table.put(1)
    let other = try folder.table("other")
    try other.put(2, version: 5)
    try Files.rename("\(folder.path)/other.table", to: path)
    table.forgetNameCheck()
    try table.put(3)
    #expect(table.version(2) == 5)
    #expect(table.version(1) == nil)
    #expect(try folder.table().version(3) == 1)
  }

  @Test func anotherFileMovedIntoItsPlaceIsLeftAlone() throws {
    let table = try folder.table()
    try table.put(1)
    try Files.create("\(folder.path)/other", [UInt8](repeating: 66, count: 9000))
    try Files.rename("\(folder.path)/other", to: path)
    table.forgetNameCheck()
    #expect(throws: TableError.notATable(path: path)) { try table.put(2) }
    #expect(try Files.read(path) == [UInt8](repeating: 66, count: 9000))
    // The mapped pages still exist.
    #expect(table.version(1) == 1)
  }

  @Test func aRemovedFolderIsCreatedAgain() throws {
    let inner = "\(folder.path)/outer/inner"
    let table = try ImageTable(at: inner, format: .small())
    try table.put(1)
    let held = try HeldPicture(table, 1)
    try Files.removeTree("\(folder.path)/outer")
    table.forgetNameCheck()
    try table.put(2)
    #expect(table.version(2) == 1)
    #expect(try table.ids == [2])
    #expect(try ImageTable(at: inner, format: .small()).version(2) == 1)
    #expect(held.isUnchanged)
  }

  @Test func anOpenedTablesFolderIsNotCreatedAgain() throws {
    let inner = "\(folder.path)/inner"
    try ImageTable(at: inner, format: .small()).put(1)
    let table = try ImageTable(opening: "\(inner)/small.table")
    try Files.removeTree(inner)
    table.forgetNameCheck()
    #expect(throws: TableError.self) { try table.put(2) }
    #expect(!Files.exists(inner))
  }

  @Test func anOpenedTableIsNotCreatedAgain() throws {
    try folder.table().put(1)
    let table = try ImageTable(opening: path)
    try Files.remove(path)
    table.forgetNameCheck()
    #expect(throws: TableError.self) { try table.put(2) }
    #expect(!Files.exists(path))
    #expect(table.version(1) == 1)
  }
}
