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
}
