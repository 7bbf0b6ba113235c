#if canImport(Glibc)
import Glibc

// The mark that the kernel keeps with an inode.
extension Platform {
  /// Marks an open file; without effect where there are no hints (before Linux 4.13), or for a user
  /// who may not set them (from 6.14 on, who does not own the file).
  ///
  /// C function: `fcntl`, `F_SET_RW_HINT`.
  package static func mark(_ descriptor: CInt) {
    var hint = noLifetime
    _ = fcntl(descriptor, 1036, &hint)
  }

  /// Whether an open file is marked.
  ///
  /// C function: `fcntl`, `F_GET_RW_HINT`.
  package static func isMarked(_ descriptor: CInt) -> Bool {
    var hint: UInt64 = 0
    return fcntl(descriptor, 1035, &hint) == 0 && hint == noLifetime
  }

  /// The hint of who expects nothing (`RWH_WRITE_LIFE_NONE`), which changes nothing.
  private static let noLifetime: UInt64 = 1
}
#endif
