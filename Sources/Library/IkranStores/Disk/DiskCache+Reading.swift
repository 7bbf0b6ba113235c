import Synchronization

extension DiskCache {
  /// The reads of this many entries are held in memory before they are written.
  private static let unwrittenReads = 128

  /// The additional data of an entry, without reading its body; nil when there is no entry.
  ///
  /// It counts as an access, but neither as a hit nor as a miss. Read-only folders are not queried.
  /// Cost: that of ``entry(for:)`` without the file.
  public func extended(for key: String) throws(DiskCacheError) -> [UInt8]? {
    let name = try encoding.name(of: key)
    let row = try unlessSuspended { () throws(DiskCacheError) in try find(name, readsBody: false) }
    guard let found = row, found.isValid else { return nil }
    return try encoding.extended(of: found.row)
  }

  /// The row of a key, if it is this key's and has not expired; records the access.
  ///
  /// With `readsBody` the caller reads the body next. If that is in a file, it is not checked here
  /// that the folder still exists: the file is there only if it does.
  func find(_ name: EntryEncoding.Name, readsBody: Bool = true) throws(DiskCacheError)
    -> IndexMatch?
  {
    let expiry = expiry()
    let found = try withReader(checksFolder: false) {
      (state, index) throws(DiskCacheError) -> IndexMatch? in
      let row = try index.row(name.hash)
      if !readsBody || row.map({ needsFolder($0, expiry) }) ?? true { try checkFolder(&state) }
      return row.map {
        IndexMatch(row: $0, files: files, isValid: $0.isValid && $0.hash == name.hash)
      }
    }
    // A damaged row is dropped when its body is read.
    guard let found, found.isValid else { return found }
    var row = found.row
    guard try isOf(row, name) else { return nil }
    let unwritten = reads.withLock { $0[row.hash]?.time } ?? .min
    row.accessed = max(row.accessed, unwritten)
    if expiry.isOver(accessed: row.accessed, stored: row.stored) {
      expire(row)
      return nil
    }
    // If the clock was set back, a time in the future would delay the expiry.
    if row.stored > expiry.now {
      row.date(notAfter: expiry.now)
      redate(row)
    }
    addRead(of: row, expiry)
    return IndexMatch(row: row, files: found.files, isValid: true)
  }

  /// Whether a row is returned or changed without a look at its file.
  private func needsFolder(_ row: IndexRow, _ expiry: Expiry) -> Bool {
    row.flags.contains(.inline) || row.stored > expiry.now
      || expiry.isOver(accessed: row.accessed, stored: row.stored)
  }

  /// Whether a row is this key's: another key may have the same hash, or other encryption.
  func isOf(_ row: IndexRow, _ name: EntryEncoding.Name) throws(DiskCacheError) -> Bool {
    guard encoding.matches(row) else { return false }
    return try encoding.key(of: row) == Array(name.key.utf8)
  }

  /// The entry of a row, or nil when it is damaged or gone.
  func read(_ found: IndexMatch) throws(DiskCacheError) -> DiskCacheEntry? {
    found.isValid ? try found.files.entry(of: found.row, encoding) : nil
  }

  /// Removes a damaged entry; false when it has been replaced, removed or moved since it was found.
  ///
  /// - Throws: `DiskCacheError.removed` when the whole folder is gone.
  func drop(_ found: IndexMatch) throws(DiskCacheError) -> Bool {
    let row = found.row
    do throws(DiskCacheError) {
      let isRemoved = try withIndex { (index) throws(DiskCacheError) -> Bool in
        guard files == found.files else { return false }
        return try index.change { totals throws(DiskCacheError) in
          try index.remove(row.hash, serial: row.serial, &totals) != nil
        }
      }
      guard isRemoved else { return false }
    } catch .removed(let path) {
      throw .removed(path: path)
    } catch .suspended {
      return false
    } catch {
      // A disk that cannot be written keeps the entry: the next read will find it damaged again.
    }
    counters.dropped.wrappingAdd(1, ordering: .relaxed)
    if !row.flags.contains(.inline) { found.files.discard(found.files.path(row.name)) }
    return true
  }

