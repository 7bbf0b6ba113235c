import Glibc
import IkranSystem

/// Output files: replaced atomically, with the permissions users expect.
enum OutputFile {
  /// The path of a file without links, `.` and `..`; nil when it does not exist.
  static func resolved(_ path: String) -> String? {
    guard let found = path.withPath({ realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return String(path: found)
  }

  /// Makes a folder and its missing parents.
  static func makeFolder(_ path: String) throws(SystemError) {
    guard !path.isEmpty, makeDirectory(path) != 0 else { return }
    let failure = SystemError.last("create", path)
    if Files.isDirectory(path) { return }
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    guard failure.code == ENOENT, !parent.isEmpty else { throw failure }
    try makeFolder(path.hasPrefix("/") ? "/" + parent : parent)
    if makeDirectory(path) != 0, !Files.isDirectory(path) { throw .last("create", path) }
  }

  private static func makeDirectory(_ path: String) -> CInt { path.withPath { mkdir($0, 0o777) } }

  /// Writes a new file, or replaces an old one atomically and keeps its permissions.
  ///
  /// A link is followed; a device or a pipe is written directly.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    var status = stat()
    let isThere = path.withPath { stat($0, &status) } == 0
    guard isThere || errno == ENOENT else { throw .last("write", path) }
    switch isThere ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFREG:
      let target = isThere ? resolved(path) : nil
      do throws(SystemError) {
        try Files.writeAtomically(
          bytes,
          to: target ?? path,
          durable: false,
          mode: 0o666,
          permissions: isThere ? status.st_mode & 0o7777 : nil
        )
      } catch {
        // The path as the user wrote it, not the temporary file's.
        throw SystemError(code: error.code, operation: "write", path: path)
      }
    case S_IFDIR:
      throw SystemError(code: EISDIR, operation: "write", path: path)
    default:
      let file = path.withPath { open($0, O_WRONLY | O_CLOEXEC) }
      guard file >= 0 else { throw .last("write", path) }
      defer { close(file) }
      guard Output.send(bytes, to: file) else { throw .last("write", path) }
    }
  }
}
