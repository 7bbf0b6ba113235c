package import IkranPOSIX

/// One open file descriptor.
package struct OpenFile: ~Copyable {
  /// Below zero once closed.
  private var descriptor: CInt
  private let path: String

  /// Opens a file; it is closed on `exec`.
  ///
  /// C function: `open`.
  package init(_ path: String, flags: CInt, mode: mode_t = 0o600) throws(SystemError) {
    var result: CInt
    repeat {
      result = path.withPath { open($0, flags | O_CLOEXEC, mode) }
    } while result < 0 && errno == EINTR
    guard result >= 0 else { throw .last("open", path) }
    descriptor = result
    self.path = path
  }

  /// Opens a folder, to lock it or to synchronize it.
  package init(folder path: String) throws(SystemError) {
    try self.init(path, flags: O_RDONLY | O_DIRECTORY)
  }

  deinit {
    // Not repeated on EINTR: the descriptor is closed even then.
    if descriptor >= 0 { _ = IkranPOSIX.close(descriptor) }
  }

  /// The size in bytes of an ordinary file; anything else throws.
  ///
  /// C function: `fstat`.
  package func size() throws(SystemError) -> Int { Int(try status().st_size) }

  /// What the system knows of an ordinary file; anything else throws.
  ///
  /// C function: `fstat`.
  package func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("read", path) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return status
    case S_IFDIR: throw SystemError(code: EISDIR, operation: "read", path: path)
    default: throw SystemError(code: EINVAL, operation: "read", path: path)
    }
  }

  /// The size in bytes of an ordinary file that has one name; anything else throws.
  ///
  /// C function: `fstat`.
  package func sizeOfOnlyName() throws(SystemError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("write", path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw SystemError(code: EINVAL, operation: "write", path: path)
    }
    return Int(status.st_size)
  }

  /// Ends the file after so many bytes.
  ///
  /// C function: `ftruncate`.
  package func truncate(to byteCount: Int) throws(SystemError) {
    guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw .last("write", path) }
  }

  /// Reads until the buffer has `least` bytes, or is full without, or the file ends; returns the
  /// number of bytes read.
  ///
  /// C function: `read`.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer,
    atLeast least: Int? = nil
  ) throws(SystemError) -> Int {
    var filled = 0
    while filled < least ?? buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = IkranPOSIX.read(descriptor, rest.baseAddress, rest.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("read", path)
      }
      filled += count
    }
    return filled
  }

  /// Writes all bytes.
  ///
  /// C function: `write`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = IkranPOSIX.write(descriptor, rest.baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("write", path)
      }
      written += count
    }
  }

  /// Sets the permission bits; the process's umask does not apply.
  ///
  /// C function: `fchmod`.
  package func setPermissions(_ permissions: mode_t) throws(SystemError) {
    guard fchmod(descriptor, permissions) == 0 else { throw .last("write", path) }
  }

  /// Makes the file's bytes survive a power loss.
  ///
  /// C function: `fsync`, or what the platform has for a power loss.
  package func synchronize() throws(SystemError) {
    var result: CInt
    repeat { result = Platform.synchronize(descriptor) } while result < 0 && errno == EINTR
    guard result == 0 else { throw .last("write", path) }
  }

  /// Takes the lock, shared or exclusive; waits while other open files hold it in a conflicting
  /// way.
  ///
  /// C function: `flock`. On a file system without locks it does nothing.
  package func lock(shared: Bool) {
    while flock(descriptor, shared ? LOCK_SH : LOCK_EX) != 0 && errno == EINTR {}
  }

  /// Releases the lock.
  ///
  /// C function: `flock`.
  package func unlock() { flock(descriptor, LOCK_UN) }

  /// The descriptor, which stays this value's.
  package var number: CInt { descriptor }

  /// Returns the descriptor, which the caller must close.
  package consuming func release() -> CInt {
    let result = descriptor
    descriptor = -1
    return result
  }

  /// Closes the file and throws if a delayed write failed, which `deinit` cannot report.
  ///
  /// C function: `close`.
  package consuming func finish() throws(SystemError) {
    let result = IkranPOSIX.close(descriptor)
    descriptor = -1
    if result != 0 && errno != EINTR { throw .last("write", path) }
  }
}
