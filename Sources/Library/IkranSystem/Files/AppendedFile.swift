import IkranPOSIX

/// A file that several processes append whole lines to.
package final class AppendedFile: Sendable {
  private let descriptor: CInt
  /// Whether it was empty when it was opened.
  package let isNew: Bool

  /// Opens a file, which is created when missing; only its owner may read a new one.
  ///
  /// C function: `open` with `O_APPEND`.
  package init(_ path: String) throws(SystemError) {
    // O_NONBLOCK: opening a pipe without a reader must not wait.
    let flags = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK
    let file = try OpenFile(path, flags: flags)
    isNew = try file.size() == 0
    descriptor = file.release()
  }

  deinit { close(descriptor) }

  /// Whether the file begins with some bytes.
  ///
  /// C function: `pread`.
  package func begins(with bytes: [UInt8]) -> Bool {
    var start = [UInt8](repeating: 0, count: bytes.count)
    return pread(descriptor, &start, start.count, 0) == bytes.count && start == bytes
  }

  /// Appends bytes with one call, so that bytes of other processes do not come between; false when
  /// not all were written.
  ///
  /// C function: `write`.
  package func append(_ bytes: [UInt8]) -> Bool {
    while true {
      let count = write(descriptor, bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      return count == bytes.count
    }
  }
}
