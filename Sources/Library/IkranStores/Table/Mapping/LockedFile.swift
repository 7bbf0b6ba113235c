import IkranPOSIX
import IkranSystem

/// An open file that is read, written and locked at offsets; it is never mapped.
///
/// The locks belong to this opening: two openings exclude each other even in one process, and the
/// locks of a process that dies are released. A fork loses them (see ``InheritedFiles``).
final class LockedFile {
  private let descriptor: CInt
  private let path: String
  private let inherited: UnsafeMutablePointer<InheritedFiles.Entry>

  /// Opens a file, which is created when missing.
  init(_ path: String) throws(SystemError) {
    descriptor = try OpenFile(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW).release()
    self.path = path
    inherited = InheritedFiles.add(descriptor, (nil, nil), byteCount: 0)
  }

  deinit {
    InheritedFiles.remove(inherited)
    _ = IkranPOSIX.close(descriptor)
  }

  /// The size in bytes.
  ///
  /// C function: `fstat`.
  func byteCount() throws(SystemError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("read", path) }
    return Int(status.st_size)
  }

  /// Fills the buffer; what is beyond the file's end reads as zeros.
  ///
  /// C function: `pread`.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      if count == 0 {
        rest.initializeMemory(as: UInt8.self, repeating: 0)
        return
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("read", path)
      }
      filled += count
    }
  }

  /// Writes all bytes.
  ///
  /// C function: `pwrite`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write", path)
      }
      written += count
    }
  }

  /// Locks bytes, shared or exclusive, in place of the lock that this opening has there; false
  /// while another opening holds them in a conflicting way.
  ///
  /// C function: `fcntl`, `F_OFD_SETLK`.
  ///
  /// - Throws: `SystemError` where files cannot be locked, as on some file systems.
  func lock(_ bytes: Range<Int>, shared: Bool) throws(SystemError) -> Bool {
    try Self.setLock(descriptor, shared ? F_RDLCK : F_WRLCK, on: bytes, of: path)
  }

  /// Releases the locks of bytes.
  func unlock(_ bytes: Range<Int>) {
    // Fails only where nothing can be locked.
    _ = try? Self.setLock(descriptor, F_UNLCK, on: bytes, of: path)
  }

  private static func setLock(
    _ descriptor: CInt,
    _ kind: Int32,
    on bytes: Range<Int>,
    of path: String
  ) throws(SystemError) -> Bool {
    var lock = flock()
    lock.l_type = CShort(kind)
    lock.l_whence = CShort(SEEK_SET)
    lock.l_start = off_t(bytes.lowerBound)
    lock.l_len = off_t(bytes.count)
    while fcntl(descriptor, Platform.locks.set, &lock) != 0 {
      if errno == EAGAIN || errno == EACCES { return false }
      if errno != EINTR { throw .last("lock", path) }
    }
    return true
  }

  /// Keeps programs that map an SQLite database's index, such as older versions of this one, from
  /// opening it: a link that leads nowhere takes the place of the index's file.
  ///
  /// - Throws: `SystemError`; `EAGAIN` while such a program uses the database.
  static func excludeMappedIndex(of path: String) throws(SystemError) {
    let index = "\(path)-shm"
    if isLink(index) { return }
    do throws(SystemError) {
      let file = try OpenFile(index, flags: O_RDWR | O_NOFOLLOW)
      // SQLite holds a lock on this byte for as long as it uses the file.
      guard try setLock(file.number, F_WRLCK, on: 128..<129, of: index) else {
        throw .tryAgain("lock", index)
      }
      try Files.remove(index)
    } catch  where error.isMissing {
      // The database is new.
    }
    // Where there is no room or no links, an older version could map the index.
    _ = index.withPath { symlink("/dev/null/none", $0) }
  }

  /// Whether there is a symbolic link at a path.
  ///
  /// C function: `lstat`.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return path.withPath { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
