import IkranPOSIX

/// Operations on whole files and folders; every failure is a `SystemError`.
///
/// All calls block; none takes a lock. Interrupted calls are repeated.
package enum Files {
  /// Reads a whole ordinary file; one larger than `maximumBytes` throws `EFBIG`.
  package static func read(
    _ path: String,
    maximumBytes: Int = .max
  ) throws(SystemError) -> [UInt8] {
    // O_NONBLOCK: opening a pipe must not wait for a writer; it has no effect on a file.
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    let size = try file.size()
    guard size <= maximumBytes else {
      throw .tooLarge("read", path)
    }
    if size == 0 { return try readUnsized(file, path, maximumBytes) }
    return try bytes(upTo: size, of: file)
  }

  /// Reads a file of known size: that many bytes, and one more if the file is longer.
  ///
  /// Above 1 MB the file's own size bounds the memory that a wrong `byteCount` can take. System
  /// calls: `open`, `read` and `close`, and above 1 MB `fstat`. One allocation, not cleared.
  package static func read(_ path: String, expecting byteCount: Int) throws(SystemError) -> [UInt8]
  {
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    let count = byteCount > 1 << 20 ? min(byteCount, try file.size()) : byteCount
    return try bytes(upTo: count + 1, atLeast: count, of: file)
  }

  /// Reads a file whose reported size is 0, as in /proc, until it ends.
  private static func readUnsized(
    _ file: borrowing OpenFile,
    _ path: String,
    _ maximumBytes: Int
  ) throws(SystemError) -> [UInt8] {
    var result: [UInt8] = []
    while true {
      let part = try bytes(upTo: 16_384, of: file)
      guard !part.isEmpty else { return result }
      result += part
      guard result.count <= maximumBytes else { throw .tooLarge("read", path) }
    }
  }

  private static func bytes(
    upTo count: Int,
    atLeast least: Int? = nil,
    of file: borrowing OpenFile
  ) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try file.read(into: UnsafeMutableRawBufferPointer(buffer), atLeast: least)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes a new file that only its owner may read; an existing one throws `EEXIST`.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    try write(bytes, to: path, durable: false, mode: 0o600, permissions: nil)
  }

  /// Writes over an existing ordinary file with one name, whose bytes are then a mix if that fails.
  ///
  /// System calls: `getrlimit`, `open`, `fstat`, `write` and `close`, and `ftruncate` if it was
  /// longer.
  package static func overwrite(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    try checkSizeLimit(bytes.count, path)
    let file = try OpenFile(path, flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
    let size = try file.sizeOfOnlyName()
    try write(bytes, to: file)
    if size > bytes.count { try file.truncate(to: bytes.count) }
    try file.finish()
  }

  private static func write(
    _ bytes: [UInt8],
    to path: String,
    durable: Bool,
    mode: mode_t,
    permissions: mode_t?
  ) throws(SystemError) {
    try checkSizeLimit(bytes.count, path)
    let file = try OpenFile(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    do throws(SystemError) {
      if let permissions { try file.setPermissions(permissions) }
      try write(bytes, to: file)
      if durable { try file.synchronize() }
      try file.finish()
    } catch {
      _ = path.withPath { unlink($0) }
      throw error
    }
  }

  /// Replaces a file atomically: readers find the old bytes or the new ones, never a mix.
  ///
  /// Writes a temporary file (`….tmp`) in the same folder and renames it. With `durable` this also
  /// holds after a power loss: the file is synchronized before it is renamed, the folder after.
  ///
  /// The file's permissions are `permissions` or, without, `mode` less the process's umask.
  package static func writeAtomically(
    _ bytes: [UInt8],
    to path: String,
    durable: Bool = true,
    mode: UInt32 = 0o600,
    permissions: UInt32? = nil
  ) throws(SystemError) {
    let suffix = String(UInt64.random(in: 0 ... .max), radix: 16)
    let temporary = "\(path).\(suffix).tmp"
    try write(
      bytes,
      to: temporary,
      durable: durable,
      mode: mode_t(mode),
      permissions: permissions.map { mode_t($0) }
    )
    do throws(SystemError) {
      try rename(temporary, to: path)
    } catch {
      _ = temporary.withPath { unlink($0) }
      throw error
    }
    if durable { synchronizeFolder(of: path) }
  }

  /// Writes a new file that only its owner may read or write, whatever the umask.
  ///
  /// Readers find all of it or nothing, also after a power loss. An existing file stays.
  package static func createPrivately(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let temporary = "\(path).\(UInt64.random(in: 0 ... .max)).tmp"
    try write(bytes, to: temporary, durable: true, mode: 0o600, permissions: 0o600)
    do throws(SystemError) {
      try renameWithoutReplacing(temporary, to: path)
    } catch {
      _ = temporary.withPath { unlink($0) }
      throw error
    }
    synchronizeFolder(of: path)
  }

  /// Reads a small ordinary file, which a symbolic link does not lead to.
  ///
  /// - Returns: Its bytes, and whether only its owner may read it; nil when it has another size.
  package static func readPrivately(_ path: String, byteCount: Int) -> (
    bytes: [UInt8], isPrivate: Bool
  )? {
    guard let file = try? OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let status = try? file.status(), Int(status.st_size) == byteCount,
      let content = try? bytes(upTo: byteCount, of: file)
    else { return nil }
    return (content, status.st_mode & 0o077 == 0)
  }

  /// Makes the name of a file survive a power loss, if the file system supports it.
  package static func synchronizeFolder(of path: String) {
    // A failure is ignored: some file systems refuse the call, and the file itself is synchronized.
    if let folder = try? OpenFile(folder: parent(of: path)) {
      try? folder.synchronize()
    }
  }

  /// Throws if a file of this size would exceed the limit on file sizes; a write beyond the limit
  /// would raise `SIGXFSZ`.
  ///
  /// C function: `getrlimit`.
  package static func checkSizeLimit(_ byteCount: Int, _ path: String) throws(SystemError) {
    guard Platform.fileSizeLimit >= UInt64(byteCount) else { throw .tooLarge("write", path) }
  }

  /// Renames a file on the same file system; replaces the target atomically.
  package static func rename(_ path: String, to target: String) throws(SystemError) {
    guard path.withPath({ path in target.withPath { IkranPOSIX.rename(path, $0) } }) == 0 else {
      throw .last("rename", path)
    }
  }

  /// Gives a file a second name on the same file system; an existing target throws `EEXIST`.
  package static func link(_ path: String, to target: String) throws(SystemError) {
    guard link(path, target) == 0 else { throw .last("link", path) }
  }

  private static func link(_ path: String, _ target: String) -> CInt {
    path.withPath { path in target.withPath { IkranPOSIX.link(path, $0) } }
  }

  /// Copies a file, or a folder with all its files and folders; anything else is left out.
  ///
  /// New folders and files are for the owner only. An existing target throws `EEXIST`; after a
  /// failure the target is removed.
  package static func copyTree(_ path: String, to target: String) throws(SystemError) {
    guard !exists(target) else {
      throw SystemError(code: EEXIST, operation: "copy to", path: target)
    }
    do throws(SystemError) {
      try copyContents(path, to: target)
    } catch {
      // The first error is the one to report.
      try? removeTree(target)
      throw error
    }
  }

  private static func copyContents(_ path: String, to target: String) throws(SystemError) {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else { throw .last("copy", path) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: try copy(path, to: target)
    case S_IFDIR:
      try createDirectories(target)
      for name in try list(path) {
        try copyContents("\(path)/\(name)", to: "\(target)/\(name)")
      }
    default: break
    }
  }

  private static func copy(_ path: String, to target: String) throws(SystemError) {
    let source = try OpenFile(path, flags: O_RDONLY)
    let copy = try OpenFile(target, flags: O_WRONLY | O_CREAT | O_EXCL)
    while true {
      let part = try bytes(upTo: 1 << 20, of: source)
      guard !part.isEmpty else { break }
      try write(part, to: copy)
    }
    try copy.finish()
  }

  private static func write(
    _ bytes: [UInt8],
    to file: borrowing OpenFile
  ) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try file.write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Renames a file unless the target exists; in that case the file is removed.
  package static func renameWithoutReplacing(
    _ path: String,
    to target: String
  ) throws(SystemError) {
    if link(path, target) != 0 && errno != EEXIST {
      // Without hard links, the last `rename` wins.
      return try rename(path, to: target)
    }
    try remove(path)
  }

  /// Creates a folder and its missing parents, for the owner only (0700).
  package static func createDirectories(_ path: String) throws(SystemError) {
    if makeDirectory(path) == 0 { return }
    var failure = SystemError.last("create", path)
    // An existing folder fails with EEXIST, or with EROFS on a read-only disk.
    if isDirectory(path) { return }
    // What existed at the path has been removed since.
    if failure.code == EEXIST && !exists(path) {
      if makeDirectory(path) == 0 || isDirectory(path) { return }
      failure = .last("create", path)
    }
    guard failure.code == ENOENT, path != parent(of: path) else { throw failure }
    try createDirectories(parent(of: path))
    if makeDirectory(path) != 0 && errno != EEXIST { throw .last("create", path) }
  }

  private static func makeDirectory(_ path: String) -> CInt {
    path.withPath { mkdir($0, 0o700) }
  }

  /// Removes a file or an empty folder; returns whether there was one.
  @discardableResult
  package static func remove(_ path: String) throws(SystemError) -> Bool {
    if path.withPath({ IkranPOSIX.remove($0) }) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw .last("remove", path)
  }

  /// Removes a file, or a folder with its contents; links are removed, not followed.
  package static func removeTree(_ path: String) throws(SystemError) {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw .last("remove", path)
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in try list(path) { try removeTree("\(path)/\(name)") }
    }
    try remove(path)
  }

  /// The names in a folder, sorted, without `.` and `..`; a missing folder throws.
  package static func list(_ path: String) throws(SystemError) -> [String] {
    guard let folder = path.withPath({ opendir($0) }) else { throw .last("list", path) }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      // The name is a C string inside the entry, which readdir owns until its next call.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        // Its capacity differs between systems.
        String(path: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    // `readdir` also returns nil at an error; only `errno` tells it from the end.
    guard errno == 0 else { throw .last("list", path) }
    return names.sorted()
  }

  /// Whether the path exists.
  package static func exists(_ path: String) -> Bool { path.withPath { access($0, F_OK) } == 0 }

  /// Whether this process may write to the path.
  package static func isWritable(_ path: String) -> Bool { path.withPath { access($0, W_OK) } == 0 }

  /// Whether no process but one of root may write to the path: its disk is mounted read-only, or
  /// its permission bits let no user write.
  ///
  /// C functions: `statvfs`, `stat`.
  package static func isImmutable(_ path: String) -> Bool {
    var disk = statvfs()
    if path.withPath({ statvfs($0, &disk) }) == 0, disk.f_flag & UInt(ST_RDONLY) != 0 {
      return true
    }
    return permissions(path).map { $0 & 0o222 == 0 } ?? false
  }

  /// Whether the path is that of an ordinary file.
  package static func isOrdinary(_ path: String) -> Bool { kind(of: path) == S_IFREG }

  /// Whether the path is that of a pipe.
  package static func isPipe(_ path: String) -> Bool { kind(of: path) == S_IFIFO }

  /// Whether the path is a folder.
  package static func isDirectory(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The size in bytes of the file at the path; nil when it does not exist.
  ///
  /// A sparse file may have any length: it is limited to a petabyte, so that sums do not overflow.
  package static func size(_ path: String) -> Int? {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 ? min(Int(status.st_size), 1 << 50) : nil
  }

  /// The free bytes for this user on the disk of a folder; `Int.max` when they are not known.
  ///
  /// C function: `statvfs`.
  package static func freeByteCount(at path: String) -> Int {
    var status = statvfs()
    guard path.withPath({ statvfs($0, &status) }) == 0, status.f_frsize > 0 else { return .max }
    let blocks = UInt(status.f_bavail)
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }

  /// The permission bits of the file at the path, such as 0o600; nil when it does not exist.
  package static func permissions(_ path: String) -> UInt32? {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 ? UInt32(status.st_mode & 0o7777) : nil
  }

  /// The seconds since the file was last written; nil when it does not exist.
  package static func age(_ path: String) -> Int? {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
    // A file may have any time of change, so the difference may overflow.
    let (age, overflow) = time(nil).subtractingReportingOverflow(status.written.tv_sec)
    return overflow ? .max : age
  }

  /// The absolute path, which stays right when the working folder changes.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let current = getcwd(nil, 0) else { throw .last("find", path) }
    defer { free(current) }
    return String(path: current) + "/" + path
  }

  /// The parent folder of a path.
  package static func parent(of path: String) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}
