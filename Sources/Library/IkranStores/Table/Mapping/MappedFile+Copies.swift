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
  /// - Throws: `SystemError`; the bytes are then as they were, and may be the file's or not.
  func copyPrivately(_ range: Range<Int>) throws(SystemError) {
    let first = range.lowerBound & ~(Self.pageSize - 1)
    let end = (range.upperBound + Self.pageSize - 1) & ~(Self.pageSize - 1)
    try copy(first..<end, mappedAt: UnsafeMutableRawPointer(mutating: readOnlyStart), PROT_READ)
  }

  /// Makes bytes of the mapping that can be written this process's own, as ``copyPrivately(_:)``
  /// does with those that are lent; stores into them do not reach the file any more.
  ///
  /// - Throws: `SystemError`; `EAGAIN` where other bytes of the file share pages with these, and
  ///   would be cut off from the file, too.
  func copyWritablePrivately(_ range: Range<Int>) throws(SystemError) {
    guard (range.lowerBound | range.upperBound) & (Self.pageSize - 1) == 0 else {
      throw .tryAgain("unlock", path)
    }
    try copy(range, mappedAt: start, PROT_READ | PROT_WRITE)
  }

  private func copy(
    _ pages: Range<Int>,
    mappedAt beginning: UnsafeMutableRawPointer,
    _ protection: CInt
  ) throws(SystemError) {
    let (first, byteCount) = (pages.lowerBound, pages.count)
    let start = beginning + first
    // One that cannot be written takes no memory yet, so it does not fail half-way.
    let flags = MAP_PRIVATE | MAP_FIXED
    let address = mmap(start, byteCount, PROT_READ, flags, descriptor, off_t(first))
    guard address == start, mprotect(start, byteCount, PROT_READ | PROT_WRITE) == 0 else {
      throw .last("unlock", path)
    }
    defer { mprotect(start, byteCount, protection) }
    if capabilities.contains(.populatesPages), Platform.populate(start, byteCount) { return }
    for page in stride(from: 0, to: byteCount, by: Self.pageSize) {
      // The system stores into the page what the file has there, and the page was.
      while pread(descriptor, start + page, Self.pageSize, off_t(first + page)) < 0 {
        guard errno == EINTR else { throw .last("unlock", path) }
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
