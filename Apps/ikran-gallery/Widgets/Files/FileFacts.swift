import Glibc
import IkranSystem

/// What the system knows of a file.
struct FileFacts: Sendable, Equatable {
  /// In bytes.
  let size: Int
  /// When its content was changed last, since 1970.
  let modified: Duration
  /// When its camera took the picture, since 1970; nil where that was not read.
  var taken: Duration?

  init(size: Int, modified: Duration) { (self.size, self.modified) = (size, modified) }

  /// Asks the system; nil when there is no such file.
  init?(path: String) {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
    size = Int(status.st_size)
    modified = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
  }
}
