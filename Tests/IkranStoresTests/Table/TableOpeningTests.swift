import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Many processes and threads that open tables at once.
@Suite(.timeLimit(.minutes(10))) struct TableOpeningTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  /// The second process must not replace the first one's table by an empty one.
  @Test func oneOfManyProcessesReplacesAnInvalidFile() throws {
    let folder = folder
    let path = "\(folder.path)/small.table"
    for round in 0..<Rounds.fewer(200, atLeast: 40, concurrent: true) {
      try Files.remove(path)
      try Files.create(path, TableHeaderStub.cut)
      onThreads(4) { number in
        do { try folder.table().put(UInt64(number)) } catch {
          Issue.record("round \(round), thread \(number): \(error)")
        }
      }
      let table = try folder.table()
      try #require(try table.ids.sorted() == [0, 1, 2, 3], "round \(round)")
      #expect(try folder.names == ["small.table"])
    }
  }

  /// The last strong reference to a file may be released by a thread that opens one.
  @Test func tablesAreOpenedAndClosedByManyThreadsAtOnce() throws {
    let folder = folder
    let count = Rounds.fewer(400, atLeast: 100, concurrent: true)
    onThreads(8) { number in
      for round in 0..<count {
        do {
          let table = try folder.table("t\((number + round) % 2)")
          if round % 8 == 0 { try table.put(UInt64(number)) }
        } catch {
          Issue.record("thread \(number): \(error)")
        }
      }
    }
    for name in ["t0", "t1"] { #expect(try folder.table(name).isClean()) }
  }

  @Test func usingATableLeavesTheTimeOfItsLastAccess() throws {
    let path = "\(folder.path)/small.table"
    do { try folder.table().put(1) }
    // Earlier than the last change, which stays (`UTIME_OMIT`): by default Linux sets it at the next access.
    let times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    #expect(try folder.table().version(1) == 1)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_atim.tv_sec == 1000)
  }
}

/// The beginning of a truncated table.
private enum TableHeaderStub {
  static let cut = Array("IKRTABLE".utf8)
}
