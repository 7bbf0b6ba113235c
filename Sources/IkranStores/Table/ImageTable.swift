public import IkranPixels
import Synchronization

/// Images of one size and one pixel format in one mapped file, decoded and ready to be drawn.
///
/// A picture is returned as a bitmap over the file's own pages: nothing is decoded, copied or read
/// in advance. For as long as the bitmap lives its pixels stay as they are, whatever happens to the
/// entry or the table.
///
/// All calls are synchronous and thread-safe. ``get(_:version:)`` never waits for somebody who
/// draws. Several processes may use one file at once; locks and pictures held by a process that died
/// are free again. A crash at any point leaves every entry as it was put, or gone. The format is
/// described in `docs/table-format.md`.
public final class ImageTable: Sendable {
  /// The table's file.
  public let path: String
  /// What the table holds, and its limits.
  public let format: TableFormat
  let layout: TableLayout
  /// Entries that the count and the byte limit allow.
  let limit: Int
  /// Whether a missing or unfit file may be replaced by an empty table.
  private let mayMake: Bool
  private let current: LanedGuard<TableLender, TableCounts>
  private let reopening = Guarded(false)
  let evictions = Atomic(0)
  /// Pictures that are being put now.
  let puts = Atomic(0)
  /// How many calls of `synchronize` there have been, and how many of them are done.
  let syncsWanted = Atomic<UInt64>(0)
  let syncsDone = Guarded<UInt64>(0)

  /// Opens a table in a folder, which is made when missing, or makes the table.
  ///
  /// A file of the same size and pixel format is kept, under the limits given now. A file of another
  /// layout, of another version of the format, or with a damaged header is replaced by an empty
  /// table; any other file is left alone.
  ///
  /// - Throws: ``TableError``.
  public convenience init(at folder: String, format: TableFormat) throws(TableError) {
    try format.validate()
    let layout = try TableLayout(size: format.size, pixels: format.pixels)
    let path: String
    do throws(SystemError) {
      let folder = try Files.absolute(folder)
      if !Files.isDirectory(folder) { try Files.createDirectories(folder) }
      path = "\(folder)/\(format.fileName())"
    } catch {
      throw TableError(error)
    }
    try self.init(path, format, layout, mayMake: true)
  }

  /// Opens a table's file as it is, with the limits it was used with last.
  ///
  /// - Throws: ``TableError``; a file that is missing, damaged or of another version is left alone.
  public convenience init(opening path: String) throws(TableError) {
    let (format, layout) = try TableFile.format(of: path)
    let absolute: String
    do throws(SystemError) { absolute = try Files.absolute(path) } catch {
      throw TableError(error)
    }
    try self.init(absolute, format, layout, mayMake: false)
  }

  private init(
    _ path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    mayMake: Bool
  ) throws(TableError) {
    self.path = path
    self.format = format
    self.layout = layout
    self.mayMake = mayMake
    let byBytes = format.byteLimit.map { max(1, $0 / layout.slotByteCount) } ?? .max
    limit = min(format.maximumCount, byBytes, Int(TableDirectory.largestSlot) / 2)
    let file = try TableFile.opened(path, format, layout, limit: limit, mayMake: mayMake)
    file.header.note(format)
    current = LanedGuard(TableLender(file)) { TableCounts() }
  }

  /// The bytes from the start of one row of a picture to the start of the next.
  public var bytesPerRow: Int { layout.bytesPerRow }

  /// The bytes that one entry takes up.
  public var slotByteCount: Int { layout.slotByteCount }

  // MARK: - Retrieving

  /// The picture of an entity, if the table has it in this version, or in any when none is given.
  ///
  /// It counts as a use. The bitmap keeps its slot, not a copy: a picture held for long makes the
  /// table larger by one slot, if the entry is replaced or removed meanwhile.
  public func get(_ id: TableID, version: TableID? = nil) -> Bitmap? {
    var isSure = true
    let memory = current.read { lender, counts -> PixelMemory? in
      isSure = lender.file.header.isReplaced.relaxed == 0
      switch isSure ? lender.file.retrieve(id, version, lender) : .disturbed {
      case .picture(let memory):
        counts.hits += 1
        return memory
      case .missing: break
      case .disturbed, .damaged: isSure = false
      }
      counts.misses += 1
      return nil
    }
    if let memory { return bitmap(memory) }
    return isSure ? nil : getSlowly(id, version)
  }

