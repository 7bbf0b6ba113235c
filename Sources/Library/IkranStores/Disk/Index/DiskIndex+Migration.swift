import IkranSystem

/// The migration of an index from version 1 to 2.
///
/// Version 1 had `entries` with `id`, `key` (text), `length`, `checksum`, `accessed` and `created`,
/// `bodies` by `id`, triggers that updated `totals`, and files named `bodies/XX/H-I`: the XXH64 of
/// the key with seeds 1 and 2, in 32 hex digits, and the id in 16.
extension DiskIndex {
  /// Renames the tables of an old index, so that the new ones can be created.
  static let renameOldTables = """
    DROP TRIGGER entry_added;
    DROP TRIGGER entry_removed;
    DROP INDEX entries_accessed;
    DROP TABLE totals;
    ALTER TABLE entries RENAME TO entries_1;
    ALTER TABLE bodies RENAME TO bodies_1;
    """

  /// Copies the entries of the old tables, in the transaction that created the new ones.
  ///
  /// Files get a second name, so that a crash leaves the old cache as it was; the old names belong
  /// to no entry afterwards and are removed by a sweep.
  func migrateEntries(_ files: BodyFiles) throws(DiskCacheError) {
    let page = try handle.prepare(
      """
      SELECT e.id, e.key, e.length, e.checksum, e.accessed, e.created, b.body
      FROM entries_1 e LEFT JOIN bodies_1 b ON b.id = e.id WHERE e.id > ?1 ORDER BY e.id LIMIT 64
      """
    )
    var totals = IndexTotals()
    var count = 64
    while count == 64 {
      count = 0
      page.bind(totals.serial, at: 1)
      while try handle.step(page) {
        count += 1
        totals.serial = max(totals.serial, page.integer(0))
        try migrate(Self.oldRow(page), files, &totals)
      }
      page.reset()
    }
    try handle.execute("DROP TABLE entries_1; DROP TABLE bodies_1")
    try write(totals)
  }

  private func migrate(
    _ row: IndexRow,
    _ files: BodyFiles,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) {
    // Skips rows with a negative length, and keys whose hash another key has already.
    guard row.length >= 0, try serial(of: row.hash) == nil else { return }
    if !row.flags.contains(.inline) {
      let old = files.directory + "/" + Self.oldPath(key: row.key, id: row.serial)
      do throws(SystemError) {
        try files.link(old, as: row.name)
      } catch {
        if error.isMissing { return }
        throw DiskCacheError(error)
      }
    }
    try add(row, replacing: nil, &totals)
    let access = Access(count: row.accessed > row.stored ? 1 : 0, time: row.accessed)
    try add([row.hash: access], now: .max)
  }

  private static func oldRow(_ statement: borrowing SQLiteStatement) -> IndexRow {
    let key = Array(statement.text(1).utf8)
    let body = statement.bytes(6)
    return IndexRow(
      hash: Int64(bitPattern: Checksum.of(key)),
      serial: statement.integer(0),
      flags: body == nil ? [] : .inline,
      length: statement.integer(2),
      size: statement.integer(2),
      checksum: statement.integer(3),
      stored: statement.integer(5),
      key: key,
      extended: [],
      body: body,
      accessed: statement.integer(4)
    )
  }

  private static func oldPath(key: [UInt8], id: Int64) -> String {
    let digits = [1, 2].map { String(hexadecimal: Checksum.of(key, seed: $0)) }.joined()
    return "bodies/\(digits.prefix(2))/\(digits)-\(String(hexadecimal: UInt64(bitPattern: id)))"
  }
}
