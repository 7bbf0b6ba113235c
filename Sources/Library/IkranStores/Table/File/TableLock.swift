import IkranSystem

// Decision 52: a put makes one system call at most.
/// The lock that a process holds while it changes a table: a word of the header.
///
/// Free, the word is 0; held, it is the holder's number and a random number, which the holder has
/// written to the header when it opened the file. Taking and releasing it is one atomic operation
/// each, without a system call, while no other process holds it.
///
/// Invariant: a word keeps others out only while the process lives whose number it has, which locks
/// its byte of the file for that long (see ``TableHeader/processLocks``), and only if the header
/// has the same random number for that process. Any other word, left by a process that was killed,
/// by a power loss or by damage, counts as free. As no two holders have the same word, a waiter
/// that replaces a dead holder's word never replaces the word of a later holder.
///
/// The threads of one process exclude each other by a lock of their own before they take this one.
struct TableLock {
  let mapped: MappedFile
  /// This process's word.
  let word: UInt64

  private var header: TableHeader { TableHeader(start: mapped.start) }

  /// The lock of the process with this number, which holds the lock of its byte: makes its word
  /// known.
  init(_ mapped: MappedFile, process number: Int) {
    self.mapped = mapped
    word = ForkMarker.uniqueNumber() & ~0xFF | UInt64(number + 1)
    header.lockWord(of: number).value = word
  }

  /// Takes the lock, or gives up at the deadline; nil waits without limit.
  ///
  /// - Throws: `SystemError`; `EAGAIN` when it gave up.
  @inline(__always)
  func lock(until deadline: ContinuousClock.Instant?) throws(SystemError) {
    if header.writer.replace(0, by: word) { return }
    try wait(until: deadline)
  }

  /// Releases the lock.
  @inline(__always)
  func unlock() {
    // If damage has let another process take it, it is that process's now.
    _ = header.writer.replace(word, by: 0)
  }

  /// Takes the lock whatever its word is, as no other process has the file open.
  func takeOver() { header.writer.exchange(word) }

  @inline(never)
  private func wait(until deadline: ContinuousClock.Instant?) throws(SystemError) {
    // A change takes less than a microsecond, unless its process has to wait for a processor.
    for _ in 0..<Self.spins where header.writer.relaxed == 0 {
      if header.writer.replace(0, by: word) { return }
    }
    var rounds = 0
    while true {
      let found = header.writer.relaxed
      if found == 0 || !isHeld(by: found), header.writer.replace(found, by: word) { return }
      if let deadline, ContinuousClock.now >= deadline { throw .tryAgain("lock", mapped.path) }
      rounds += 1
      if rounds < Self.yields { BackgroundThread.yield() } else { BackgroundThread.pause() }
    }
  }

  private static let spins = 1000
  private static let yields = 16

  /// Whether the process that a word names lives and has this word.
  ///
  /// C function: `fcntl`, `F_OFD_GETLK`.
  private func isHeld(by found: UInt64) -> Bool {
    let number = Int(found & 0xFF) - 1
    guard 0..<TableHeader.processCount ~= number, found != word,
      header.lockWord(of: number).value == found
    else { return false }
    let byte = TableHeader.processLocks.lowerBound + number
    return mapped.isLockedElsewhere(byte..<byte + 1)
  }
}
