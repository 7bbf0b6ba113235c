public import IkranPixels
import Synchronization
import IkranSystem

// Decision 12: records next to the slots are authoritative, readers take no lock.
/// Images of one size and one pixel format in one mapped file, decoded and ready to be drawn.
///
/// A picture is returned as a bitmap over the file's own pages: nothing is decoded, copied or read
/// in advance. For as long as the bitmap lives its pixels stay as they are, whatever happens to the
/// entry or the table.
///
/// All calls are synchronous and thread-safe; tasks make long ones, such as ``compact()``, as a
/// ``BlockingStore`` has it. ``get(_:version:)`` never waits for a drawing.
/// Several processes may use one file at once; locks and pictures held by a process that died
/// become free. A process that forks without `exec` may go on using its tables on both sides; what
/// was retrieved before the fork stays as it is for as long as the parent holds it, and no other
/// thread may use the table while the process forks. Locks and pictures of the parent become free
/// when it dies, whatever the fork does, if that was made by `fork` and can open `/proc/self/fd`.
/// After a crash at any point every entry is as it was put, or missing. No other program may make
/// the file shorter while it is in use. Changes, puts 16 ms later, and the first look-up of a
/// picture in a process notice it and throw or find nothing; to touch what a process has touched
/// before, such as a picture that it holds, is `SIGBUS` when it is gone, or when the disk cannot
/// read it. `docs/table-format.md` describes the format.
public final class ImageTable: BlockingStore {
  /// The table's file.
  public let path: String
  /// What the table holds, and its limits.
  public let format: TableFormat
  let layout: TableLayout
  /// Entries that the count and the byte limit allow.
  let limit: Int
  private let uses: TableFile.UseCounting
  /// Whether a missing or invalid file may be replaced by an empty table.
  private let mayCreate: Bool
  private let current: CurrentFile
  let reopening = Guarded(false)
  /// When a miss last looked at the table's name.
  private let nameCheck = Atomic(Int64.min / 2)
  let evictions = Atomic(0)
  /// Puts in progress.
  let puts = Atomic(0)
  /// Whether the file stays closed; changed while no thread opens it.
  let isSuspended = Atomic(false)
  /// The number of calls of `synchronize`, and how many of them are done.
  let syncsWanted = Atomic<UInt64>(0)
  let syncsDone = Guarded<UInt64>(0)

  /// Opens or creates a table in a folder, which is created when missing.
  ///
  /// A file that this process may read and not write can be read: every change throws `.readOnly`.
  /// The folder must let other users in, which one that is created here does not.
  ///
  /// A table of the same size and pixel format keeps its entries, under the new limits. A table of
  /// another layout or format version, or with a damaged header, is replaced by an empty one. A
  /// file that is no table is left alone.
  ///
  /// It maps the file and touches one page of it, in fourteen system calls, however many entries
  /// there are; it waits for processes that open, close or replace the file. After a process that
  /// had it open has died, a reboot or a copy it may read every record, 64 bytes an entry, and
  /// rebuild the directory; holes of a copy are allocated. A file that this process has open
  /// already is shared.
  ///
  /// - Throws: ``TableError``.
  public convenience init(at folder: String, format: TableFormat) throws(TableError) {
    let fileName = try format.validFileName()
    let layout = try TableLayout(size: format.size, pixels: format.pixels)
    let path: String
    do throws(SystemError) {
      path = "\(try Files.absolute(folder))/\(fileName)"
    } catch {
      throw TableError(error)
    }
    try self.init(path, format, layout, mayCreate: true)
  }

  /// Opens an existing table file with the limits that it was last opened with.
  ///
  /// It costs what ``init(at:format:)`` does, and reads and maps the first page once more before
  /// that.
  ///
  /// - Throws: ``TableError``; a file that is missing, damaged or of another version is left alone.
  public convenience init(opening path: String) throws(TableError) {
    let (format, layout) = try TableOpening.format(of: path)
    let absolute: String
    do throws(SystemError) { absolute = try Files.absolute(path) } catch {
      throw TableError(error)
    }
    try self.init(absolute, format, layout, mayCreate: false)
  }

  private init(
    _ path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    mayCreate: Bool
  ) throws(TableError) {
    self.path = path
    self.format = format
    self.layout = layout
    self.mayCreate = mayCreate
    let byBytes = format.byteLimit.map { max(1, $0 / layout.slotByteCount) } ?? .max
    limit = min(format.maximumCount, byBytes, Int(TableDirectory.largestSlot) / 2)
    uses = TableFile.UseCounting(limit: limit)
    let file = try TableOpening.opened(path, format, layout, limit: limit, mayCreate: mayCreate)
    file.update(format: format)
    current = CurrentFile(file)
  }

