import Glibc
import IkranStores
import Support
import Testing

@testable import Ikran

/// The folder of tables: its limits, and what is made, opened and removed in it.
@Suite(.timeLimit(.minutes(10)))
struct TableStageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private let version = TableID("bytes")

  private func stage(_ limit: Int = 512 << 20, _ change: (inout TableOptions) -> Void = { _ in })
    -> TableStage
  {
    var options = TableOptions(directory: folder.path, limit: .bytes(limit))
    change(&options)
    let counters = PipelineCounters { _ in }
    let context = StageContext(counters: counters, backlog: Backlog(limit: .max))
    return TableStage(folder.path, options: options, in: context)
  }

  private func image(_ side: Int, _ format: PixelFormat = .bgra) throws -> Bitmap {
    try Canvas(size: PixelSize(width: side, height: side), format: format).finish()
  }

  private func key(_ number: Int, _ side: Int) -> StyledKey {
    StyledKey(
      source: SourceKey("http://example.test/\(number)"),
      style: .circle(Double(side)),
      scale: 1
    )
  }

  private func store(_ stage: TableStage, _ numbers: Range<Int>, side: Int) async throws {
    for number in numbers {
      stage.store(try image(side), for: key(number, side), version: version)
    }
    await stage.finishWriting()
  }

  private func table(_ side: Int) throws -> ImageTable {
    try ImageTable(opening: "\(folder.path)/\(side)x\(side)-bgra.table")
  }

  private func found(_ stage: TableStage, _ numbers: Range<Int>, side: Int) -> [Int] {
    let size = PixelSize(width: side, height: side)
    return numbers.filter { stage.image(for: key($0, side), size: size, version: version) != nil }
  }

  @Test func anEntryThatChangedSidesLeavesTheOtherTable() async throws {
    let stage = stage()
    let size = PixelSize(width: 8, height: 8)
    for format in [PixelFormat.bgra, .bgrx, .bgra, .bgr] {
      stage.store(try image(8, format), for: key(0, 8), version: version)
      await stage.finishWriting()
      let found = stage.image(for: key(0, 8), size: size, version: version)
      #expect(found?.format.hasAlpha == format.hasAlpha)
      let opaque = try? ImageTable(opening: folder.path + "/8x8-bgr.table")
      let isInBoth = try table(8).contains(key(0, 8).id) && opaque?.contains(key(0, 8).id) == true
      #expect(!isInBoth)
    }
  }

  @Test func aTableMadeByAnotherProcessIsFoundOnceOneWritesToo() async throws {
    let mine = stage()
    #expect(found(mine, 0..<1, side: 8).isEmpty)
    try await store(stage(), 0..<2, side: 8)
    try await store(mine, 2..<3, side: 8)
    #expect(found(mine, 0..<3, side: 8) == [0, 1, 2])
  }

  @Test func oneTableMayUseTheWholeLimitAndLosesWhatIsLongestUnused() async throws {
    // 32 × 32 × 4 bytes: one page.
    let limit = 4096 * 100
    let stage = stage(limit)
    try await store(stage, 0..<150, side: 32)
    #expect(try table(32).statistics.byteCount <= limit)
    #expect(found(stage, 0..<150, side: 32) == Array(50..<150))
  }

  @Test func twoBusyTablesKeepTheLimitTogether() async throws {
    let limit = 4096 * 256
    let stage = stage(limit)
    for turn in 0..<8 {
      try await store(stage, turn * 50..<turn * 50 + 50, side: 32)
      try await store(stage, turn * 50..<turn * 50 + 50, side: 31)
    }
    let bytes = try [table(32), table(31)].map(\.statistics.byteCount)
    #expect(bytes[0] + bytes[1] <= limit + limit / 64)
    for side in [32, 31] {
      // The newest are there: nobody takes all from the other.
      #expect(found(stage, 320..<400, side: side) == Array(320..<400))
    }
  }

  @Test func aTableThatNobodyUsedForADayGoesFirst() async throws {
    // Files grow by half a megabyte or so.
    let limit = 4096 * 512
    try await store(stage(limit), 0..<200, side: 31)
    let path = folder.path + "/31x31-bgra.table"
    var times = [timespec(tv_sec: time(nil) - 90_000, tv_nsec: 0), timespec()]
    times[1] = times[0]
    let isSet = utimensat(AT_FDCWD, path, times, 0) == 0
    try #require(isSet)
    let stage = stage(limit)
    try await store(stage, 0..<500, side: 32)
    #expect(!Files.exists(path))
    #expect(found(stage, 0..<500, side: 32).count > 450)
  }

  @Test func aFileOfAnotherKindIsNeverRemoved() async throws {
    let note = [UInt8](repeating: 7, count: 4096 * 600)
    try Files.create(folder.path + "/note.table", note)
    try Files.create(folder.path + "/readme.txt", [1])
    let stage = stage(4096 * 512)
    try await store(stage, 0..<600, side: 32)
    stage.removeAll()
    await stage.finishWriting()
    #expect(try Files.read(folder.path + "/note.table") == note)
    #expect(Files.exists(folder.path + "/readme.txt"))
  }

  @Test func theNumberOfFilesIsBounded() async throws {
    let stage = stage()
    for side in 1...TableStage.maximumTables + 6 { try await store(stage, 0..<1, side: side) }
    let names = try Files.list(folder.path).filter { $0.hasSuffix(".table") }
    #expect(names.count == TableStage.maximumTables)
    #expect(found(stage, 0..<1, side: TableStage.maximumTables + 6) == [0])
    #expect(found(stage, 0..<1, side: 1).isEmpty)
  }

  @Test func anImageOfOtherBytesIsNotFound() async throws {
    let stage = stage()
    try await store(stage, 0..<1, side: 8)
    let size = PixelSize(width: 8, height: 8)
    #expect(stage.image(for: key(0, 8), size: size, version: TableID("newer")) == nil)
    stage.store(try image(8), for: key(0, 8), version: TableID("newer"))
    await stage.finishWriting()
    #expect(stage.image(for: key(0, 8), size: size, version: TableID("newer")) != nil)
    #expect(found(stage, 0..<1, side: 8).isEmpty)
  }

  @Test func theBudgetLeavesEveryTableItsShare() {
    let budget = TableBudget(limit: 800, count: 4)
    #expect(budget.allowance(others: 0) == 800)
    #expect(budget.allowance(others: 300) == 500)
    #expect(budget.allowance(others: 790) == 200)
    #expect(budget.reduced(800) == 700)
    #expect(budget.reduced(250) == 200)
  }

  @Test func trimmingTakesTheSameShareOfEveryTable() async throws {
    let stage = stage()
    try await store(stage, 0..<40, side: 32)
    try await store(stage, 0..<20, side: 31)
    let tables = try TableFolder(folder.path).tables()
    let removed = try TableFolder.trim(tables, toBytes: 4096 * 30)
    #expect(removed == 30)
    #expect(try table(32).statistics.count == 20)
    #expect(try table(31).statistics.count == 10)
    #expect(found(stage, 0..<40, side: 32) == Array(20..<40))
  }
}
