#if canImport(Darwin)
import Darwin

// What a mapped file needs of Darwin.
extension Platform {
  /// Pictures are written by `pwrite`, a store always needs room, and files have no mark that is
  /// gone with their pages.
  static let present: Capabilities = [.findsHoles, .freesHoles, .preallocates]

  /// Open file description locks, as Linux has them under other numbers.
  package static let locks = LockCommands(get: F_OFD_GETLK, set: F_OFD_SETLK, wait: F_OFD_SETLKW)

  /// A flag of `open` with which the time of the last access stays; 0 for none.
  package static let noTimeOfAccess: CInt = 0

  /// What `lseek` takes for the next stored byte, and for the next hole.
  package static let (seekData, seekHole) = (SEEK_DATA, SEEK_HOLE)

  /// Nanoseconds with which `futimens` leaves a time as it is.
  package static let unchangedTime = Int(UTIME_OMIT)

  /// Allocates disk space for a range of a file, which becomes as long; an error's number, or 0.
  ///
  /// C functions: `fcntl`, `F_PREALLOCATE` for what lies beyond the file's end, and `ftruncate`. A
  /// hole before it stays one: a store there needs room, as every store does on APFS. So does one
  /// into all of the range where the file system cannot allocate: `ENOTSUP`, which fcntl(2) does
  /// not list, is what such a file system gives (xnu bsd/vfs/vfs_support.c, `err_allocate`).
  package static func allocate(_ descriptor: CInt, _ range: Range<Int>) -> CInt {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return errno }
    let missing = off_t(range.upperBound) - status.st_size
    guard missing > 0 else { return 0 }
    var wanted = fstore_t()
    wanted.fst_flags = UInt32(F_ALLOCATEALL)
    wanted.fst_posmode = F_PEOFPOSMODE
    wanted.fst_length = missing
    if fcntl(descriptor, F_PREALLOCATE, &wanted) != 0, errno != ENOTSUP { return errno }
    return ftruncate(descriptor, off_t(range.upperBound)) == 0 ? 0 : errno
  }

  /// Frees the disk space of the whole blocks of a range, which reads as zeros.
  ///
  /// C function: `fcntl`, `F_PUNCHHOLE`, which takes whole blocks of the file system.
  package static func punchHole(
    _ descriptor: CInt,
    _ range: Range<Int>,
    mappedAt start: UnsafeMutableRawPointer
  ) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_blksize > 0 else { return }
    let block = Int(status.st_blksize)
    let first = (range.lowerBound + block - 1) / block * block
    let end = range.upperBound / block * block
    guard first < end else { return }
    var hole = fpunchhole_t()
    (hole.fp_offset, hole.fp_length) = (off_t(first), off_t(end - first))
    _ = fcntl(descriptor, F_PUNCHHOLE, &hole)
  }

  /// It cannot: false.
  package static func populate(_ start: UnsafeMutableRawPointer, _ byteCount: Int) -> Bool { false }

  /// Starts writing a range of a file to the disk in the background: Darwin has no call for it.
  package static func startWriteback(_ descriptor: CInt, _ range: Range<Int>) {}

  /// Makes a file's bytes survive a power loss; less than 0 when it fails.
  ///
  /// `F_BARRIERFSYNC` orders writes and does not wait for the disk, so bytes may be lost after it.
  package static func synchronizeData(_ descriptor: CInt) -> CInt { synchronize(descriptor) }

  /// Whether the disk of an open file never needs room to change an allocated page: APFS writes
  /// each change to another place.
  package static func changesPagesInPlace(_ descriptor: CInt) -> Bool { false }
}
#endif