  /// The bytes from the start of one row of a picture to the start of the next.
  public var bytesPerRow: Int { layout.bytesPerRow }

  /// The bytes that one entry takes up.
  public var slotByteCount: Int { layout.slotByteCount }

  // MARK: - Retrieving

  /// The picture of an entity, if the table has it in this version, or in any when none is given.
  ///
  /// In general it takes no lock, makes no system call and no copy, and allocates one object of
  /// fixed size. A picture that is new to this process takes three system calls and the time to
  /// read its record from the disk, and the whole picture if it was not verified in this session.
  /// If the entry is just being changed it waits for the writer, 16 ms at most, and then finds
  /// nothing. A damaged entry is removed with the writer's lock held. A miss looks, once in 16 ms,
  /// whether the path still leads to the table's file (`stat`); if not, the file that has the name
  /// now is opened, or created as by a change.
  ///
  /// It counts as a use. The bitmap pins its slot and is no copy: if the entry is replaced or
  /// removed while the picture is held, the table is larger by one slot until it is released. The
  /// last picture of a file that was replaced, or whose tables are gone, closes the file when it is
  /// released. A process that may not write the file, or whose disk is full where stores need room,
  /// gets a copy, which is verified each time and counts as no use.
  public func get(_ id: TableID, version: TableID? = nil) -> Bitmap? {
    var mustRetry = false
    let memory = current.lookUp { counted, file, number -> PixelMemory? in
      mustRetry = file.mustReopen
      if uses.isDue(number), !mustRetry, !file.mustCopy { file.header.clock.add(uses.step) }
      switch mustRetry ? .retry : retrieve(id, version, file, counted, onlyWarm: true) {
      case .picture(let memory): return memory
      case .missing: break
      case .retry, .cold, .damaged: mustRetry = true
      }
      return nil
    }
    if let memory { return bitmap(memory) }
    return mustRetry || isMissed() ? getWithRetry(id, version) : nil
  }

  /// After a miss, once in 16 ms: whether another file, or none, has the table's name.
  ///
  /// Another process says so in the file, but not if it was killed before that, and `rm` never
  /// does.
  @inline(never)
  private func isMissed() -> Bool {
    let now = WallClock.coarseNanoseconds()
    guard now &- nameCheck.load(ordering: .relaxed) >= 16_000_000,
      !isSuspended.load(ordering: .relaxed)
    else { return false }
    nameCheck.store(now, ordering: .relaxed)
    let file = self.file
    guard Files.identity(path) != file.identity else { return false }
    let deadline = ContinuousClock.now + Self.longestWait
    return (try? reopen(file, until: deadline)) != nil
  }

  /// How long a look-up waits for writers: a frame of a display.
  private static let longestWait = Duration.milliseconds(16)

  /// Repeats a look-up that met a change in progress, a replaced file or a new picture.
  @inline(never)
  private func getWithRetry(_ id: TableID, _ version: TableID?) -> Bitmap? {
    guard !isSuspended.load(ordering: .relaxed) else { return nil }
    let deadline = ContinuousClock.now + Self.longestWait
    for attempt in 0..<12 {
      let file = self.file
      if file.mustReopen || file.needsRemap {
        guard (try? reopen(file, until: deadline)) != nil else { return nil }
        continue
      }
      switch retrieve(id, version, file, nil) {
      case .missing: return nil
      case .picture(let memory): return found(memory)
      case .retry, .cold:
        // In general the change that it met is over, though its thread may still have the lock.
        if attempt < 8 {
          if attempt > 4 { BackgroundThread.yield() }
          continue
        }
        // With the writer's lock held nothing changes: an entry that is not found is missing.
        var memory: PixelMemory?
        _ = try? file.change(until: deadline) { (_) throws(TableError) in
          if case .picture(let found) = retrieve(id, version, file, nil) { memory = found }
        }
        if let memory { return found(memory) }
        guard file.mustReopen || file.needsRemap else { return nil }
      case .damaged(let slot, let state):
        drop(slot, state, from: file, until: deadline)
        return nil
      }
    }
    return nil
  }

  @inline(__always)
  private func retrieve(
    _ id: TableID,
    _ version: TableID?,
    _ file: TableFile,
    _ counted: CountedFile?,
    onlyWarm: Bool = false
  ) -> TableFile.Retrieved {
    file.retrieve(id, version, counted, uses: uses, onlyWarm: onlyWarm)
  }

