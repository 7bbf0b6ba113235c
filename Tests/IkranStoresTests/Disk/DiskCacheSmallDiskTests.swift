import StoreTorture
import Support
import Testing

@testable import IkranStores

/// A cache on a disk that another program has filled, used by a child process: a signal ends only
/// that.
@Suite(.timeLimit(.minutes(10))) struct DiskCacheSmallDiskTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Stores entries, and fills the disk to the last byte.
  private static let setUp = """
    "$0" disk-make "$1"
    for number in 1 2 3; do
      dd if=/dev/zero of="$1/filler$number" bs=512 2>/dev/null || true
      sync
    done
    """

  private func expectSuccess(of command: String, on disk: SmallDisk) throws {
    let program = try ChildProcess.program()
    let end = try disk.run(program, setUp: Self.setUp, command, on: folder.path)
    #expect(end.code == 0, "\(disk.rawValue): \(end.output)")
  }

  private static let commands = ["disk-read", "disk-remove", "disk-trim", "disk-clear"]

  /// Its blocks of 1 KB leave holes in each page of a mapped file.
  @Test(.enabled(if: SmallDisk.ext4.isAvailable, SmallDisk.ext4.reason), arguments: commands)
  func aFullExt4DiskIsReadAndEmptied(command: String) throws {
    try expectSuccess(of: command, on: .ext4)
  }

  /// A change of a page needs other room there, although the file has its own.
  @Test(.enabled(if: SmallDisk.btrfs.isAvailable, SmallDisk.btrfs.reason), arguments: commands)
  func aFullBtrfsDiskIsReadAndEmptied(command: String) throws {
    try expectSuccess(of: command, on: .btrfs)
  }

  /// As on a full disk that changes no page in its place; each write fails.
  @Test(.disabled(if: Sanitizer.watchesThreads, "ThreadSanitizer needs larger files than allowed"))
  func aCacheIsReadWhereNothingCanBeWritten() throws {
    let make = try ChildProcess(["disk-make", folder.path]).finish()
    #expect(make.code == 0, "\(make.output)")
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" disk-read \"$1\""
    let shell = ["/bin/sh", "-c", limited, try ChildProcess.program(), folder.path]
    let end = try ChildProcess(command: shell).finish()
    #expect(end.code == 0, "\(end.output)")
  }
}
