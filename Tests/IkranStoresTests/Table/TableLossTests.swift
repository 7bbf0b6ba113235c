import Glibc
import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// What another program cuts off, a disk refuses or a killed process leaves half done.
@Suite(.timeLimit(.minutes(10))) struct TableLossTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  private func kinds(_ table: ImageTable) -> [TableRecord.Kind: Int] {
    var kinds: [TableRecord.Kind: Int] = [:]
    table.file.forEachSlot { _, record in
      let kind = TableRecord.State(bits: record.state.value).kind
      if let kind { kinds[kind, default: 0] += 1 }
    }
    return kinds
  }

  // MARK: - Directories

  /// The file loses its last directory, and later chunks of slots get its numbers.
  @Test(arguments: [false, true])
  func chunksInThePlaceOfADirectoryThatWasCutOffHaveSlots(isOpen: Bool) throws {
    // A small limit makes a small directory, so that larger ones follow.
    _ = try folder.table(maximumCount: 100)
    var table = try folder.table(maximumCount: 5000)
    for id in 0..<2000 as Range<UInt64> { try table.put(id) }
    let last = try #require(table.file.header.directoryChunks.last)
    try #require(last.lowerBound > 20)
    let end = table.file.layout.chunkOffset(last.lowerBound - 5)
    if isOpen {
      #expect(truncate(table.path, end) == 0)
      table.forgetNameCheck()
    } else {
      let path = table.path
      table = try ImageTable(at: folder.path, format: .small("other"))
      #expect(truncate(path, end) == 0)
      table = try folder.table(maximumCount: 5000)
    }
    for id in 10_000..<13_000 as Range<UInt64> { try table.put(id) }
    let lost = (10_000..<13_000 as Range<UInt64>).filter { table.version($0) == nil }
    #expect(lost.count == 0)
    let listed = Set(try table.ids)
    #expect((10_000..<13_000).allSatisfy { listed.contains($0) })
    #expect(try table.isClean())
    let count = table.file.header.chunkCount.value
    #expect(table.file.header.directoryChunks.allSatisfy { $0.upperBound <= count })
  }

  @Test func aFullListOfDirectoriesFailsOneChangeAndNotAllLaterOnes() throws {
    _ = try folder.table(maximumCount: 100)
    let table = try folder.table(maximumCount: 1000)
    try table.put(0)
    let header = table.file.header
    while header.addDirectory(0..<0) {}
    var failed = 0
    for id in 1..<500 as Range<UInt64> {
      do { try table.put(id) } catch { failed += 1 }
    }
    #expect(failed > 0)
    #expect(header.isChanging.value == 0)
    #expect(try table.remove(TableID(id: 1)))
    #expect(table.version(2) == 1)
  }

  // MARK: - Failing disks

  /// Makes `fdatasync` of a table's file fail, while its length can be read.
  private func withFailingDisk(_ path: String, _ body: () throws -> Void) throws {
    let names = try Files.list("/proc/self/fd")
    let open = names.compactMap { CInt($0) }.first { number in
      var link = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/\(number)", &link, link.count)
      return count > 0
        && String(decoding: link[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
    }
    let descriptor = try #require(open)
    let saved = dup(descriptor)
    // O_PATH: neither reading nor writing works.
    let broken = Glibc.open(path, 0o10000000 | O_CLOEXEC)
    try #require(broken >= 0 && dup2(broken, descriptor) == descriptor)
    defer {
      dup2(saved, descriptor)
      close(saved)
      close(broken)
    }
    try body()
  }

  private func synchronizedTable() throws -> ImageTable {
    let table = try folder.table(maximumCount: 20)
    for id in 0..<5 as Range<UInt64> { try table.put(id) }
    try table.synchronize()
    return table
  }

  /// The system reports a failed write once; the next `fdatasync` succeeds though nothing was written.
  @Test func afterAFailedSynchronizeNoLaterOneSucceedsUntilThePicturesAreWrittenAgain() throws {
    let table = try synchronizedTable()
    try table.put(1, version: 2)
    try withFailingDisk(table.path) {
      #expect(throws: TableError.self) { try table.synchronize() }
    }
    #expect(throws: TableError.self) { try table.synchronize() }
    let other = try folder.table(maximumCount: 20)
    #expect(throws: TableError.self) { try other.synchronize() }
    #expect(kinds(table)[.superseded] == 1)
    try table.compact()
    try table.synchronize()
    #expect(table.version(1) == 2)
    #expect(kinds(table)[.superseded] == nil)
  }

  @Test func afterAFailedSynchronizeNoReplacedPictureLosesItsSlot() throws {
    let table = try synchronizedTable()
    try withFailingDisk(table.path) {
      #expect(throws: TableError.self) { try table.synchronize() }
    }
    for version in 2..<200 as Range<UInt64> { try table.put(1, version: version) }
    #expect(kinds(table)[.superseded] == 198)
    #expect(table.version(1) == 199)
  }

  /// The next process, too, would be told that all is well.
  @Test func aFailedSynchronizeIsRememberedInTheFile() throws {
    do {
      let table = try synchronizedTable()
      try withFailingDisk(table.path) {
        #expect(throws: TableError.self) { try table.synchronize() }
      }
    }
    let table = try folder.table(maximumCount: 20)
    #expect(throws: TableError.self) { try table.synchronize() }
    #expect(table.version(1) == 1)
    try table.reset()
    try table.synchronize()
  }

  // MARK: - Half a replacement

  @Test func aKillInTheMiddleOfAReplacementKeepsTheDurablePicture() throws {
    let table = try synchronizedTable()
    let (file, id) = (table.file, TableID(id: 1))
    let image = try TorturePicture.make(id: 1, version: 2, format: table.format)
    let version = TableID(version: 2)
    let done: Void? = try file.change { (slots) throws(TableError) in
      var evicted = 0
      let slot: Int
      do throws(SystemError) {
        slot = try file.allocator.reserveSlot(for: id, &slots, limit: 20, evicted: &evicted)
      } catch { throw TableError(error) }
      let record = file.record(slot)
      record.checksum.relaxed = try file.fill(slot, with: image, id, version)
      (record.idHigh.relaxed, record.idLow.relaxed) = (id.high, id.low)
      (record.versionHigh.relaxed, record.versionLow.relaxed) = (version.high, version.low)
      record.lastUse.relaxed = file.header.clock.increment()
      record.state.value = TableRecord.State(.published, use: 9, tag: record.tag(file.session)).bits
      file.unpin(slot)
      file.header.isChanging.value = 1
    }
    try #require(done != nil)
    try table.put(4, version: 3)
    #expect(table.version(1) == 2)
    #expect(kinds(table)[.superseded] == 2)
    #expect(try table.isClean())
    try table.synchronize()
    #expect(kinds(table)[.superseded] == nil)
  }

  @Test func removingAVersionEndsItsReplacedPicturesToo() throws {
    let table = try synchronizedTable()
    try table.put(1, version: 2)
    try table.put(2, version: 1)
    #expect(try table.removeAll(version: TableID(version: 1)) == 4)
    #expect(kinds(table)[.superseded] == nil)
    #expect(try table.ids == [1])
  }

  // MARK: - Addresses

  /// The directory must grow when the pictures of a batch are published, and has no addresses.
  @Test func aBatchWhosePublicationLacksAddressesMapsTheFileAgain() throws {
    _ = try folder.table(maximumCount: 100)
    let table = try folder.table(maximumCount: 1000)
    for id in 0..<340 as Range<UInt64> { try table.put(id) }
    let file = table.file
    file.header.tombstoneCount.value = 40
    file.writer.withLock { $0.nameCheck = .max / 2 }
    file.header.chunkCount.value = UInt64(file.chunkCapacity)
    let pictures = try (340..<360 as Range<UInt64>).map { id in
      (
        id: TableID(id: id), version: TableID(version: 1),
        image: try TorturePicture.make(id: id, version: 1, format: table.format)
      )
    }
    try table.put(pictures)
    #expect(table.file !== file)
    for id in 0..<360 as Range<UInt64> { #expect(table.version(id) == 1) }
  }

  // MARK: - Names

  @Test func aTableThatIsOnlyReadNoticesThatAnotherFileHasItsName() throws {
    let table = try folder.table()
    try table.put(1)
    try Files.remove(table.path)
    let other = try folder.table()
    try other.put(7, version: 3)
    #expect(table.version(7) == 3)
    #expect(table.version(1) == nil)
  }

  /// A backup that is a hard link keeps the old file a name.
  @Test func aTableThatIsOnlyReadNoticesAFileMovedIntoThePlaceOfALinkedOne() throws {
    let table = try folder.table()
    try table.put(1)
    #expect(link(table.path, "\(folder.path)/backup") == 0)
    let other = try folder.table("other")
    try other.put(7, version: 3)
    try Files.rename(other.path, to: table.path)
    #expect(table.version(7) == 3)
    #expect(table.version(1) == nil)
  }
}