  private func found(_ memory: PixelMemory) -> Bitmap {
    current.noteHit()
    return bitmap(memory)
  }

  func bitmap(_ memory: PixelMemory) -> Bitmap {
    Bitmap(
      size: layout.size,
      format: layout.pixels,
      bytesPerRow: layout.bytesPerRow,
      memory: memory
    )
  }

  /// Removes an entry whose picture is damaged, unless it has been replaced since.
  ///
  /// If another process holds the lock for too long, the next retrieval removes it.
  private func drop(
    _ slot: Int,
    _ state: TableRecord.State,
    from file: TableFile,
    until deadline: ContinuousClock.Instant
  ) {
    _ = try? file.change(until: deadline) { (slots) throws(TableError) in
      let record = file.record(slot)
      guard record.state.value == state.bits else { return }
      file.header.isChanging.value = 1
      file.removeBucket(of: record.id, slot)
      file.allocator.retire(slot, &slots)
      file.header.isChanging.value = 0
    }
  }

  /// Whether the table has an entry in this version, or in any when none is given.
  ///
  /// It does not count as a use, and the picture is not read. It takes no lock and allocates
  /// nothing unless the entry is just being changed: then it waits as ``get(_:version:)`` does. An
  /// entry that is new to this process takes three system calls, and the time to read its record.
  public func contains(_ id: TableID, version: TableID? = nil) -> Bool {
    guard !isSuspended.load(ordering: .relaxed) else { return false }
    for _ in 0..<4 {
      let file = self.file
      if file.mustReopen { break }
      switch file.find(id, version) {
      case .slot: return true
      case .missing: return false
      case .retry, .cold: continue
      }
    }
    let deadline = ContinuousClock.now + Self.longestWait
    let found = try? change(until: deadline) { (file, _) throws(TableError) in
      guard let slot = file.slot(of: id) else { return false }
      return version.map { file.record(slot).hasVersion($0) } ?? true
    }
    return found ?? false
  }

  /// Has the system read the pictures of these entries into memory in the background.
  ///
  /// Unknown ids are skipped. It takes no lock and makes two system calls for each entry; it reads
  /// the directory and no record, so it waits for the disk only for pages of the directory.
  public func prefetch(_ ids: [TableID]) {
    guard !isSuspended.load(ordering: .relaxed) else { return }
    self.file.prefetch(ids)
  }

  // MARK: - The file

  /// The file in use now.
  var file: TableFile { current.read() }

  /// Runs a change with the writer's lock held, in the file that has the name now, mapped as a
  /// whole.
  func change<R: Sendable>(
    until deadline: ContinuousClock.Instant? = nil,
    name: TableFile.NameCheck = .now,
    _ body: (TableFile, inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R {
    for _ in 0..<1000 {
      let file = self.file
      let result = try file.change(until: deadline, name: name) { (slots) throws(TableError) in
        try body(file, &slots)
      }
      if let result { return result }
      try reopen(file, until: deadline)
    }
    throw .replacedTooOften(path)
  }

  /// Opens the file that has the name now, unless another thread has already replaced `file`.
  func reopen(
    _ file: TableFile,
    until deadline: ContinuousClock.Instant? = nil
  ) throws(TableError) {
    // The old file is closed outside the locks, and released unless pictures of it are held.
    guard let deadline else {
      let old = try reopening.withLock { (_) throws(TableError) in
        try exchange(file, until: nil)
      }
      old?.close()
      return
    }
    while true {
      let old = try reopening.withLockIfAvailable { (_) throws(TableError) in
        try exchange(file, until: deadline)
      }
      if let old {
        old?.close()
        return
      }
      guard ContinuousClock.now < deadline else { throw .system(.tryAgain("open", path)) }
      BackgroundThread.pause()
    }
  }

  /// Opens the file that has the name now; returns the old one, nil if it is no longer in use.
  private func exchange(
    _ file: TableFile,
    until deadline: ContinuousClock.Instant?
  ) throws(TableError) -> CountedFile? {
    guard !isSuspended.load(ordering: .relaxed) else { throw .suspended(path: path) }
    guard self.file === file else { return nil }
    let opened = try TableOpening.opened(
      path,
      format,
      layout,
      limit: limit,
      mayCreate: mayCreate,
      until: deadline
    )
    opened.update(format: format)
    return current.exchange(opened)
  }

  /// Hits and misses of this process.
  var counts: (hits: Int, misses: Int) { current.counts }
}
