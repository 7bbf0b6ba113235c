/// The SQLite side of a disk cache: its statements, kept compiled.
///
/// Not thread-safe: the cache's lock is held around every call.
final class DiskIndex {
  /// One row.
  struct Entry {
    let id: Int64
    let key: String
    let length: Int64
    let checksum: Int64
    /// The body, for one that lives in the index; nil for one in a file.
    let body: [UInt8]?
  }

  /// The entries that a change removed from the index and whose files are to go.
  typealias Removed = [(key: String, id: Int64)]

  private let handle: SQLiteHandle
  private let find: SQLiteStatement
  private let findID: SQLiteStatement
  private let insert: SQLiteStatement
  private let insertBody: SQLiteStatement
  private let touch: SQLiteStatement
  private let delete: SQLiteStatement
  private let oldest: SQLiteStatement
  private let readTotals: SQLiteStatement
  private let page: SQLiteStatement
  private let keyOfFile: SQLiteStatement

  /// Opens an index, which is created when missing.
  init(path: String) throws(DiskCacheError) {
    handle = try SQLiteHandle.open(path, busyMilliseconds: Self.busyMilliseconds)
    try Self.createSchema(handle)
    find = try handle.prepare(
      """
      SELECT e.id, e.key, e.length, e.checksum, b.body
      FROM entries e LEFT JOIN bodies b ON b.id = e.id WHERE e.key = ?1
      """
    )
    findID = try handle.prepare("SELECT id FROM entries WHERE key = ?1")
    insert = try handle.prepare(
      """
      INSERT INTO entries(key, length, checksum, accessed, created) VALUES(?1, ?2, ?3, ?4, ?4)
      """
    )
    insertBody = try handle.prepare("INSERT OR REPLACE INTO bodies(id, body) VALUES(?1, ?2)")
    touch = try handle.prepare("UPDATE entries SET accessed = ?2 WHERE id = ?1 AND accessed < ?2")
    delete = try handle.prepare("DELETE FROM entries WHERE id = ?1")
    oldest = try handle.prepare(
      """
      SELECT id, key, length FROM entries WHERE id <> ?1 ORDER BY accessed, id LIMIT 1
      """
    )
    readTotals = try handle.prepare("SELECT count, bytes FROM totals")
    page = try handle.prepare(
      """
      SELECT e.id, e.key, e.length, e.checksum, b.body
      FROM entries e LEFT JOIN bodies b ON b.id = e.id WHERE e.id > ?1 ORDER BY e.id LIMIT 64
      """
    )
    keyOfFile = try handle.prepare(
      """
      SELECT key FROM entries WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM bodies WHERE id = ?1)
      """
    )
  }

  private static let busyMilliseconds: Int32 = 5000

  private static func createSchema(_ handle: borrowing SQLiteHandle) throws(DiskCacheError) {
    if try version(handle) == DiskCacheFormat.version { return }
    // Another process may be doing the same: look again with the writer's lock held.
    try handle.execute("BEGIN IMMEDIATE")
    do throws(DiskCacheError) {
      switch try version(handle) {
      case DiskCacheFormat.version: break
      case 0: try handle.execute(DiskCacheFormat.schema)
      case let other:
        throw .corrupt(path: handle.path, reason: "its format has version \(other)")
      }
      try handle.execute("COMMIT")
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      throw error
    }
  }

  private static func version(_ handle: borrowing SQLiteHandle) throws(DiskCacheError) -> Int64 {
    let statement = try handle.prepare("PRAGMA user_version")
    return try handle.step(statement) ? statement.integer(0) : 0
  }

  // MARK: - Transactions

  /// Runs a change as a whole or not at all, with the writer's lock held.
  ///
  /// While another process has that lock, it waits, or throws `.busy` at once if `waits` is false.
  func change<R>(
    waits: Bool = true,
    _ body: () throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    if !waits { handle.setBusyTimeout(milliseconds: 0) }
    defer { if !waits { handle.setBusyTimeout(milliseconds: Self.busyMilliseconds) } }
    try handle.execute("BEGIN IMMEDIATE")
    do throws(DiskCacheError) {
      let result = try body()
      try handle.execute("COMMIT")
      return result
    } catch {
      // The change's own failure is the one to report; a failed rollback happens again on open.
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      throw error
    }
  }

  // MARK: - Entries

  /// The entry under a key.
  func entry(_ key: String) throws(DiskCacheError) -> Entry? {
    find.bind(key, at: 1)
    defer { find.reset() }
    return try handle.step(find) ? Self.entry(find) : nil
  }

  /// The number of the entry under a key.
  func id(of key: String) throws(DiskCacheError) -> Int64? {
    findID.bind(key, at: 1)
    defer { findID.reset() }
    return try handle.step(findID) ? findID.integer(0) : nil
  }

