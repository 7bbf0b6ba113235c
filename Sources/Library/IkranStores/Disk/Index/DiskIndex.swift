// Decision 16: rows by a hash of their key, totals in one row.
/// The SQLite index of a disk cache, with its compiled statements.
///
/// Not thread-safe: the cache's lock is held around every call.
final class DiskIndex {
  let handle: SQLiteHandle
  private let begin: SQLiteStatement
  private let commit: SQLiteStatement
  private let rollback: SQLiteStatement
  private let find: SQLiteStatement
  private let findSerial: SQLiteStatement
  private let page: SQLiteStatement
  private let getTotals: SQLiteStatement
  private let setTotals: SQLiteStatement
  let insert: SQLiteStatement
  let insertBody: SQLiteStatement
  let delete: SQLiteStatement
  let deleteBody: SQLiteStatement
  let touch: SQLiteStatement
  let amend: SQLiteStatement
  let oldest: SQLiteStatement
  let move: SQLiteStatement
  let findGhost: SQLiteStatement
  let setGhost: SQLiteStatement

  /// Whether the index was migrated when it was opened; files of the old version are left then.
  private(set) var wasMigrated = false

  /// Opens the index of a cache, which is created when missing.
  ///
  /// When the log has `logByteCount` bytes it is copied into the index, which waits for the disk
  /// three times.
  convenience init(
    path: String,
    _ files: BodyFiles,
    logByteCount: Int,
    isPrivate: Bool
  ) throws(DiskCacheError) {
    let handle = try SQLiteHandle.open(
      path,
      busyMilliseconds: Self.busyMilliseconds,
      isPrivate: isPrivate
    )
    try handle.limitLog(toBytes: logByteCount)
    let old = try Self.createSchema(handle)
    try self.init(handle)
    guard old != DiskCacheFormat.version else { return }
    if old == 1 { try migrateEntries(files) }
    try self.handle.execute("COMMIT")
    wasMigrated = old == 1
  }

  /// Creates missing tables; returns the version that the index had.
  ///
  /// If that is another than the present one a transaction is open afterwards. An error closes the
  /// file, which rolls the transaction back.
  private static func createSchema(
    _ handle: borrowing SQLiteHandle
  ) throws(DiskCacheError) -> Int64 {
    if try handle.version() == DiskCacheFormat.version { return DiskCacheFormat.version }
    // Another process may do the same: read the version again with the writer's lock held.
    try handle.execute("BEGIN IMMEDIATE")
    let old = try handle.version()
    switch old {
    case DiskCacheFormat.version: try handle.execute("ROLLBACK")
    case 0: try handle.execute(DiskCacheFormat.schema)
    case 1: try handle.execute(renameOldTables + DiskCacheFormat.schema)
    case 2: try handle.execute("PRAGMA user_version = \(DiskCacheFormat.version)")
    default: throw .unknownFormat(path: handle.path, reason: "its version is \(old)")
    }
    return old
  }

  /// Opens an index for reading only; an index of another version throws.
  convenience init(readingOnly path: String) throws(DiskCacheError) {
    let handle = try SQLiteHandle.openReadOnly(path, busyMilliseconds: Self.busyMilliseconds)
    guard try (2...DiskCacheFormat.version).contains(handle.version()) else {
      throw .unknownFormat(path: path, reason: "it has another version")
    }
    try self.init(handle)
  }

