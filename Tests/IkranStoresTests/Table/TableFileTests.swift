import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TableFileTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  // MARK: - Names

  @Test(arguments: [
    "a", "avatars-48", "Ärger", "a/b", "../up", ".hidden", "..", "a b", "100%", "a\0b", "%41", "A",
    String(repeating: "n", count: 96),
  ])
  func everyNameHasASeparateFile(name: String) throws {
    let others = ["a", "A", "a.b", "a%2Fb", "b"].filter { $0 != name }
    for other in others { try folder.table(other).put(1, version: 2) }
    let table = try folder.table(name)
    #expect(try table.entries() == [])
    try table.put(1, version: 3)
    #expect(table.path == "\(folder.path)/\(table.format.fileName())")
    #expect(try folder.names.count == others.count + 1)
    #expect(try folder.names.contains(table.format.fileName()))
    for other in others { #expect(try folder.table(other).version(1) == 2) }
    #expect(try folder.table(name).version(1) == 3)
  }

  @Test func aFormatHasTheSizeOfItsStyle() throws {
    let format = try #require(TableFormat("faces", for: .circle(24.5), scale: 2))
    #expect(format.size == PixelSize(width: 49, height: 49))
    #expect(format == TableFormat("faces", size: format.size))
    #expect(TableFormat("photos", for: .fit(width: 40), scale: 2) == nil)
  }

  @Test func severalTablesShareAFolder() throws {
    let tables = try (0..<20).map { try folder.table("t\($0)", maximumCount: 5) }
    for (number, table) in tables.enumerated() {
      for id in 0..<9 as Range<UInt64> { try table.put(id, version: UInt64(number)) }
    }
    try tables[3].reset()
    try tables[4].compact()
    for (number, table) in tables.enumerated() where number != 3 {
      #expect(table.version(8) == UInt64(number))
      #expect(try table.entries().count == 5)
    }
    #expect(try folder.names.count == 20)
  }

  /// FastImageCache removed every unknown file of its folder.
  @Test func otherFilesAreNotChanged() throws {
    let others = ["notes.txt", "small.table.bak", "other.table", "small", "small.table.new"]
    for name in others { try Files.create("\(folder.path)/\(name)", [1, 2, 3]) }
    let table = try folder.table()
    try table.put(1)
    try table.reset()
    try table.compact()
    for name in others { #expect(try Files.read("\(folder.path)/\(name)") == [1, 2, 3]) }
  }

  @Test func aMissingFolderIsMade() throws {
    let path = "\(folder.path)/a/b/c"
    try ImageTable(at: path, format: .small()).put(1)
    #expect(Files.exists("\(path)/small.table"))
  }

  /// FastImageCache stored absolute paths, and lost its tables when an app was updated.
  @Test func aMovedFolderKeepsItsTables() throws {
    let old = "\(folder.path)/old"
    do { try ImageTable(at: old, format: .small()).put(1, version: 5) }
    try Files.rename(old, to: "\(folder.path)/new")
    #expect(try ImageTable(at: "\(folder.path)/new", format: .small()).version(1) == 5)
  }

  @Test(arguments: TableAccess.allCases)
  func theFileHasTheRequestedPermission(access: TableAccess) throws {
    var format = TableFormat.small()
    format.access = access
    let mask = try mask
    let table = try ImageTable(at: folder.path, format: format)
    #expect(Files.permissions(table.path) == access.rawValue)
    try table.put(1)
    try table.compact()
    #expect(Files.permissions(table.path) == access.rawValue)
    try table.reset()
    #expect(Files.permissions(table.path) == access.rawValue)
    #expect(try self.mask == mask)
  }

  /// The umask of this process; `umask(2)` can only read it by changing it for all threads.
  private var mask: Substring {
    get throws {
      let status = String(decoding: try Files.read("/proc/self/status"), as: UTF8.self)
      return try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
    }
  }

  /// The descriptors of this process that lead into the folder.
  private var descriptors: [CInt] {
    get throws {
      try Files.list("/proc/self/fd").compactMap { CInt($0) }.filter { number in
        var buffer = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/fd/\(number)", &buffer, buffer.count - 1) > 0 else {
          return false
        }
        let path = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: path, as: UTF8.self).contains(folder.path)
      }
    }
  }

  @Test func descriptorsAreNotInherited() throws {
    let table = try folder.table()
    try table.put(1)
    let image = table.get(1)
    #expect(try !descriptors.isEmpty)
    for number in try descriptors { #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0) }
    withExtendedLifetime(image) {}
  }

  @Test func aClosedTableLeavesNoMappingAndNoDescriptor() throws {
    func mappings() throws -> [Substring] {
      let maps = String(decoding: try Files.read("/proc/self/maps"), as: UTF8.self)
      return maps.split(separator: "\n").filter { $0.contains(folder.path) }
    }
    do {
      let table = try folder.table()
      try table.put(1)
      var image = table.get(1)
      try table.reset()
      try table.put(2)
      try table.compact()
      #expect(try !mappings().isEmpty)
      #expect(image != nil)
      image = nil
    }
    #expect(try mappings() == [])
    #expect(try descriptors == [])
  }

  // MARK: - Formats

  @Test func anotherLayoutGivesAnEmptyTable() throws {
    let (size, turned) = (PixelSize(width: 12, height: 16), PixelSize(width: 16, height: 12))
    let formats = [
      TableFormat("t", size: size, pixels: .bgra), TableFormat("t", size: size, pixels: .bgrx),
      TableFormat("t", size: turned, pixels: .bgrx), TableFormat("t", size: size, pixels: .bgr),
      TableFormat("t", size: size, pixels: .gray), TableFormat("t", size: size, pixels: .bgr555),
    ]
    for format in formats {
      let table = try ImageTable(at: folder.path, format: format)
      #expect(try table.entries() == [])
      try table.put(1, version: 7)
      #expect(table.version(1) == 7)
      #expect(try folder.names == ["t.table"])
    }
    #expect(try ImageTable(at: folder.path, format: formats[5]).version(1) == 7)
  }

  @Test func aHeldPictureOutlivesAnotherLayout() throws {
    let held: HeldPicture
    do {
      let table = try folder.table()
      try table.put(1)
      held = try HeldPicture(table, 1)
    }
    let other = TableFormat("small", size: PixelSize(width: 40, height: 40))
    let table = try ImageTable(at: folder.path, format: other)
    for id in 0..<50 as Range<UInt64> { try table.put(id) }
    #expect(held.isUnchanged)
  }

  @Test func optionsOutsideTheLayoutMayChange() throws {
    var format = TableFormat.small(maximumCount: 50)
    do {
      let table = try ImageTable(at: folder.path, format: format)
      for id in 1...40 as ClosedRange<UInt64> { try table.put(id, version: id) }
    }
    let changes: [(inout TableFormat) -> Void] = [
      { $0.family = "portraits" }, { $0.maximumCount = 60 }, { $0.byteLimit = 1 << 30 },
      { $0.access = .everyone }, { $0.family = "" },
    ]
    for change in changes {
      change(&format)
      let table = try ImageTable(at: folder.path, format: format)
      #expect(table.format == format)
      for id in 1...40 as ClosedRange<UInt64> { #expect(table.version(id) == id) }
    }
    // The name is used for the file only.
    let moved = "\(folder.path)/renamed.table"
    try Files.rename("\(folder.path)/small.table", to: moved)
    format.name = "renamed"
    #expect(try ImageTable(at: folder.path, format: format).version(3) == 3)
  }

  @Test func anOpenedFileHasItsFormat() throws {
    let format = TableFormat(
      "Ä/b",
      size: PixelSize(width: 33, height: 9),
      pixels: .bgr555,
      family: "famille",
      maximumCount: 77,
      byteLimit: 123_456,
      access: .group
    )
    let path: String
    do {
      let table = try ImageTable(at: folder.path, format: format)
      path = table.path
      for id in 1...5 as ClosedRange<UInt64> { try table.put(id, version: id) }
    }
    let table = try ImageTable(opening: path)
    #expect(table.format == format)
    #expect(table.path == path)
    for id in 1...5 as ClosedRange<UInt64> { #expect(table.version(id) == id) }
    try table.put(6)
    #expect(try ImageTable(at: folder.path, format: format).version(6) == 1)
  }

  @Test func openingDoesNotCreateAMissingFile() throws {
    let path = "\(folder.path)/missing.table"
    #expect(throws: TableError.self) { try ImageTable(opening: path) }
    #expect(try folder.names == [])
  }

  @Test(arguments: [
    TableFormat("", size: PixelSize(width: 1, height: 1)),
    TableFormat(String(repeating: "n", count: 97), size: PixelSize(width: 1, height: 1)),
    TableFormat("a", size: PixelSize(width: 0, height: 1)),
    TableFormat("a", size: PixelSize(width: 1, height: 0)),
    TableFormat("a", size: PixelSize(width: -1, height: -1)),
    TableFormat("a", size: PixelSize(width: .max, height: 1)),
    TableFormat("a", size: PixelSize(width: 1, height: .max)),
    TableFormat("a", size: PixelSize(width: 1 << 31, height: 1 << 31)),
    TableFormat("a", size: PixelSize(width: .min, height: .min)),
    TableFormat("a", size: PixelSize(width: 1, height: 1), maximumCount: 0),
    TableFormat("a", size: PixelSize(width: 1, height: 1), maximumCount: .min),
    TableFormat("a", size: PixelSize(width: 1, height: 1), byteLimit: 0),
    TableFormat("a", size: PixelSize(width: 1, height: 1), byteLimit: -5),
    TableFormat(
      "a",
      size: PixelSize(width: 1, height: 1),
      family: String(repeating: "f", count: 97)
    ),
  ])
  func anImpossibleFormatIsRefused(format: TableFormat) throws {
    let error = #expect(throws: TableError.self) { try ImageTable(at: folder.path, format: format) }
    guard case .invalidFormat(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!reason.isEmpty)
    #expect(try folder.names == [])
  }

  @Test(arguments: [Int.max, 1 << 40, 1 << 20])
  func theLargestLimitsAreAccepted(count: Int) throws {
    let table = try folder.table(maximumCount: count, byteLimit: .max)
    for id in 0..<10 as Range<UInt64> { try table.put(id) }
    #expect(try table.ids.count == 10)
    // A directory for this many entries must not be allocated in advance.
    #expect(table.statistics.fileByteCount < 64 << 20)
  }

  // MARK: - Instances

  @Test func twoInstancesSeeEachOthersPictures() throws {
    let (one, two) = (try folder.table(maximumCount: 5), try folder.table(maximumCount: 5))
    for id in 1...5 as ClosedRange<UInt64> {
      try (id % 2 == 0 ? one : two).put(id, version: id)
      #expect(one.version(id) == id)
      #expect(two.version(id) == id)
    }
    _ = one.get(1)
    try two.put(6)
    #expect(try one.ids == two.ids)
    #expect(!one.contains(TableID(id: 2)))
    #expect(try two.remove(TableID(id: 1)))
    #expect(one.get(1) == nil)
    let held = try HeldPicture(one, 6)
    try two.put(6, version: 2)
    for id in 7...30 as ClosedRange<UInt64> { try two.put(id) }
    #expect(held.isUnchanged)
    #expect(try one.isClean())
  }

  @Test func aFileReplacedByOneInstanceIsUsedByTheOther() throws {
    let (one, two) = (try folder.table(), try folder.table())
    try one.put(1, version: 1)
    #expect(two.version(1) == 1)
    try one.reset()
    #expect(two.get(1) == nil)
    #expect(!two.contains(TableID(id: 1)))
    try two.put(2, version: 2)
    #expect(one.version(2) == 2)
    try two.compact()
    #expect(one.version(2) == 2)
    try one.put(3, version: 3)
    #expect(two.version(3) == 3)
    #expect(try two.entries().count == 2)
    #expect(two.statistics.count == 2)
  }

  @Test func manyInstancesInOneProcessAreOneUser() throws {
    let tables = try (0..<100).map { _ in try folder.table() }
    for (number, table) in tables.enumerated() { try table.put(1, version: UInt64(number)) }
    for table in tables { #expect(table.version(1) == 99) }
  }

  @Test func aTableIsOpenedAndClosedAnyNumberOfTimes() throws {
    var held: [HeldPicture] = []
    for round in 0..<UInt64(Rounds.fewer(300, atLeast: 100)) {
      let table = try folder.table()
      try table.put(round, version: round)
      // A held picture may keep the file alive, but the table can still be opened.
      if round % 10 == 0 { held.append(try HeldPicture(table, round)) }
    }
    #expect(held.allSatisfy { $0.isUnchanged })
    #expect(try folder.table().ids.count == 100)
  }
}
