import Glibc
import IkranStores

/// Output files: replaced atomically, with the permissions users expect.
enum OutputFile {
  /// Writes a new file, or replaces an old one atomically and keeps its permissions.
  ///
  /// A link is followed; a device or a pipe is written directly.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw SystemError.last("write", path) }
      return try replace(path, with: bytes, mode: nil, shown: path)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let target = realpath(path, nil)
      defer { free(target) }
      try replace(
        target.map { String(cString: $0) } ?? path,
        with: bytes,
        mode: status.st_mode & 0o7777,
        shown: path
      )
    case S_IFDIR:
      throw SystemError(code: EISDIR, operation: "write", path: path)
    default:
      try write(bytes, to: path, flags: O_WRONLY, mode: nil, shown: path)
    }
  }

  private static func replace(
    _ path: String,
    with bytes: [UInt8],
    mode: mode_t?,
    shown: String
  ) throws(SystemError) {
    let suffix = String(UInt64.random(in: 0 ... .max), radix: 36)
    let temporary = "\(path).\(suffix).tmp"
    do throws(SystemError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL
      try write(bytes, to: temporary, flags: flags, mode: mode, shown: shown)
      guard rename(temporary, path) == 0 else { throw SystemError.last("write", shown) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func write(
    _ bytes: [UInt8],
    to path: String,
    flags: CInt,
    mode: mode_t?,
    shown: String
  ) throws(SystemError) {
    let file = open(path, flags | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw SystemError.last("write", shown) }
    defer { close(file) }
    if let mode, fchmod(file, mode) != 0 { throw SystemError.last("write", shown) }
    guard send(bytes, to: file) else { throw SystemError.last("write", shown) }
  }

  /// Writes all bytes to an open file; on false, `errno` has the reason.
  static func send(_ bytes: [UInt8], to file: CInt) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(1 << 16))
      let count = Glibc.write(file, piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
