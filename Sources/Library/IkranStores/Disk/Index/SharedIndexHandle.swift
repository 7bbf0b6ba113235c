import CSQLite
import IkranSystem

/// The locks and the log index of one connection to an SQLite database (decision 61).
///
/// SQLite keeps the index of a write-ahead log in memory that its connections share. Here each
/// connection has its own memory, which is compared with a file next to the database where SQLite
/// asks for a barrier or a lock: what this connection has changed is written to the file, and what
/// others have changed is read from it. Nothing is mapped, so a full disk is an error and never a
/// signal.
///
/// SQLite changes the index only with an exclusive lock held. The first 136 bytes have the header,
/// twice, and the state of checkpoints: words with different owners, of which only changed ones are
/// written. The rest are tables of the log's frames that only the writer changes; they are written
/// before the header that counts their frames, and read after it.
final class SharedIndexHandle {
  static let pageByteCount = 32 << 10
  private static let headerWords = 34
  /// The frames in the tables of the first page, and in those of each other.
  private static let (firstFrames, frames) = (4062, 4096)

  /// Bytes of the file that are locked: SQLite's eight locks of the log, whether the index is in
  /// use, and the locks of the database's own file.
  private static let (slots, use, content) = (120, 128..<129, 129..<130)
  private static let (reserved, opening) = (130..<131, 131..<132)

  /// Nil for a connection that has the database to itself: its index stays in memory.
  private let file: LockedFile?
  /// Held as long as no other connection may open the database.
  private let owned: LockedFile?
  private var pages: [UnsafeMutableRawPointer] = []
  /// The header's words as they are in the file.
  private var known = [UInt32](repeating: 0, count: headerWords)
  /// The header whose frames the tables in memory have; nil when that is not known.
  private var complete: LogHeader?
  /// Whether others' changes were read just before the statement that begins.
  private var isFresh = false
  /// The locks of the log that are held exclusively, a bit each.
  private var exclusive: UInt = 0
  /// The lock of the database's file.
  private var level = SQLITE_LOCK_NONE
  /// Why memory and file may differ; the connection must not be used any more.
  private(set) var failure: SystemError?

  /// The functions of SQLite's own file, and those that replace them.
  let base: sqlite3_io_methods
  let methods: UnsafeMutablePointer<sqlite3_io_methods>

  /// Opens the index of a database.
  ///
  /// With `isPrivate` no other connection may open the database; the index then needs no room on
  /// the disk.
  ///
  /// - Throws: `SystemError`; `EAGAIN` if others have it open, or have it for themselves.
  init(
    of path: String,
    isPrivate: Bool,
    isReadOnly: Bool,
    _ base: sqlite3_io_methods
  ) throws(SystemError) {
    let opened = try Self.open("\(path)-shared", isPrivate, isReadOnly)
    file = isPrivate ? nil : opened
    owned = isPrivate ? opened : nil
    self.base = base
    methods = UnsafeMutablePointer.allocate(capacity: 1)
    methods.initialize(to: base)
  }

  deinit {
    unmap()
    methods.deallocate()
  }

  /// The file, locked as in use; nil when a reader cannot make it.
  private static func open(
    _ path: String,
    _ isPrivate: Bool,
    _ isReadOnly: Bool
  ) throws(SystemError) -> LockedFile? {
    let file: LockedFile
    do throws(SystemError) {
      file = try LockedFile(path)
    } catch {
      // Its snapshot may be overtaken by a writer: rows have checksums.
      guard isReadOnly, error.isReadOnly || error.isFull else { throw error }
      return nil
    }
    // A connection that has the database to itself is closed after one call.
    let isLocked = try isDone(within: 2000) { () throws(SystemError) in
      try file.lock(use, shared: !isPrivate)
    }
    guard isLocked else { throw .tryAgain("lock", path) }
    if isPrivate { return file }
    if try file.byteCount() < pageByteCount { try write(zeros: pageByteCount, to: file) }
    return file
  }