  private init(_ handle: consuming SQLiteHandle) throws(DiskCacheError) {
    begin = try handle.prepare("BEGIN IMMEDIATE")
    commit = try handle.prepare("COMMIT")
    rollback = try handle.prepare("ROLLBACK")
    find = try handle.prepare(
      """
      SELECT \(Self.columns), CASE WHEN kind & \(StoredFlags.inline.rawValue)
        THEN (SELECT body FROM bodies WHERE bodies.serial = entries.serial) END
      FROM entries WHERE hash = ?1
      """
    )
    findSerial = try handle.prepare("SELECT serial FROM entries WHERE hash = ?1")
    page = try handle.prepare(
      """
      SELECT \(Self.columns), NULL FROM entries WHERE hash > ?1 ORDER BY hash
      LIMIT \(Self.pageLength)
      """
    )
    getTotals = try handle.prepare(
      "SELECT count, bytes, small_count, small_bytes, serial FROM totals WHERE id = 1"
    )
    setTotals = try handle.prepare("REPLACE INTO totals VALUES(1, ?1, ?2, ?3, ?4, ?5)")
    insert = try handle.prepare(
      """
      INSERT INTO entries(hash, serial, kind, length, size, checksum, stored, accessed, mark, key,
        extended, place, uses) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12)
      """
    )
    insertBody = try handle.prepare("REPLACE INTO bodies(serial, body) VALUES(?1, ?2)")
    // A serial number of -1 matches any.
    delete = try handle.prepare(
      """
      DELETE FROM entries WHERE hash = ?1 AND ?2 IN (-1, serial)
      RETURNING serial, kind, size, place, uses,
        CASE WHEN kind & \(StoredFlags.labelled.rawValue) THEN key END
      """
    )
    deleteBody = try handle.prepare("DELETE FROM bodies WHERE serial = ?1")
    touch = try handle.prepare(
      """
      UPDATE entries SET accessed = max(min(accessed, ?4), ?3),
        uses = min(\(Self.mostUses), uses + ?2) WHERE hash = ?1
      """
    )
    amend = try handle.prepare(
      """
      UPDATE entries SET extended = ?3, size = ?4, stored = ?5, accessed = ?6, mark = ?7
      WHERE hash = ?1 AND serial = ?2 RETURNING place
      """
    )
    oldest = try handle.prepare(
      """
      SELECT hash, uses, accessed, stored FROM entries
      WHERE place >= ?1 AND place < ?2 AND serial <> ?3 ORDER BY place LIMIT 1
      """
    )
    move = try handle.prepare(
      "UPDATE entries SET place = ?2, uses = ?3 WHERE hash = ?1 RETURNING size"
    )
    findGhost = try handle.prepare("SELECT serial FROM ghosts WHERE slot = ?1 AND hash = ?2")
    setGhost = try handle.prepare("REPLACE INTO ghosts VALUES(?1, ?2, ?3)")
    self.handle = handle
  }

  private static let busyMilliseconds: Int32 = 5000

  /// The most rows that `rows(after:)` returns.
  static let pageLength = 64

  /// The columns of a row, without the body.
  private static let columns =
    "hash, serial, kind, length, size, checksum, stored, accessed, uses, mark, key, extended"

  // MARK: - Transactions

  /// Runs a change in a transaction, with the writer's lock held.
  ///
  /// While another process has that lock it waits, or throws `.busy` at once if `waits` is false.
  func change<R>(
    waits: Bool = true,
    _ body: (inout IndexTotals) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    if !waits { handle.setBusyTimeout(milliseconds: 0) }
    defer { if !waits { handle.setBusyTimeout(milliseconds: Self.busyMilliseconds) } }
    try handle.run(begin)
    do throws(DiskCacheError) {
      let before = try storedTotals()
      var totals = if let before { before } else { try recount() }
      let result = try body(&totals)
      if !totals.isValid { totals = try recount() }
      if totals != before { try write(totals) }
      try handle.run(commit)
      try handle.checkIntact()
      return result
    } catch {
      // The first error is the one to report; if the rollback fails, the next opening repeats it.
      if handle.isInTransaction { try? handle.run(rollback) }
      throw error
    }
  }

  // MARK: - Entries

  /// The row of a key's hash.
  func row(_ hash: Int64) throws(DiskCacheError) -> IndexRow? {
    find.bind(hash, at: 1)
    defer { find.reset() }
    return try handle.step(find) ? Self.row(find) : nil
  }

