import Glibc
import Synchronization
import IkranSystem

/// The room on a file system that may write a change of a page to another place.
///
/// Btrfs always does, XFS while a copy shares the block (`cp` of coreutils 9 makes such copies),
/// others may. There a store through a mapping needs room after the page was written back, however
/// its bytes were allocated, and is a signal (`SIGBUS`) when there is none.
final class DiskRoom: Sendable {
  /// With less than this, stores may fail.
  private static let leastBytes = 8 << 20
  /// How long a result is used: a frame of a display.
  private static let interval: Int64 = 16_000_000

  private let descriptor: CInt
  private let isLow = Atomic(false)
  /// When it was last looked at, in nanoseconds.
  private let last = Atomic(Int64.min / 2)

  /// The room of an open file's disk; nil on a file system that always changes pages in their
  /// place.
  init?(of descriptor: CInt) {
    guard !Self.changesInPlace(Self.kind(descriptor)) else { return nil }
    self.descriptor = descriptor
  }

  /// Whether there was little room at some moment of the last 16 ms.
  ///
  /// C function: `fstatvfs`.
  var isUsedUp: Bool {
    let time = WallClock.coarseNanoseconds()
    if time &- last.load(ordering: .relaxed) < Self.interval {
      return isLow.load(ordering: .relaxed)
    }
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return isLow.load(ordering: .relaxed) }
    let blocks = UInt(Self.leastBytes) / max(1, UInt(status.f_frsize))
    isLow.store(status.f_bavail < blocks, ordering: .relaxed)
    last.store(time, ordering: .relaxed)
    return status.f_bavail < blocks
  }

  /// Whether a file system of this kind never needs room to change an allocated page.
  ///
  /// Those are ext2, ext3 and ext4, tmpfs and ramfs; one that is not known may.
  static func changesInPlace(_ kind: Int) -> Bool {
    [0xEF53, 0x0102_1994, 0x8584_58F6].contains(kind)
  }

  /// The number of a file's kind of file system; 0 when it cannot be read.
  ///
  /// C function: `fstatfs`, which Glibc's module lacks; the number is its first word.
  private static func kind(_ descriptor: CInt) -> Int {
    guard let fstatfs else { return 0 }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { words in
      guard let start = words.baseAddress, fstatfs(descriptor, start) == 0 else { return 0 }
      return start.pointee
    }
  }

  private static let fstatfs = dlsym(nil, "fstatfs").map {
    unsafeBitCast($0, to: (@convention(c) (CInt, UnsafeMutableRawPointer) -> CInt).self)
  }
}
