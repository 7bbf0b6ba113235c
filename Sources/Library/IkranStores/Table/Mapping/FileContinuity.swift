import Glibc

/// Whether the kernel has kept a file in memory since a process of this library marked it.
///
/// The mark is the file's write hint (`RWH_WRITE_LIFE_NONE`: the writer expects nothing, as without
/// a hint), which Linux keeps with the inode in memory and never writes to the disk. So it is gone
/// when the disk was taken away and mounted again, also within one boot, and when the system has
/// forgotten the file and all its pages.
enum FileContinuity {
  /// Marks an open file; without effect where there are no hints (before Linux 4.13), or for a user
  /// who may not set them (from 6.14 on, who does not own the file).
  ///
  /// C function: `fcntl`, `F_SET_RW_HINT`.
  static func mark(_ descriptor: CInt) {
    var hint = noLifetime
    _ = fcntl(descriptor, setHint, &hint)
  }

  /// Whether an open file is marked.
  ///
  /// C function: `fcntl`, `F_GET_RW_HINT`.
  static func isMarked(_ descriptor: CInt) -> Bool {
    var hint: UInt64 = 0
    return fcntl(descriptor, getHint, &hint) == 0 && hint == noLifetime
  }

  // Glibc's module has none of them; Linux has the same values on all machines.
  private static let getHint: CInt = 1035
  private static let setHint: CInt = 1036
  private static let noLifetime: UInt64 = 1
}
