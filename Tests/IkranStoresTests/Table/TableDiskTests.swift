import Glibc
import IkranPixels
import IkranStores
import StoreTorture
import Support
import Testing

/// Disks that are full or may not be written, tried by a child process.
@Suite(.timeLimit(.minutes(10))) struct TableDiskTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  /// Exceeding a limit on file sizes sends a signal: the table must never do so.
  @Test(arguments: [false, true])
  func aFullDiskIsAnErrorAtEverySize(isSignalIgnored: Bool) throws {
    let child = try ChildProcess(["table-full", folder.path, isSignalIgnored ? "1" : "0"])
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
  }

  /// Runs the program on a small disk that only it sees; nil where the system does not allow that.
  private func run(onDisk setUp: String, _ command: String) throws -> (code: Int, output: String)? {
    let tool = "/usr/bin/unshare"
    guard Files.exists(tool) else { return nil }
    // A mount namespace of its own: the disk vanishes with the process.
    let script = """
      mount -t tmpfs -o size=1500k none "$1" || exit 77
      \(setUp)
      exec "$0" \(command) "$1"
      """
    let program = try ChildProcess.program()
    let words = ["-r", "-m", "/bin/sh", "-c", script, program, folder.path]
    let end = try ChildProcess(command: [tool] + words).finish()
    if end.code == 77 || end.output.isEmpty && end.code == 1 { return nil }
    return end
  }

  @Test func aSmallDiskIsFilledWithoutLoss() throws {
    guard let end = try run(onDisk: "", "table-disk") else { return }
    #expect(end.code == 0, "\(end.output)")
  }

  @Test func aDiskThatOthersFillLosesNothing() throws {
    // The table's room is taken before; then there is none for anybody.
    let setUp = """
      "$0" table-make "$1" || exit 3
      dd if=/dev/zero of="$1/filler" bs=4096 2>/dev/null
      """
    guard let end = try run(onDisk: setUp, "table-crowded") else { return }
    #expect(end.code == 0, "\(end.output)")
  }

  @Test func aDiskMountedReadOnlyIsAnError() throws {
    let setUp = """
      "$0" table-make "$1" || exit 3
      mount -o remount,ro "$1" || exit 77
      """
    guard let end = try run(onDisk: setUp, "table-read-only") else { return }
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
    // The child becomes nobody when it is root.
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(chmod("\(inner)/torture.table", 0o444) == 0)
    #expect(chmod(inner, permissions) == 0)
    let end = try ChildProcess(["table-read-only", inner]).finish()
    #expect(chmod(inner, 0o755) == 0)
    #expect(end.code == 0, "\(end.output)")
    let table = try ImageTable(at: inner, format: format)
    for id in 0..<10 as Range<UInt64> { #expect(table.version(id) == 1) }
  }

  @Test func aTableMayNotBeMadeWhereNobodyMakesFiles() throws {
    #expect(throws: TableError.self) {
      try ImageTable(at: "/proc/ikran-tables", format: .small())
    }
    #expect(throws: TableError.self) { try ImageTable(opening: "/proc/self/status") }
    #expect(throws: TableError.self) { try ImageTable(opening: "/dev/zero") }
  }
}