  /// Records a read in memory, unless writing it would not change the row's uses or expiry.
  private func addRead(of row: IndexRow, _ expiry: Expiry) {
    // Most reads end here, without a search.
    guard row.uses < DiskIndex.mostUses || expiry.isRenewed(since: row.accessed) else { return }
    let isDue = reads.withLock { reads in
      var access = reads[row.hash] ?? DiskIndex.Access()
      let uses = row.uses.addingReportingOverflow(access.count).partialValue
      guard uses < DiskIndex.mostUses || expiry.isRenewed(since: row.accessed) else { return false }
      access.count = min(DiskIndex.mostUses, access.count + 1)
      access.time = expiry.now
      reads[row.hash] = access
      return reads.count >= Self.unwrittenReads
    }
    // While a change runs, that is left to the next read.
    if isDue { state.withLockIfAvailable { flush($0.index, expiry.now) } }
  }

  /// Writes the recorded reads; nothing while the index is closed, or is a parent's.
  func flush(_ index: DiskIndex?, _ time: Int64) {
    guard let index else { return }
    let accesses = takeReads()
    guard !accesses.isEmpty else { return }
    // Reads must not fail or wait because of this write: the next flush repeats it.
    let noted: Void? = try? index.change(waits: false) { _ throws(DiskCacheError) in
      try index.add(accesses, now: time)
    }
    if noted == nil { putBack(accesses) }
  }

  /// The recorded reads, which the caller writes.
  func takeReads() -> [Int64: DiskIndex.Access] {
    reads.withLock { reads in
      defer { reads = [:] }
      return reads
    }
  }

  /// Records reads again that could not be written, unless they are too many.
  func putBack(_ accesses: [Int64: DiskIndex.Access]) {
    guard accesses.count <= 4096 else { return }
    reads.withLock { reads in
      reads.merge(accesses) { newer, older in
        DiskIndex.Access(count: max(newer.count, older.count), time: max(newer.time, older.time))
      }
    }
  }

  // MARK: - Expiry

  /// Removes an expired entry.
  private func expire(_ row: IndexRow) {
    // If the disk cannot be written now, or is being written, the entry stays; it is expired the
    // next time too.
    let removed = changeAtOnce { index, totals throws(DiskCacheError) in
      try index.remove(row.hash, serial: row.serial, &totals)
    }
    guard let entry = removed ?? nil else { return }
    counters.expired.wrappingAdd(1, ordering: .relaxed)
    files.remove([entry])
  }

  /// Writes earlier times for an entry whose times lie in the future.
  private func redate(_ row: IndexRow) {
    // If the disk cannot be written the later times stay: they count as now.
    _ = changeAtOnce { index, totals throws(DiskCacheError) in
      try index.amend(row, oldSize: row.size, &totals)
    }
  }

  /// Changes the index unless that fails or has to wait; nil then.
  private func changeAtOnce<R: Sendable>(
    _ body: @Sendable (DiskIndex, inout IndexTotals) throws(DiskCacheError) -> R
  ) -> R? {
    let result = state.withLockIfAvailable { (state) -> R? in
      try? withOpenState(&state) { (_, index) throws(DiskCacheError) in
        try index.change(waits: false) { totals throws(DiskCacheError) in
          try body(index, &totals)
        }
      }
    }
    return result ?? nil
  }

  /// Removes the expired entries of a page, and sets times in the future back to now; returns the
  /// removed entries and where the next page begins.
  func removeExpired(
    after hash: Int64,
    _ index: DiskIndex,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) -> (removed: [DiskIndex.Removed], next: Int64?) {
    let expiry = expiry()
    let rows = try index.rows(after: hash)
    var removed: [DiskIndex.Removed] = []
    for var row in rows where row.isValid {
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
  /// The entry of a valid row, or nil when its body is damaged or gone.
  func entry(of row: IndexRow, _ encoding: EntryEncoding) throws(DiskCacheError) -> DiskCacheEntry?
  {
    guard let stored = try storedBody(of: row),
      let body = try encoding.body(of: row, from: stored),
      let extended = try encoding.extended(of: row)
    else { return nil }
    return DiskCacheEntry(body: body, extended: extended, stored: row.stored)
  }
}
