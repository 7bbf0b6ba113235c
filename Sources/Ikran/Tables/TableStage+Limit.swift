import IkranStores

// One limit for all tables of a folder.

/// How the bytes of a folder are divided: arithmetic alone.
struct TableBudget {
  /// Bytes for all tables together.
  let limit: Int
  /// The number of tables, at least 1.
  let count: Int

  /// What every table may have, whatever the others do.
  var share: Int { limit / max(1, count) }

  /// What a table may have beside others of so many bytes.
  func allowance(others: Int) -> Int { max(share, limit - others) }

  /// What the largest table keeps when all together are over the limit.
  ///
  /// An eighth less, so that its file is seldom written anew; but never less than its share.
  func reduced(_ bytes: Int) -> Int { max(share, bytes - limit / 8) }
}

extension TableStage {
  /// A table of the folder and the bytes of its images.
  struct Resident {
    let table: ImageTable
    /// What it is here; nil when this process has not used it.
    let key: TableKey?
    var lastUse: UInt64 = 0
    let bytes: Int
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
    var residents = census()
    // Each turn removes a table or brings one nearer to its share.
    for _ in 0..<2 * Self.maximumTables {
      let total = residents.reduce(0) { $0 + $1.bytes }
      guard total > options.byteLimit else { return }
      if let old = residents.filter(\.isForgotten).max(by: { $0.age < $1.age }) {
        remove(old)
      } else if let largest = residents.max(by: { $0.bytes < $1.bytes }) {
        let budget = TableBudget(limit: options.byteLimit, count: residents.count)
        guard reduce(largest, to: budget.reduced(largest.bytes)) else { return }
      }
      residents = census()
    }
  }

  /// Every table of the folder, with this process's own instance where it has one.
  func census() -> [Resident] {
    let open = openTables()
    let uses = state.withLock { $0.lastUses }
    var residents = open.map { key, table in
      let bytes = table.statistics.byteCount
      return Resident(table: table, key: key, lastUse: uses[key] ?? 0, bytes: bytes)
    }
    for path in otherPaths(than: open) {
      // One that cannot be opened is of no use and in nobody's way.
      guard let table = try? ImageTable(opening: path) else { continue }
      residents.append(Resident(table: table, key: nil, bytes: table.statistics.byteCount))
    }
    return residents
  }

  /// Makes room for another file.
  func removeOne(of residents: [Resident]) {
    let strangers = residents.filter { $0.key == nil }
    let oldest = strangers.max { $0.age < $1.age } ?? residents.min { $0.lastUse < $1.lastUse }
    if let oldest { remove(oldest) }
  }

  private func remove(_ resident: Resident) {
    if let key = resident.key { state.withLock { $0.places[key] = nil } }
    do throws(SystemError) { try Files.remove(resident.table.path) } catch {
      report(.system(error))
    }
  }

  /// Cuts a table down, now and for later; false when that failed.
  private func reduce(_ resident: Resident, to bytes: Int) -> Bool {
    do throws(TableError) {
      let format = resident.table.format.limited(to: bytes)
      // A file that was renamed by hand keeps its name.
      guard resident.table.path == "\(options.directory)/\(format.fileName())" else {
        return try resident.table.trim(toBytes: bytes) > 0
      }
      let table = try ImageTable(at: options.directory, format: format)
      if let key = resident.key {
        state.withLock { $0.places[key] = .open(table, lastUse: $0.nextUse(), isOurs: true) }
      }
      try table.trim(toBytes: bytes)
      return true
    } catch {
      report(error)
      return false
    }
  }
}

extension TableStage.Resident {
  /// Seconds since anyone used it.
  fileprivate var age: Int { Files.age(table.path) ?? 0 }

  /// Whether nobody has used it for a day.
  fileprivate var isForgotten: Bool { key == nil && age > 86_400 }
}