  private static func write(
    zeros count: Int,
    at offset: Int = 0,
    to file: LockedFile
  ) throws(SystemError) {
    let zeros = [UInt8](repeating: 0, count: count)
    let result = zeros.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try file.write(bytes, at: offset) }
    }
    try result.get()
  }

  // MARK: - Memory

  /// A page of the index; nil when it does not exist and is not to be made.
  func page(_ index: Int, extends: Bool) throws(SystemError) -> UnsafeMutableRawPointer? {
    if index < pages.count { return pages[index] }
    if let file {
      let (size, end) = (try file.byteCount(), (index + 1) * Self.pageByteCount)
      if size < end {
        guard extends else { return nil }
        try Self.write(zeros: end - size, at: size, to: file)
      }
    } else if !extends {
      return nil
    }
    while pages.count <= index {
      let page =
        UnsafeMutableRawPointer
        .allocate(byteCount: Self.pageByteCount, alignment: 64)
      page.initializeMemory(as: UInt8.self, repeating: 0, count: Self.pageByteCount)
      pages.append(page)
      try read(pages.count - 1, from: 0)
      if pages.count == 1 {
        for word in known.indices { known[word] = header(page)[word] }
        complete = knownHeader
      }
    }
    return pages[index]
  }

  /// Frees the memory.
  func unmap() {
    for page in pages { page.deallocate() }
    pages = []
    complete = nil
  }

  /// The file's header; nil while one is written, as a copy may then have words of two headers.
  private var knownHeader: LogHeader? {
    let header = LogHeader(known[0..<12])
    return header.isValid && known[0..<12].elementsEqual(known[12..<24]) ? header : nil
  }

  private func header(_ page: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt32> {
    page.assumingMemoryBound(to: UInt32.self)
  }

  /// Reads a page from the file, beginning at a byte of the page.
  private func read(_ page: Int, from start: Int) throws(SystemError) {
    let count = Self.pageByteCount - start
    let bytes = UnsafeMutableRawBufferPointer(start: pages[page] + start, count: count)
    try file?.read(into: bytes, at: page * Self.pageByteCount + start)
  }

  // MARK: - Barriers

  /// Writes what this connection has changed, and reads what others have changed.
  func synchronize() {
    publish()
    // The first barrier of a statement; SQLite compares the header again when it has its lock.
    if isFresh { isFresh = false } else { fetch() }
  }

  /// Reads what others have changed before a statement begins.
  func refresh() {
    fetch()
    isFresh = true
  }

  /// Reads what others have changed.
  private func fetch() {
    guard let file, failure == nil, let first = pages.first else { return }
    do throws(SystemError) {
      let result = withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.headerWords) {
        words in
        Result { () throws(SystemError) in
          try file.read(into: UnsafeMutableRawBufferPointer(words), at: 0)
          try take(UnsafeBufferPointer(words), header(first))
        }
      }
      try result.get()
    } catch {
      failure = error
    }
  }

  /// Takes over the words that have changed, and the tables if the header has.
  private func take(
    _ words: UnsafeBufferPointer<UInt32>,
    _ memory: UnsafeMutablePointer<UInt32>
  ) throws(SystemError) {
    var isNew = false
    for word in words.indices where words[word] != known[word] {
      memory[word] = words[word]
      known[word] = words[word]
      if word < 12 { isNew = true }
    }
    guard isNew || complete == nil else { return }
    let old = complete
    complete = nil
    // SQLite does not use another header either.
    guard let new = knownHeader else { return }
    let kept = if let old, new.continues(old), new.frame >= old.frame { old.frame } else { 0 }
    for page in Self.page(of: kept + 1)...Self.page(of: max(new.frame, kept + 1))
    where page < pages.count {
      try read(page, from: Self.start(of: page, after: kept))
    }
    complete = new
  }

  /// Writes what this connection has changed.
  private func publish() {
    guard let file, failure == nil, exclusive != 0, let first = pages.first else { return }
    let memory = UnsafeMutableBufferPointer(start: header(first), count: Self.headerWords)
    guard !memory.elementsEqual(known) else { return }
    do throws(SystemError) {
      // SQLite writes the second copy of the header first.
      if !memory[12..<24].elementsEqual(known[12..<24]) {
        try publishTables(LogHeader(known[12..<24]), LogHeader(memory[12..<24]), file)
      }
      var start = 0
      while start < memory.count {
        var end = start
        while end < memory.count, memory[end] != known[end] { end += 1 }
        if end > start {
          let words = UnsafeMutableBufferPointer(rebasing: memory[start..<end])
          try file.write(UnsafeRawBufferPointer(words), at: start * 4)
          for word in start..<end { known[word] = memory[word] }
        }
        // Only the writer changes the header, and has all tables.
        if end > start, start < 12 { complete = knownHeader }
        start = end + 1
      }
    } catch {
      failure = error
    }
  }

  /// Writes the tables from the first frame that the file does not have to the end of that frame's
  /// page.
  private func publishTables(
    _ old: LogHeader,
    _ new: LogHeader,
    _ file: LockedFile
  ) throws(SystemError) {
    // With the lock of a recovery held, nothing in the file counts.
    let isRecovery = exclusive & 1 << 2 != 0
    let kept = !isRecovery && new.continues(old) ? min(old.frame, new.frame) : 0
    guard new.frame > kept else { return }
    for page in Self.page(of: kept + 1)...Self.page(of: new.frame) where page < pages.count {
      let start = Self.start(of: page, after: kept)
      let count = Self.pageByteCount - start
      let bytes = UnsafeRawBufferPointer(start: pages[page] + start, count: count)
      try file.write(bytes, at: page * Self.pageByteCount + start)
    }
  }

  private static func page(of frame: Int) -> Int {
    frame <= firstFrames ? 0 : (frame - firstFrames - 1) / frames + 1
  }

  /// The byte of a page from which its tables have frames after one: each frame has four bytes, in
  /// order, and behind them is a hash table.
  private static func start(of page: Int, after frame: Int) -> Int {
    let before = page == 0 ? 0 : firstFrames + (page - 1) * frames
    return (page == 0 ? headerWords * 4 : 0) + max(0, frame - before) * 4
  }

  // MARK: - Locks

  /// Takes or releases locks of the log; false while another connection holds them.
  func lockLog(_ first: Int, _ count: Int, _ flags: CInt) throws(SystemError) -> Bool {
    let bytes = Self.slots + first..<Self.slots + first + count
    let bits: UInt = (1 << UInt(count) - 1) << UInt(first)
    if flags & SQLITE_SHM_UNLOCK != 0 {
      publish()
      exclusive &= ~bits
      file?.unlock(bytes)
      return true
    }
    if let failure { throw failure }
    let isShared = flags & SQLITE_SHM_SHARED != 0
    if let file, try !file.lock(bytes, shared: isShared) { return false }
    // SQLite asks for a barrier once it has a shared lock.
    if isShared { return true }
    exclusive |= bits
    fetch()
    return true
  }

  /// Raises the lock of the database's file; false while another connection prevents it.
  func lock(_ wanted: CInt) throws(SystemError) -> Bool {
    guard wanted > level else { return true }
    // Closing would copy the log into the database, with an index that others have overtaken.
    if failure != nil, wanted > SQLITE_LOCK_SHARED { return false }
    if let file {
      let isLocked =
        switch wanted {
        case SQLITE_LOCK_SHARED: try share(file)
        case SQLITE_LOCK_RESERVED: try file.lock(Self.reserved, shared: false)
        default: try file.lock(Self.content, shared: false)
        }
      guard isLocked else { return false }
    }
    level = wanted
    return true
  }

  /// Takes the lock that a connection holds for as long as it uses the log.
  private func share(_ file: LockedFile) throws(SystemError) -> Bool {
    // One at a time: of two that come at once, each would take the other for one that uses the log.
    let isAlone = try Self.isDone(within: 32) { () throws(SystemError) in
      try file.lock(Self.opening, shared: false)
    }
    guard isAlone else { return false }
    defer { file.unlock(Self.opening) }
    guard try file.lock(Self.content, shared: true) else { return false }
    if try file.lock(Self.content, shared: false) {
      // No other connection uses the log. What the file has may be older than the log, as after a
      // crash: without a header SQLite reads the log.
      try Self.write(zeros: Self.headerWords * 4, to: file)
      return try file.lock(Self.content, shared: true)
    }
    return true
  }

  /// Tries so many times, 0.1 ms apart.
  private static func isDone(
    within tries: Int,
    _ attempt: () throws(SystemError) -> Bool
  ) throws(SystemError) -> Bool {
    for _ in 0..<tries {
      if try attempt() { return true }
      BackgroundThread.pause()
    }
    return false
  }

  /// Lowers the lock of the database's file.
  func unlock(_ wanted: CInt) {
    guard wanted < level else { return }
    file?.unlock(Self.reserved)
    if wanted == SQLITE_LOCK_NONE {
      file?.unlock(Self.content)
    } else {
      // Fails only if the file has no locks at all.
      _ = try? file?.lock(Self.content, shared: true)
    }
    level = wanted
  }

  /// Whether a connection is about to change the database's file.
  func isReserved() throws(SystemError) -> Bool {
    guard let file, level < SQLITE_LOCK_RESERVED else { return level >= SQLITE_LOCK_RESERVED }
    guard try file.lock(Self.reserved, shared: false) else { return true }
    file.unlock(Self.reserved)
    return false
  }
}

/// What the tables depend on, of a copy of the header.
private struct LogHeader {
  /// Whether it matches its checksum, and is in use.
  let isValid: Bool
  private let salt: [UInt32]
  /// The last frame of the log.
  let frame: Int

  init(_ words: some Collection<UInt32>) {
    let words = Array(words)
    // The fourth word begins with two bytes: whether the header is valid, and the byte order.
    let isUsed = withUnsafeBytes(of: words[3]) { $0[0] != 0 }
    isValid = isUsed && words[10..<12].elementsEqual(Self.checksum(words[0..<10]))
    frame = isValid ? Int(words[4]) : 0
    salt = [words[8], words[9]]
  }

  /// SQLite's checksum: two sums over pairs of words.
  private static func checksum(_ words: ArraySlice<UInt32>) -> [UInt32] {
    var (first, second): (UInt32, UInt32) = (0, 0)
    for word in stride(from: words.startIndex, to: words.endIndex, by: 2) {
      first &+= words[word] &+ second
      second &+= words[word + 1] &+ first
    }
    return [first, second]
  }

  /// Whether the log is the one of another header.
  func continues(_ other: LogHeader) -> Bool { isValid && other.isValid && salt == other.salt }
}
