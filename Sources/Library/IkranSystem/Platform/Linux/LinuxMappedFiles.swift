#if canImport(Glibc)
import Glibc

// What a mapped file needs of Linux. Glibc's module has none of these numbers; Linux has the same
// on all machines.
extension Platform {
  /// All of them; what a file system lacks shows when it is asked.
  static let present = Capabilities(Capabilities.allCases)

  /// Open file description locks (`F_OFD_GETLK`, `F_OFD_SETLK`, `F_OFD_SETLKW`).
  package static let locks = LockCommands(get: 36, set: 37, wait: 38)

  /// A flag of `open` with which the time of the last access stays (`O_NOATIME`); 0 for none.
  package static let noTimeOfAccess: CInt = 0o1_000_000

  /// What `lseek` takes for the next stored byte, and for the next hole.
  package static let (seekData, seekHole): (CInt, CInt) = (3, 4)

  /// Nanoseconds with which `futimens` leaves a time as it is (`UTIME_OMIT`).
  package static let unchangedTime = (1 << 30) - 2

  /// Allocates disk space for a range of a file, which becomes as long; an error's number, or 0.
  ///
  /// C function: `posix_fallocate`.
  package static func allocate(_ descriptor: CInt, _ range: Range<Int>) -> CInt {
    posix_fallocate(descriptor, range.lowerBound, range.count)
  }

  /// Frees the disk space of whole pages of a file, whose mapping of them begins at an address.
  ///
  /// C function: `madvise`, `MADV_REMOVE`.
  package static func punchHole(
    _ descriptor: CInt,
    _ range: Range<Int>,
    mappedAt start: UnsafeMutableRawPointer
  ) {
    madvise(start, range.count, MADV_REMOVE)
  }

  /// Maps pages so that they can be written without a fault; false when that is impossible, for
  /// example because the disk is full.
  ///
  /// C function: `madvise`, `MADV_POPULATE_WRITE`; before Linux 5.14 it does not exist.
  package static func populate(_ start: UnsafeMutableRawPointer, _ byteCount: Int) -> Bool {
    while madvise(start, byteCount, 23) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  /// Starts writing a range of a file to the disk in the background.
  ///
  /// C function: `sync_file_range`.
  package static func startWriteback(_ descriptor: CInt, _ range: Range<Int>) {
    let write: CUnsignedInt = 2
    _ = syncFileRange?(descriptor, range.lowerBound, range.count, write)
  }

  private typealias SyncFileRange = @convention(c) (CInt, Int, Int, CUnsignedInt) -> CInt
  private static let syncFileRange = dlsym(nil, "sync_file_range").map {
    unsafeBitCast($0, to: SyncFileRange.self)
  }

  /// Makes a file's bytes survive a power loss, but not all that is known of it; less than 0 when
  /// it fails.
  ///
  /// C function: `fdatasync`.
  package static func synchronizeData(_ descriptor: CInt) -> CInt { fdatasync(descriptor) }

  /// Whether the disk of an open file never needs room to change an allocated page.
  ///
  /// C function: `fstatfs`, which Glibc's module lacks; the kind is its first word.
  package static func changesPagesInPlace(_ descriptor: CInt) -> Bool {
    guard let fstatfs else { return false }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { words in
      guard let start = words.baseAddress, fstatfs(descriptor, start) == 0 else { return false }
      return changesPagesInPlace(kind: start.pointee)
    }
  }

  /// Whether a file system of this kind never needs room to change an allocated page.
  ///
  /// Those are ext2, ext3 and ext4, tmpfs and ramfs; one that is not known may.
  package static func changesPagesInPlace(kind: Int) -> Bool {
    [0xEF53, 0x0102_1994, 0x8584_58F6].contains(kind)
  }

  private static let fstatfs = dlsym(nil, "fstatfs").map {
    unsafeBitCast($0, to: (@convention(c) (CInt, UnsafeMutableRawPointer) -> CInt).self)
  }
}
#endif