  /// The serial number of the entry with this hash.
  func serial(of hash: Int64) throws(DiskCacheError) -> Int64? {
    findSerial.bind(hash, at: 1)
    defer { findSerial.reset() }
    return try handle.step(findSerial) ? findSerial.integer(0) : nil
  }

  /// Up to `pageLength` rows with larger hashes, in order, without their bodies.
  func rows(after hash: Int64) throws(DiskCacheError) -> [IndexRow] {
    page.bind(hash, at: 1)
    defer { page.reset() }
    var rows: [IndexRow] = []
    while try handle.step(page) { rows.append(Self.row(page)) }
    return rows
  }

  private static func row(_ statement: borrowing SQLiteStatement) -> IndexRow {
    IndexRow(
      hash: statement.integer(0),
      serial: statement.integer(1),
      flags: StoredFlags(rawValue: statement.integer(2)),
      length: statement.integer(3),
      size: statement.integer(4),
      checksum: statement.integer(5),
      stored: statement.integer(6),
      key: statement.bytes(10) ?? [],
      extended: statement.bytes(11) ?? [],
      body: statement.bytes(12),
      accessed: statement.integer(7),
      uses: statement.integer(8),
      storedRowChecksum: statement.integer(9)
    )
  }

  // MARK: - Totals

  /// The number of entries and their bytes.
  func totals() throws(DiskCacheError) -> IndexTotals {
    if let totals = try storedTotals() { return totals }
    return try recount()
  }

  /// The totals in the index; nil when they are out of range.
  private func storedTotals() throws(DiskCacheError) -> IndexTotals? {
    defer { getTotals.reset() }
    guard try handle.step(getTotals) else { return nil }
    let totals = Self.totals(getTotals)
    return totals.isValid ? totals : nil
  }

  private static func totals(_ statement: borrowing SQLiteStatement) -> IndexTotals {
    IndexTotals(
      count: statement.integer(0),
      bytes: statement.integer(1),
      smallCount: statement.integer(2),
      smallBytes: statement.integer(3),
      serial: statement.integer(4)
    )
  }

  /// Writes the totals.
  func write(_ totals: IndexTotals) throws(DiskCacheError) {
    setTotals.bind(totals.count, at: 1)
    setTotals.bind(totals.bytes, at: 2)
    setTotals.bind(totals.smallCount, at: 3)
    setTotals.bind(totals.smallBytes, at: 4)
    setTotals.bind(totals.serial, at: 5)
    try handle.run(setTotals)
  }

  /// Counts all entries again, for an index whose totals are damaged.
  func recount() throws(DiskCacheError) -> IndexTotals {
    let main = DiskCacheFormat.mainQueue
    let statement = try handle.prepare(
      """
      SELECT count(*), CAST(total(size) AS INTEGER), count(CASE WHEN place < \(main) THEN 1 END),
        CAST(total(CASE WHEN place < \(main) THEN size END) AS INTEGER),
        coalesce(max(max(serial), max(place & \(main - 1))), 0)
      FROM entries
      """
    )
    guard try handle.step(statement) else { return IndexTotals() }
    let totals = Self.totals(statement)
    guard totals.isValid else {
      throw .corrupt(path: handle.path, reason: "its numbers are out of range")
    }
    return totals
  }

  /// Removes all entries.
  func removeAll(_ totals: inout IndexTotals) throws(DiskCacheError) {
    try handle.execute("DELETE FROM bodies; DELETE FROM entries; DELETE FROM ghosts")
    totals = IndexTotals(serial: totals.serial)
  }

  /// Shrinks the file by its free pages, and empties the log, which has them still.
  func shrink() throws(DiskCacheError) {
    try handle.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Reads every page; a damaged index throws `.corrupt`.
  func check() throws(DiskCacheError) {
    let statement = try handle.prepare("PRAGMA integrity_check(1)")
    guard try handle.step(statement), statement.text(0) == "ok" else {
      throw .corrupt(path: handle.path, reason: statement.text(0))
    }
  }
}
