import IkranPOSIX
import IkranSystem

// Locks of single bytes between open files.

extension MappedFile {
  /// Waits until no other open file holds the lock, and takes it.
  ///
  /// C function: `fcntl`, `F_OFD_SETLKW`.
  package func lock(_ byte: Int) throws(SystemError) {
    guard try setLock(Platform.locks.wait, F_WRLCK, byte) else { throw .tryAgain("lock", path) }
  }

  /// Takes the lock, or gives up at the deadline; nil waits without limit.
  ///
  /// - Throws: `SystemError`; `EAGAIN` when it gave up.
  package func lock(_ byte: Int, until deadline: ContinuousClock.Instant?) throws(SystemError) {
    guard let deadline else { return try lock(byte) }
    while try !tryLock(byte) {
      guard ContinuousClock.now < deadline else { throw .tryAgain("lock", path) }
      BackgroundThread.pause()
    }
  }

  /// Takes the lock unless another open file holds it.
  ///
  /// C function: `fcntl`, `F_OFD_SETLK`.
  package func tryLock(_ byte: Int) throws(SystemError) -> Bool {
    try setLock(Platform.locks.set, F_WRLCK, byte)
  }

  /// Releases a lock.
  package func unlock(_ byte: Int) { _ = try? setLock(Platform.locks.set, F_UNLCK, byte) }

  /// Whether another open file holds a lock in the range.
  ///
  /// C function: `fcntl`, `F_OFD_GETLK`.
  package func isLockedElsewhere(_ bytes: Range<Int>) -> Bool {
    var lock = Self.description(CInt(F_WRLCK), bytes)
    while fcntl(descriptor, Platform.locks.get, &lock) != 0 {
      // A lock that cannot be queried counts as held.
      guard errno == EINTR else { return true }
    }
    return CInt(lock.l_type) != CInt(F_UNLCK)
  }

  private func setLock(
    _ command: CInt,
    _ kind: some BinaryInteger,
    _ byte: Int
  ) throws(SystemError) -> Bool {
    var lock = Self.description(CInt(kind), byte..<byte + 1)
    while fcntl(descriptor, command, &lock) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      default: throw .last("lock", path)
      }
    }
    return true
  }

  private static func description(_ kind: CInt, _ bytes: Range<Int>) -> flock {
    var lock = flock()
    lock.l_type = Int16(kind)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(bytes.lowerBound)
    lock.l_len = off_t(bytes.count)
    return lock
  }
}
