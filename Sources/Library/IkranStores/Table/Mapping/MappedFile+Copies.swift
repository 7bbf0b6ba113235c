import IkranPOSIX
import IkranSystem

// What is left of a mapping when this process must not lock the file any more.

extension MappedFile {
  /// Makes lent bytes this process's own: they stay at their addresses and as they are, whatever
  /// happens to the file.
  ///
  /// Until a page is stored into, a private mapping shows the file's. Other threads may read the
  /// bytes at the same time, and find the same ones: no process may change them in the file until
  /// this returns. C functions: `mmap` with `MAP_PRIVATE` and `MAP_FIXED`, `mprotect`, `pread`.
  ///
  /// - Throws: `SystemError`; the bytes are then still the file's.
  func copyPrivately(_ range: Range<Int>) throws(SystemError) {
    let first = range.lowerBound & ~(Self.pageSize - 1)
    let byteCount = (range.upperBound - first + Self.pageSize - 1) & ~(Self.pageSize - 1)
    let start = UnsafeMutableRawPointer(mutating: readOnlyStart) + first
    // One that cannot be written takes no memory yet, so it does not fail half-way.
    let flags = MAP_PRIVATE | MAP_FIXED
    let address = mmap(start, byteCount, PROT_READ, flags, descriptor, off_t(first))
    guard address == start, mprotect(start, byteCount, PROT_READ | PROT_WRITE) == 0 else {
      throw .last("copy", path)
    }
    defer { mprotect(start, byteCount, PROT_READ) }
    if capabilities.contains(.populatesPages), Platform.populate(start, byteCount) { return }
    for page in stride(from: 0, to: byteCount, by: Self.pageSize) {
      // The system stores into the page what the file has there, and the page was.
      while pread(descriptor, start + page, Self.pageSize, off_t(first + page)) < 0 {
        guard errno == EINTR else { throw .last("copy", path) }
      }
    }
  }

  /// Releases all locks of this opening, which a mapping would keep after its descriptor is closed.
  ///
  /// A fork need not open the file again afterwards: it inherits no lock, and its pictures stay.
  ///
  /// C function: `fcntl`, `F_OFD_SETLK`, for all bytes.
  func unlockAll() {
    var lock = flock()
    lock.l_type = Int16(F_UNLCK)
    lock.l_whence = Int16(SEEK_SET)
    while fcntl(descriptor, Platform.locks.set, &lock) != 0 && errno == EINTR {}
    stopReopeningInForks()
  }
}
