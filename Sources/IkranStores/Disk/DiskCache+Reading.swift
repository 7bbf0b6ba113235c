import Synchronization

extension DiskCache {
  /// Of how many entries reads are noted in memory before they are written.
  private static let unwrittenReads = 128

  /// The row of a key, if it is one of this key and not too old; notes the access.
  func find(_ name: BodyForm.Name) throws(DiskCacheError) -> Found? {
    try withState { (state, index) throws(DiskCacheError) -> Found? in
      guard var row = try index.row(name.hash) else { return nil }
      let found = Found(row: row, files: files)
      // What is damaged is dropped when it is read.
      guard row.isSound, row.hash == name.hash else { return found }
      guard try isOf(row, name) else { return nil }
      let expiry = expiry()
      let unwritten = state.accesses[row.hash]?.time ?? .min
      row.accessed = max(row.accessed, unwritten)
      if expiry.isOver(accessed: row.accessed, stored: row.stored) {
        expire(row, index)
        return nil
      }
      // A clock that was set back would keep it for longer than it should be.
      if row.stored > expiry.now {
        row.date(notAfter: expiry.now)
        redate(row, index)
      }
      note(row, expiry, &state)
      return Found(row: row, files: found.files)
    }
  }

  /// Whether a row is of this key: another one may have the same hash, or another form.
  func isOf(_ row: IndexRow, _ name: BodyForm.Name) throws(DiskCacheError) -> Bool {
    guard form.matches(row) else { return false }
    return try form.key(of: row)?.elementsEqual(name.key.utf8) ?? false
  }

  /// The entry of a row, or nil when it is damaged or gone.
  func read(_ found: Found) throws(DiskCacheError) -> DiskCacheEntry? {
    try found.files.entry(of: found.row, form)
  }

  /// Removes a damaged entry; false when somebody else has replaced, removed or moved it meanwhile.
  func drop(_ found: Found) -> Bool {
    let row = found.row
    // A disk that cannot be written keeps the entry: the next read will find it damaged again.
    let removed = try? withIndex { (index) throws(DiskCacheError) -> Bool in
      guard files == found.files else { return false }
      return try index.change { totals throws(DiskCacheError) in
        try index.remove(row.hash, serial: row.serial, &totals) != nil
      }
    }
    guard removed ?? true else { return false }
    counters.dropped.wrappingAdd(1, ordering: .relaxed)
    if !row.kind.contains(.inline) { found.files.discard(found.files.path(row.name)) }
    return true
  }

  /// Notes a read, unless it would change nothing: each entry in use is written a few times only.
  private func note(_ row: IndexRow, _ expiry: Expiry, _ state: inout State) {
    var access = state.accesses[row.hash] ?? DiskIndex.Access()
    let uses = row.uses.addingReportingOverflow(access.count).partialValue
    guard uses < DiskIndex.mostUses || expiry.isRenewed(since: row.accessed) else { return }
    access.count = min(DiskIndex.mostUses, access.count + 1)
    access.time = expiry.now
    state.accesses[row.hash] = access
    if state.accesses.count >= Self.unwrittenReads { Self.flush(&state, expiry.now) }
  }

  static func flush(_ state: inout State, _ time: Int64) {
    guard let index = state.index, !state.accesses.isEmpty else { return }
    let accesses = state.accesses
    // Reads must not fail, or wait, for being noted: they are tried again later.
    let noted: Void? = try? index.change(waits: false) { _ throws(DiskCacheError) in
      try index.note(accesses, now: time)
    }
    if noted != nil || accesses.count > 4096 { state.accesses = [:] }
  }

  // MARK: - Age

  /// Removes an entry that is too old.
  private func expire(_ row: IndexRow, _ index: DiskIndex) {
    // A disk that cannot be written, or not now, keeps the entry: it is too old the next time, too.
    let removed = try? index.change(waits: false) { totals throws(DiskCacheError) in
      try index.remove(row.hash, serial: row.serial, &totals)
    }
    guard let entry = removed ?? nil else { return }
    counters.expired.wrappingAdd(1, ordering: .relaxed)
    files.remove([entry])
  }

  /// Writes earlier times for an entry.
  private func redate(_ row: IndexRow, _ index: DiskIndex) {
    // A disk that cannot be written keeps the later times: they count as now.
    _ = try? index.change(waits: false) { totals throws(DiskCacheError) in
      try index.amend(row, oldSize: row.size, &totals)
    }
  }

  /// Removes the entries of a page that are too old, and takes back times in the future; returns
  /// the removed ones and where the next page begins.
  func removeExpired(
    after hash: Int64,
    _ index: DiskIndex,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) -> (removed: [DiskIndex.Removed], next: Int64?) {
    let expiry = expiry()
    let rows = try index.rows(after: hash)
    var removed: [DiskIndex.Removed] = []
    for var row in rows where row.isSound {
      if expiry.isOver(accessed: row.accessed, stored: row.stored) {
        if let entry = try index.remove(row.hash, &totals) { removed.append(entry) }
      } else if max(row.accessed, row.stored) > expiry.now {
        row.date(notAfter: expiry.now)
        _ = try index.amend(row, oldSize: row.size, &totals)
      }
    }
    return (removed, rows.count < DiskIndex.pageLength ? nil : rows.last?.hash)
  }
}

extension BodyFiles {
  /// The entry of a row, or nil when it is damaged or gone.
  func entry(of row: IndexRow, _ form: BodyForm) throws(DiskCacheError) -> DiskCacheEntry? {
    guard row.isSound, let kept = try keptBody(of: row),
      let body = try form.body(of: row, from: kept), let extended = try form.extended(of: row)
    else { return nil }
    return DiskCacheEntry(body: body, extended: extended, stored: row.stored)
  }
}
