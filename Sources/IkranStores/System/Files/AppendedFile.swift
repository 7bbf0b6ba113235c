import Glibc

/// A file that several processes append whole lines to.
final class AppendedFile: Sendable {
  private let descriptor: CInt
  /// Whether it held nothing when it was opened.
  let isNew: Bool

  /// Opens a file, made when it is missing; only its owner may read a new one.
  ///
  /// C function: `open` with `O_APPEND`.
  init(_ path: String) throws(SystemError) {
    // O_NONBLOCK: opening a pipe that nobody reads must not wait.
    let flags = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK
    let file = try OpenFile(path, flags: flags)
    isNew = try file.size() == 0
    descriptor = file.release()
  }

  deinit { close(descriptor) }

  /// Whether the file begins with some bytes.
  ///
  /// C function: `pread`.
  func begins(with bytes: [UInt8]) -> Bool {
    var start = [UInt8](repeating: 0, count: bytes.count)
    return pread(descriptor, &start, start.count, 0) == bytes.count && start == bytes
  }

  /// Appends bytes in one piece, which no other process's bytes come between; false when that was
  /// refused or cut short.
  ///
  /// C function: `write`.
  func append(_ bytes: [UInt8]) -> Bool {
    while true {
      let count = write(descriptor, bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      return count == bytes.count
    }
  }
}