  /// Looks again where the first look found nothing: somebody may just have been changing it.
  @inline(never)
  private func getSlowly(_ id: TableID, _ version: TableID?) -> Bitmap? {
    for _ in 0..<4 {
      let file = self.file
      if file.header.isReplaced.relaxed != 0 || file.isOutgrown {
        guard (try? reopen(file)) != nil else { return nil }
        continue
      }
      switch file.retrieve(id, version, file) {
      case .missing: return nil
      case .picture(let memory): return found(memory)
      case .disturbed:
        // With the lock held nobody changes anything; what is then not found is not there.
        var memory: PixelMemory?
        _ = try? file.change { (_) throws(TableError) in
          if case .picture(let found) = file.retrieve(id, version, file) { memory = found }
        }
        if let memory { return found(memory) }
        guard file.header.isReplaced.relaxed != 0 || file.isOutgrown else { return nil }
      case .damaged(let slot, let state):
        drop(slot, state, from: file)
        return nil
      }
    }
    return nil
  }

  /// A hit after all.
  private func found(_ memory: PixelMemory) -> Bitmap {
    current.read { _, counts in
      counts.misses -= 1
      counts.hits += 1
    }
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

  /// Removes an entry whose picture is not what was stored, unless somebody replaced it meanwhile.
  func drop(_ slot: Int, _ state: TableRecord.State, from file: TableFile) {
    _ = try? file.change { (slots) throws(TableError) in
      let record = file.record(slot)
      guard record.state.value == state.bits else { return }
      file.header.isChanging.value = 1
      file.removePlace(of: record.id, slot)
      file.retire(slot, &slots)
      file.header.isChanging.value = 0
    }
  }

  /// Whether the table has an entry in this version, or in any when none is given; no use, and its
  /// picture is not looked at.
  public func contains(_ id: TableID, version: TableID? = nil) -> Bool {
    let file = self.file
    if file.header.isReplaced.relaxed == 0 {
      switch file.find(id, version) {
      case .slot: return true
      case .missing: return false
      case .disturbed: break
      }
    }
    let found = try? change { (file, _) throws(TableError) in
      guard let slot = file.slot(of: id) else { return false }
      return version.map { file.record(slot).hasVersion($0) } ?? true
    }
    return found ?? false
  }

  /// Says that these entries are about to be retrieved: the system fetches what is not in memory.
  ///
  /// Returns before it is there. Unknown ids are passed over.
  public func prefetch(_ ids: [TableID]) {
    self.file.prefetch(ids)
  }

  // MARK: - The file

  /// The file in use now.
  var file: TableFile { current.read { lender, _ in lender.file } }

  /// Runs a change with the writer's lock held, in the file that has the name now and all of it.
  func change<R: Sendable>(
    _ body: (TableFile, inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R {
    for _ in 0..<1000 {
      let file = self.file
      let result = try file.change { (slots) throws(TableError) in try body(file, &slots) }
      if let result { return result }
      try reopen(file)
    }
    throw .replacedTooOften(path)
  }

  /// Opens the file that has the name now, unless somebody has done so since `file` was in use.
  func reopen(_ file: TableFile) throws(TableError) {
    let old = try reopening.withLock { (_) throws(TableError) -> TableLender? in
      guard self.file === file else { return nil }
      let opened = try TableFile.opened(path, format, layout, limit: limit, mayMake: mayMake)
      opened.header.note(format)
      let new = TableLender(opened)
      return current.change(takingIn: { _, _ in }) { current in
        defer { current = new }
        return current
      }
    }
    // Released here, outside the locks, if nobody sees a picture of it.
    withExtendedLifetime(old) {}
  }

  /// Hits and misses of this process.
  var counts: TableCounts {
    var sum = TableCounts()
    current.change(takingIn: { sum.add($1) }) { _ in }
    return sum
  }
}

/// How one lane of readers has used a table.
struct TableCounts {
  var hits = 0
  var misses = 0

  mutating func add(_ other: TableCounts) {
    hits += other.hits
    misses += other.misses
  }
}