  /// Up to 64 entries with larger numbers, in order.
  func entries(after id: Int64) throws(DiskCacheError) -> [Entry] {
    page.bind(id, at: 1)
    defer { page.reset() }
    var entries: [Entry] = []
    while try handle.step(page) { entries.append(Self.entry(page)) }
    return entries
  }

  private static func entry(_ statement: borrowing SQLiteStatement) -> Entry {
    Entry(
      id: statement.integer(0),
      key: statement.text(1),
      length: statement.integer(2),
      checksum: statement.integer(3),
      body: statement.bytes(4)
    )
  }

  /// Adds an entry, whose key must be free, and returns its number.
  func add(
    key: String,
    length: Int,
    checksum: Int64,
    body: [UInt8]?,
    time: Int64
  ) throws(DiskCacheError) -> Int64 {
    insert.bind(key, at: 1)
    insert.bind(Int64(length), at: 2)
    insert.bind(checksum, at: 3)
    insert.bind(time, at: 4)
    try handle.run(insert)
    let id = handle.lastRow
    if let body {
      insertBody.bind(id, at: 1)
      insertBody.bind(body, at: 2)
      try handle.run(insertBody)
    }
    return id
  }

  /// Removes an entry; false when it is gone already.
  @discardableResult
  func remove(id: Int64) throws(DiskCacheError) -> Bool {
    delete.bind(id, at: 1)
    try handle.run(delete)
    return handle.changes > 0
  }

  /// Removes the entry under a key, if there is one.
  func remove(key: String) throws(DiskCacheError) -> Removed {
    guard let id = try id(of: key) else { return [] }
    try remove(id: id)
    return [(key, id)]
  }

  /// Notes later access times.
  func note(_ accesses: [Int64: Int64]) throws(DiskCacheError) {
    for (id, time) in accesses {
      touch.bind(id, at: 1)
      touch.bind(time, at: 2)
      try handle.run(touch)
    }
  }

  /// Removes the entries accessed longest ago until the limits hold; never the entry `kept`.
  func evict(
    toBytes bytes: Int,
    count: Int,
    keeping kept: Int64 = -1
  ) throws(DiskCacheError) -> Removed {
    var removed: Removed = []
    var held = try totals()
    if held.bytes < 0 || held.count < 0 { held = try recount() }
    while held.bytes > Int64(bytes) || held.count > Int64(count) {
      guard let victim = try oldestEntry(except: kept) else {
        _ = try recount()
        break
      }
      try remove(id: victim.id)
      removed.append((victim.key, victim.id))
      held.bytes = held.bytes.subtractingReportingOverflow(victim.length).partialValue
      held.count -= 1
    }
    return removed
  }

  private func oldestEntry(
    except kept: Int64
  ) throws(DiskCacheError) -> (id: Int64, key: String, length: Int64)? {
    oldest.bind(kept, at: 1)
    defer { oldest.reset() }
    guard try handle.step(oldest) else { return nil }
    return (oldest.integer(0), oldest.text(1), oldest.integer(2))
  }

  /// The key of an entry whose body is a file.
  func key(ofFile id: Int64) throws(DiskCacheError) -> String? {
    keyOfFile.bind(id, at: 1)
    defer { keyOfFile.reset() }
    return try handle.step(keyOfFile) ? keyOfFile.text(0) : nil
  }

  // MARK: - The whole

  /// The number of entries and the sum of their bytes.
  func totals() throws(DiskCacheError) -> (count: Int64, bytes: Int64) {
    defer { readTotals.reset() }
    return try handle.step(readTotals)
      ? (readTotals.integer(0), readTotals.integer(1)) : try recount()
  }

  /// Counts all entries anew; the totals of a sound index are right already.
  @discardableResult
  func recount() throws(DiskCacheError) -> (count: Int64, bytes: Int64) {
    try handle.execute(
      "REPLACE INTO totals SELECT 1, count(*), CAST(total(length) AS INTEGER) FROM entries"
    )
    let statement = try handle.prepare("SELECT count, bytes FROM totals")
    return try handle.step(statement) ? (statement.integer(0), statement.integer(1)) : (0, 0)
  }

  /// Removes all entries.
  func removeAll() throws(DiskCacheError) {
    try handle.execute("DELETE FROM bodies; DELETE FROM entries")
  }

  /// Gives pages without content back to the disk.
  func shrink() throws(DiskCacheError) { try handle.execute("VACUUM") }

  /// Reads every page; a damaged index throws `.corrupt`.
  func check() throws(DiskCacheError) {
    let statement = try handle.prepare("PRAGMA integrity_check(1)")
    guard try handle.step(statement), statement.text(0) == "ok" else {
      throw .corrupt(path: handle.path, reason: statement.text(0))
    }
  }
}
