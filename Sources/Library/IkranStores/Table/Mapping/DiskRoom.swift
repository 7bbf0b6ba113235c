import IkranPOSIX
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
    let canBeAbsent = Platform.capabilities.contains(.changesPagesInPlace)
    guard !(canBeAbsent && Platform.changesPagesInPlace(descriptor)) else { return nil }
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
    let isLow = UInt(status.f_bavail) < UInt(Self.leastBytes) / max(1, UInt(status.f_frsize))
    self.isLow.store(isLow, ordering: .relaxed)
    last.store(time, ordering: .relaxed)
    return isLow
  }
}
