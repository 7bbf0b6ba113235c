import Glibc
import IkranStores
import StoreTorture
import Support
import Testing

/// Small disks of several file systems that become full, used by a child process.
///
/// A store through a mapping that needs room on a full disk would end it with a signal.
@Suite(.timeLimit(.minutes(10))) struct TableSmallDiskTests {
  private let folder: TableFolder

  init() throws { folder = try TableFolder() }

  /// Fills the rest of the disk.
  private static let fill = "dd if=/dev/zero of=\"$1/filler\" bs=4096 2>/dev/null || true"

  private func expectSuccess(of command: String, on disk: SmallDisk, setUp: String = "") throws {
    let end = try disk.run(ChildProcess.program(), setUp: setUp, command, on: folder.path)
    #expect(end.code == 0, "\(disk.rawValue): \(end.output)")
  }

  private func expectThatASparseCopyIsAnError(on disk: SmallDisk) throws {
    try expectSuccess(
      of: "table-sparse",
      on: disk,
      setUp: """
        "$0" table-make "$1"
        cp --sparse=always "$1/torture.table" "$1/copy"
        mv "$1/copy" "$1/torture.table"
        \(Self.fill)
        """
    )
  }

  // MARK: - tmpfs

  @Test(.enabled(if: SmallDisk.tmpfs.isAvailable, SmallDisk.tmpfs.reason))
  func aSmallDiskIsFilledWithoutLoss() throws {
    try expectSuccess(of: "table-disk", on: .tmpfs)
  }

  @Test(.enabled(if: SmallDisk.tmpfs.isAvailable, SmallDisk.tmpfs.reason))
  func aDiskFilledByAnotherProcessLosesNothing() throws {
    // The table's disk space is allocated before another process fills the disk.
    try expectSuccess(
      of: "table-filled",
      on: .tmpfs,
      setUp: "\"$0\" table-make \"$1\"; \(Self.fill)"
    )
    try expectSuccess(of: "table-crowded", on: .tmpfs)
  }

  @Test(.enabled(if: SmallDisk.tmpfs.isAvailable, SmallDisk.tmpfs.reason))
  func aCopyWithHolesOnAFullDiskIsAnErrorAndNoSignal() throws {
    try expectThatASparseCopyIsAnError(on: .tmpfs)
  }

  @Test(.enabled(if: SmallDisk.tmpfs.isAvailable, SmallDisk.tmpfs.reason))
  func aDiskMountedReadOnlyIsAnError() throws {
    try expectSuccess(
      of: "table-read-only",
      on: .tmpfs,
      setUp: """
        "$0" table-make "$1"
        mount -o remount,ro "$1"
        """
    )
  }

  // MARK: - ext4

  @Test(.enabled(if: SmallDisk.ext4.isAvailable, SmallDisk.ext4.reason))
  func aSmallExt4DiskIsFilledWithoutLoss() throws {
    try expectSuccess(of: "table-disk", on: .ext4)
  }

  @Test(.enabled(if: SmallDisk.ext4.isAvailable, SmallDisk.ext4.reason))
  func anExt4DiskFilledByAnotherProcessLosesNothing() throws {
    try expectSuccess(
      of: "table-filled",
      on: .ext4,
      setUp: "\"$0\" table-make \"$1\"; \(Self.fill)"
    )
    try expectSuccess(of: "table-crowded", on: .ext4)
  }

  /// Its blocks of 1 KB leave holes in the page of the header, too.
  @Test(.enabled(if: SmallDisk.ext4.isAvailable, SmallDisk.ext4.reason))
  func aCopyWithHolesOnAFullExt4DiskIsAnErrorAndNoSignal() throws {
    try expectThatASparseCopyIsAnError(on: .ext4)
  }

  /// The header and the records reached the disk, the pictures did not, and the machine runs on.
  @Test(.enabled(if: SmallDisk.ext4.isAvailable, SmallDisk.ext4.reason))
  func picturesThatADiskLostWithoutARebootAreMissingAndNotWrong() throws {
    try expectSuccess(
      of: "table-lost",
      on: .ext4,
      setUp: """
        "$0" table-make "$1"
        sync
        "$0" table-lose "$1"
        \(SmallDisk.remount)
        """
    )
  }

  // MARK: - btrfs

  /// Space that was allocated is of no use there: a change needs other space.
  @Test(.enabled(if: SmallDisk.btrfs.isAvailable, SmallDisk.btrfs.reason))
  func aTableIsReadWhileABtrfsDiskIsFullAndChangedAfterwards() throws {
    try expectSuccess(of: "table-crowded", on: .btrfs)
  }

  @Test(.enabled(if: SmallDisk.btrfs.isAvailable, SmallDisk.btrfs.reason))
  func aCopyWithHolesOnAFullBtrfsDiskIsAnErrorAndNoSignal() throws {
    try expectThatASparseCopyIsAnError(on: .btrfs)
  }

  @Test(.enabled(if: SmallDisk.btrfs.isAvailable, SmallDisk.btrfs.reason))
  func picturesReleasedWhileABtrfsDiskIsFullAreNotHeldByTheNextProcess() throws {
    try expectSuccess(of: "table-release", on: .btrfs)
  }

  @Test(.enabled(if: SmallDisk.largeBtrfs.isAvailable, SmallDisk.largeBtrfs.reason))
  func aDrawingLargerThanTheRestOfABtrfsDiskIsAnErrorAndNoSignal() throws {
    try expectSuccess(of: "table-large", on: .largeBtrfs)
  }

  // MARK: - Shorter files

  @Test func aFileThatAnotherProgramMakesShorterLosesEntriesOrIsAnError() throws {
    let end = try ChildProcess(["table-shortened", folder.path]).finish()
    #expect(end.code == 0, "\(end.output)")
  }

  @Test func slotsThatAnotherProcessHasDroppedAreNotUsed() throws {
    let child = try ChildProcess(["table-cut", folder.path])
    try #require(child.waitForOutput(1))
    let path = "\(folder.path)/torture.table"
    let whole = try #require(Files.size(path))
    try #require(truncate(path, whole / 2) == 0)
    let table = try ImageTable(opening: path)
    #expect(try table.verify().dropped == 0)
    child.send(SIGUSR1)
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
  }
}
