import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Full and read-only disks, used by a child process.
@Suite(.timeLimit(.minutes(10))) struct TableDiskTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  /// Exceeding the limit on file sizes raises a signal: the table must never exceed it.
  @Test(arguments: [false, true])
  func aFullDiskIsAnErrorAtEverySize(isSignalIgnored: Bool) throws {
    let signal = isSignalIgnored ? "1" : "0"
    let limits = "\(Rounds.fewer(16, atLeast: 4))"
    let child = try ChildProcess(["table-full", folder.path, signal, limits])
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
  }

  @Test(arguments: [0o555, 0o000, 0o400] as [mode_t])
  func aFolderThatMayNotBeWrittenIsAnError(permissions: mode_t) throws {
    let inner = "\(folder.path)/inner"
    var format = TableTorture.format
    format.access = .everyone
    do {
      let table = try ImageTable(at: inner, format: format)
      for id in 0..<10 as Range<UInt64> { try table.put(id) }
    }
    // A child that is root changes to the user `nobody`.
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(chmod("\(inner)/torture.table", 0o444) == 0)
    #expect(chmod(inner, permissions) == 0)
    let end = try ChildProcess(["table-read-only", inner]).finish()
    #expect(chmod(inner, 0o755) == 0)
    #expect(end.code == 0, "\(end.output)")
    let table = try ImageTable(at: inner, format: format)
    for id in 0..<10 as Range<UInt64> { #expect(table.version(id) == 1) }
  }

  @Test(arguments: [false, true])
  func aReaderWithoutWritePermissionGetsPictures(isCompacted: Bool) throws {
    let inner = "\(folder.path)/inner"
    var format = TableTorture.format
    format.access = .everyone
    let table = try ImageTable(at: inner, format: format)
    for id in 0..<10 as Range<UInt64> { try table.put(id, version: id) }
    for path in [folder.path, inner] { #expect(chmod(path, 0o755) == 0) }
    // A reader that is not root needs no permission to be missing.
    #expect(geteuid() == 0 || chmod(table.path, 0o444) == 0)
    let child = try ChildProcess(["table-read", inner])
    try #require(child.waitForOutput(1))
    #expect(try table.entries().allSatisfy { !$0.isHeld })
    for id in 100..<140 as Range<UInt64> { try table.put(id) }
    if isCompacted { try table.compact() }
    for id in 0..<10 as Range<UInt64> { try table.put(id, version: 7) }
    child.send(SIGUSR1)
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
    #expect(try table.isClean())
  }

  @Test func aTableCannotBeCreatedInProc() throws {
    #expect(throws: TableError.self) {
      try ImageTable(at: "/proc/ikran-tables", format: .small())
    }
    #expect(throws: TableError.self) { try ImageTable(opening: "/proc/self/status") }
    #expect(throws: TableError.self) { try ImageTable(opening: "/dev/zero") }
  }
}
