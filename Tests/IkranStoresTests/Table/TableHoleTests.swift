import Glibc
import IkranPixels
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Files with holes, and with directories of other sizes.
@Suite(.timeLimit(.minutes(10))) struct TableHoleTests {
  private let folder: TableFolder
  private static let ids: Range<UInt64> = 0..<300

  init() throws { folder = try TableFolder() }

  private var path: String { "\(folder.path)/small.table" }

  /// Writes a table of 300 pictures without the pages that are zero, as `cp --sparse=always` does.
  private func writeSparsely(_ change: (TableHeader) -> Void = { _ in }) throws {
    let original = "\(folder.path)/original"
    do {
      let table = try ImageTable(at: original, format: .small(maximumCount: 400))
      for id in Self.ids { try table.put(id) }
      change(table.file.header)
    }
    let bytes = try Files.read("\(original)/small.table")
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      let page = bytes[start..<start + 4096]
      guard page.contains(where: { $0 != 0 }) else { continue }
      #expect(pwrite(descriptor, Array(page), 4096, start) == 4096)
    }
    #expect(ftruncate(descriptor, bytes.count) == 0)
  }

  private func expectAll(_ table: ImageTable) throws {
    for id in Self.ids { #expect(table.version(id) == 1) }
    #expect(try table.isClean())
  }

  @Test func theHolesOfACopyAreAllocatedWhenItIsOpened() throws {
    try writeSparsely()
    let before = try #require(Files.size(path))
    let table = try folder.table(maximumCount: 400)
    let status = try table.file.mapped.status()
    #expect(status.byteCount == before)
    // The rest of the chunk of the directory is never touched.
    let directory = table.file.layout.chunkByteCount
    #expect(status.storedByteCount >= before - directory)
    try expectAll(table)
  }

  /// To allocate the header's page, as opening a file with holes does, is a change of the file.
  @Test func aTableWithHolesThatWasClosedKeepsItsSession() throws {
    let first = try folder.table()
    let session = first.file.session
    let status = try first.file.mapped.status()
    // The chunk of the directory has a hole.
    try #require(status.storedByteCount < status.byteCount)
    _ = consume first
    #expect(try folder.table().file.session == session)
  }

  @Test func deallocatedSlotsOfACopyStayDeallocated() throws {
    try writeSparsely()
    do {
      let table = try folder.table(maximumCount: 400)
      let deallocated = TableRecord.State(.deallocated, use: 1, tag: 0)
      for id in Self.ids where id > 20 {
        let slot = try #require(table.file.slot(of: TableID(id: id)))
        table.file.mapped.punchHole(
          table.file.layout.pictureOffset(slot)..<table.file.layout.pictureOffset(slot) + 4096
        )
        table.file.record(slot).state.value = deallocated.bits
      }
    }
    // The file is doubtful: another program has changed its time.
    #expect(utimensat(AT_FDCWD, path, [timespec(), timespec()], 0) == 0)
    let table = try folder.table(maximumCount: 400)
    #expect(try table.ids.count == 21)
    #expect(try table.file.mapped.status().storedByteCount < 200 * 4096)
  }

  @Test(arguments: [false, true])
  func aFileStretchedToManyGigabytesStaysSmall(isCountDamaged: Bool) throws {
    let length = 32 << 30
    try writeSparsely { header in
      if isCountDamaged { header.chunkCount.value = UInt64(length / (4096 + 64 * 4096)) }
    }
    #expect(truncate(path, length) == 0)
    let table = try folder.table(maximumCount: 400)
    #expect(table.file.header.chunkCount.value < 64)
    #expect(try table.file.mapped.status().storedByteCount < 8 << 20)
    try expectAll(table)
    for id in 1000..<1300 as Range<UInt64> { try table.put(id) }
    #expect(try table.ids.count == 400)
    #expect(try table.file.mapped.status().storedByteCount < 8 << 20)
  }

  @Test func aByteAfterManyEmptyChunksDoesNotAllocateThem() throws {
    try writeSparsely { $0.chunkCount.value = 100_000 }
    #expect(truncate(path, 32 << 30) == 0)
    let descriptor = open(path, O_WRONLY)
    #expect(pwrite(descriptor, [1], 1, 20 << 30) == 1)
    close(descriptor)
    let table = try folder.table(maximumCount: 400)
    #expect(table.file.header.chunkCount.value < 64)
    try expectAll(table)
  }

  @Test(arguments: [0, 3, 6, 8] as [UInt64])
  func verifyEnlargesADirectoryThatIsTooSmall(shift: UInt64) throws {
    let table = try folder.table(maximumCount: 400)
    for id in Self.ids { try table.put(id) }
    let directory = table.file.header.directory
    #expect(directory.value & 0xFF > 8)
    directory.value = directory.value & ~0xFF | shift
    let report = try table.verify()
    #expect(report.directoryWasRebuilt)
    #expect(report.checked == 300)
    try expectAll(table)
    try table.put(1000)
    #expect(table.version(1000) == 1)
  }
}
