import Glibc

/// Whole files and folders, with every failure as a `SystemError`.
///
/// All calls block; none takes a lock. Interrupted calls are repeated.
package enum Files {
  /// Which file a path leads to, so that a replaced file is noticed.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let node: UInt64
  }

  /// Reads a whole ordinary file; one larger than `maximumBytes` throws `EFBIG`.
  package static func read(
    _ path: String,
    maximumBytes: Int = .max
  ) throws(SystemError) -> [UInt8] {
    // O_NONBLOCK: opening a pipe must not wait for a writer; it means nothing for a file.
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    let size = try file.size()
    guard size <= maximumBytes else {
      throw SystemError(code: EFBIG, operation: "read", path: path)
    }
    if size == 0 { return try readUnsized(file, path, maximumBytes) }
    return try bytes(upTo: size, of: file)
  }

  /// Reads a file of which the size is known: as many bytes, and one more if there are more.
  ///
  /// Where a wrong size would cost much memory, the file is asked first.
  package static func read(_ path: String, expecting byteCount: Int) throws(SystemError) -> [UInt8]
  {
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    let count = byteCount > 1 << 20 ? min(byteCount, try file.size()) : byteCount
    return try bytes(upTo: count + 1, of: file)
  }

  /// Reads a file that says it has no bytes, as those in /proc do, until it ends.
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
      guard result.count <= maximumBytes else {
        throw SystemError(code: EFBIG, operation: "read", path: path)
      }
    }
  }

  private static func bytes(
    upTo count: Int,
    of file: borrowing OpenFile
  ) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes a new file that only its owner may read; an existing one throws `EEXIST`.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    try write(bytes, to: path, durable: false)
  }

  private static func write(
    _ bytes: [UInt8],
    to path: String,
    durable: Bool
  ) throws(SystemError) {
    try checkSizeLimit(bytes.count, path)
    let file = try OpenFile(path, flags: O_WRONLY | O_CREAT | O_EXCL)
    do throws(SystemError) {
      try write(bytes, to: file)
      if durable { try file.synchronize() }
      try file.finish()
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Replaces a file so that a reader, or a crash, finds the old bytes or the new, never a mix.
  ///
  /// Writes a temporary file beside it, `fsync`s, renames, and syncs the folder.
  package static func writeAtomically(
    _ bytes: [UInt8],
    to path: String
  ) throws(SystemError) {
    let suffix = String(UInt64.random(in: 0 ... .max), radix: 16)
    let temporary = "\(path).\(suffix).tmp"
    try write(bytes, to: temporary, durable: true)
    do throws(SystemError) {
      try rename(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
    synchronizeFolder(of: path)
  }

  /// Makes the name of a file survive a power loss, where the file system can do that.
  static func synchronizeFolder(of path: String) {
    // Only the durability of the name is at stake here, and some file systems refuse the call.
    if let folder = try? OpenFile(folder: parent(of: path)) {
      try? folder.synchronize()
    }
  }

  /// Refuses what would be beyond the limit on the size of files: the system answers with a signal.
  ///
  /// C function: `getrlimit`.
  static func checkSizeLimit(_ byteCount: Int, _ path: String) throws(SystemError) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    guard limit.rlim_cur >= UInt(byteCount) else {
      throw SystemError(code: EFBIG, operation: "write", path: path)
    }
  }

  /// Moves a file over another of the same disk in one step.
  package static func rename(_ path: String, to target: String) throws(SystemError) {
    guard Glibc.rename(path, target) == 0 else { throw .last("rename", path) }
  }

  /// Gives a file a second name on the same disk; one that something has throws `EEXIST`.
  package static func link(_ path: String, to target: String) throws(SystemError) {
    guard Glibc.link(path, target) == 0 else { throw .last("link", path) }
  }

  /// Copies a file, or a folder with all it holds; what is neither is left out.
  ///
  /// New folders and files are for the owner only. A target that exists throws `EEXIST`; after a
  /// failure there is none.
  package static func copyTree(_ path: String, to target: String) throws(SystemError) {
    guard !exists(target) else {
      throw SystemError(code: EEXIST, operation: "copy to", path: target)
    }
    do throws(SystemError) {
      try copyContents(path, to: target)
    } catch {
      // The copy is of no use; what failed is what matters.
      try? removeTree(target)
      throw error
    }
  }

  private static func copyContents(_ path: String, to target: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .last("copy", path) }
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

  /// Gives a file a name that nothing has yet; if something has it, the file is removed instead.
  package static func renameUnlessThere(
    _ path: String,
    to target: String
  ) throws(SystemError) {
    if Glibc.link(path, target) != 0 && errno != EEXIST {
      // Some disks know no second names: there, the last one wins.
      return try rename(path, to: target)
    }
    try remove(path)
  }

  /// Creates a folder and those above it that are missing, for the owner only (0700).
  package static func createDirectories(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 { return }
    var failure = SystemError.last("create", path)
    // A folder that exists may answer EEXIST, or EROFS on a read-only disk.
    if isDirectory(path) { return }
    // What was there has gone meanwhile.
    if failure.code == EEXIST && !exists(path) {
      if mkdir(path, 0o700) == 0 || isDirectory(path) { return }
      failure = .last("create", path)
    }
    guard failure.code == ENOENT, path != parent(of: path) else { throw failure }
    try createDirectories(parent(of: path))
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw .last("create", path) }
  }

  /// Removes a file or an empty folder; returns whether there was one.
  @discardableResult
  package static func remove(_ path: String) throws(SystemError) -> Bool {
    if Glibc.remove(path) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw .last("remove", path)
  }

  /// Removes a file, or a folder with all it holds; links are removed, not followed.
  package static func removeTree(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
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
    guard let folder = opendir(path) else { throw .last("list", path) }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      // The name is a C string inside the entry, which readdir owns until its next call.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    // A folder that could not be read to its end looks like one that ended.
    guard errno == 0 else { throw .last("list", path) }
    return names.sorted()
  }

  /// Whether anything is at the path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether this process may write to what is at the path.
  package static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

  /// Whether a folder is at the path.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The size in bytes of what is at the path, or nil when nothing is.
  ///
  /// A file of holes may say any length: above a petabyte it does not matter, and sums stay numbers.
  package static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? min(Int(status.st_size), 1 << 50) : nil
  }

  /// The bytes that this user may still take on the disk of a folder; `Int.max` when it does not tell.
  ///
  /// C function: `statvfs`.
  package static func freeByteCount(at path: String) -> Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0, status.f_frsize > 0 else { return .max }
    let (bytes, overflow) = status.f_bavail.multipliedReportingOverflow(by: UInt(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }

  /// The permission bits of what is at the path, such as 0o600, or nil when nothing is.
  package static func permissions(_ path: String) -> UInt32? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// The seconds since the file was last written, or nil when there is none.
  package static func age(_ path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // A file may say that it was written before there was time.
    let (age, overflow) = time(nil).subtractingReportingOverflow(status.st_mtim.tv_sec)
    return overflow ? .max : age
  }

  /// Names what an ordinary file holds without reading it: another id when its size, its inode or the
  /// time of its last change is another; nil when there is none.
  ///
  /// C function: `stat`.
  package static func version(of path: String) -> TableID? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let words: [UInt64] = [
      UInt64(status.st_dev), UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
      UInt64(bitPattern: Int64(status.st_mtim.tv_sec)),
      UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
    ]
    return TableID(high: Checksum.of(words), low: Checksum.of(words + [1]))
  }

  /// The file a path leads to, or nil when it leads nowhere.
  package static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(device: UInt64(status.st_dev), node: UInt64(status.st_ino))
  }

  /// The path seen from the root, so that a later change of the working folder means nothing.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let current = getcwd(nil, 0) else { throw .last("find", path) }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }

  /// The folder a path is in.
  static func parent(of path: String) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}
