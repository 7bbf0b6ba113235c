import IkranStores

// One limit for all tables of a folder.

/// How the bytes of a folder are divided: arithmetic alone.
struct TableBudget {
  /// Bytes for all tables together.
  let limit: Int
  /// The number of tables, at least 1.
  let count: Int

  /// The bytes that every table may have, whatever the others do.
  var share: Int { limit / max(1, count) }

  /// The bytes that a table may have next to others of so many bytes.
  func allowance(others: Int) -> Int { max(share, limit - others) }

  /// The bytes that the largest table keeps when all together are over the limit.
  ///
  /// An eighth less, so that its file is seldom rewritten; but never less than its share.
  func reduced(_ bytes: Int) -> Int { max(share, bytes - limit / 8) }
}

extension TableStage {
  /// A table of the folder as far as the limit is concerned.
  struct Resident {
    let path: String
    /// The bytes of its images; of a table that is not open here, those of its file.
    let bytes: Int
    /// Its key; nil when it is not open here.
    var key: TableKey?
    var lastUse: UInt64 = 0
    /// Seconds since it was last used, by any process.
    var age = 0

    /// Whether it was unused for a day.
    var isForgotten: Bool { key == nil && age > 86_400 }
  }

  /// Every table of the folder; opening one would be a use, so strangers stay closed.
  func snapshot() -> [Resident] {
    let open = openTables()
    let uses = state.withLock { $0.lastUses }
    let ours = open.map { key, table in
      let bytes = table.statistics.byteCount
      return Resident(path: table.path, bytes: bytes, key: key, lastUse: uses[key] ?? 0)
    }
    // One that has just vanished has no bytes.
    let others = otherPaths(than: open).map { path in
      Resident(path: path, bytes: Files.size(path) ?? 0, age: Files.age(path) ?? 0)
    }
    return ours + others
  }

  /// Looks at the limit after every sixty-fourth of it that was written.
  func keepLimit(adding bytes: Int) {
    let isDue = state.withLock { state in
      let (sum, overflow) = state.uncheckedBytes.addingReportingOverflow(bytes)
      state.uncheckedBytes = overflow ? .max : sum
      guard state.uncheckedBytes >= options.byteLimit / 64 else { return false }
      state.uncheckedBytes = 0
      return true
    }
    guard isDue else { return }
    var foreign: Set<String> = []
    // Each turn removes a table, brings one to its share or finds one that is not ours.
    for _ in 0..<4 * Self.maximumTables {
      let residents = snapshot().filter { !foreign.contains($0.path) }
      let total = residents.reduce(0) { $0 + $1.bytes }
      guard total > options.byteLimit else { return }
      let budget = TableBudget(limit: options.byteLimit, count: residents.count)
      if let old = residents.filter(\.isForgotten).max(by: { $0.age < $1.age }) {
        if !remove(old) { foreign.insert(old.path) }
      } else if let largest = residents.max(by: { $0.bytes < $1.bytes }) {
        let isReduced = reduce(largest, to: budget.reduced(largest.bytes))
        if !isReduced || largest.key == nil { foreign.insert(largest.path) }
      }
    }
  }

  /// Makes room for another file.
  func removeOne(of residents: [Resident]) {
    let strangers = residents.filter { $0.key == nil }.sorted { $0.age > $1.age }
    for stranger in strangers where remove(stranger) { return }
    if let oldest = residents.filter({ $0.key != nil }).min(by: { $0.lastUse < $1.lastUse }) {
      _ = remove(oldest)
    }
  }

  /// Removes a table's file; false when it is none of ours or cannot be removed.
  private func remove(_ resident: Resident) -> Bool {
    if let key = resident.key {
      state.withLock { $0.tables[key] = nil }
    } else if (try? ImageTable(opening: resident.path)) == nil {
      // The file is no table of ours: it stays.
      return false
    }
    do throws(SystemError) {
      return try Files.remove(resident.path)
    } catch {
      report(.system(error))
      return false
    }
  }

  /// Cuts a table down, now and for later; false when that cannot be.
  private func reduce(_ resident: Resident, to bytes: Int) -> Bool {
    do throws(TableError) {
      let found = try ImageTable(opening: resident.path)
      // A file that was renamed by hand is cut down, and its limit left alone.
      let isNamed = resident.path == "\(directory)/\(found.format.fileName())"
      let limited = found.format.limited(to: bytes)
      let table = isNamed ? try ImageTable(at: directory, format: limited) : found
      if let key = resident.key {
        state.withLock { $0.tables[key] = .open(table, lastUse: $0.nextUse(), isForWriting: true) }
      }
      try table.trim(toBytes: bytes)
      return true
    } catch {
      if !error.isAboutTheFile { report(error) }
      return false
    }
  }
}
