#if canImport(Glibc)
import Glibc

// What a fork needs of Linux.
extension Platform {
  /// How many bytes the path of an open file takes, with the zero at its end.
  package static let openFilePathLength = 32

  /// Writes the path under which a fork opens an open file again, as a C string; false when there
  /// is none.
  package static func path(
    ofOpenFile descriptor: CInt,
    into path: UnsafeMutablePointer<CChar>
  ) -> Bool {
    let text = "/proc/self/fd/\(descriptor)"
    for (index, byte) in text.utf8.enumerated() { path[index] = CChar(byte) }
    path[text.utf8.count] = 0
    return true
  }

  /// Has a page of memory read as zeros in forks; before Linux 4.14 it does not, and forks are not
  /// noticed.
  ///
  /// C function: `madvise`, `MADV_WIPEONFORK`.
  package static func wipeInForks(_ page: UnsafeMutableRawPointer, _ byteCount: Int) {
    madvise(page, byteCount, 18)
  }
}
#endif
