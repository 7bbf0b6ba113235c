import Synchronization

extension DiskCache {
  /// Reads every body, drops damaged entries, and removes files that belong to no entry.
  ///
  /// Takes as long as reading the whole cache; other calls wait only while the index itself is
  /// read. Bodies are compared with their checksums in their stored form, so no encryption key is
  /// needed.
  package func verify() throws(DiskCacheError) -> DiskCacheVerification {
    var report = DiskCacheVerification()
    try withIndex { index throws(DiskCacheError) in try index.check() }
    var last: Int64? = .min
    while let hash = last {
      let rows = try withIndex { index throws(DiskCacheError) in try index.rows(after: hash) }
      last = rows.last?.hash
      for row in rows {
        guard let found = try found(row.hash) else { continue }
        report.checked += 1
        if found.isValid, try found.files.storedBody(of: found.row) != nil { continue }
        if try drop(found) { report.dropped += 1 }
      }
    }
    try withIndex { (index) throws(DiskCacheError) in
      try index.change { totals throws(DiskCacheError) in
        let serial = totals.serial
        totals = try index.recount()
        totals.serial = max(totals.serial, serial)
      }
    }
    report.orphansRemoved = try sweepAll()
    // Opening the index replaces it, too, where its damage is seen at once.
    let rebuilds = counters.rebuilds.load(ordering: .relaxed)
    let reported = counters.verifiedRebuilds.exchange(rebuilds, ordering: .relaxed)
    report.indexWasRebuilt = reported < rebuilds
    return report
  }

  /// Removes expired entries, then evicts until at most `bytes` are left, and removes orphaned
  /// files.
  ///
  /// Without an argument the cache's own limit applies. The index file shrinks. A disk without room
  /// for the change of the index loses more entries, and all if need be.
  ///
  /// - Returns: the number of entries removed.
  @discardableResult
  public func trim(toBytes bytes: Int? = nil) throws(DiskCacheError) -> Int {
    let held = (try? statistics.count) ?? 0
    return try withRoom(orEmptied: held) { () throws(DiskCacheError) in try trimmed(toBytes: bytes)
    }
  }

  private func trimmed(toBytes bytes: Int?) throws(DiskCacheError) -> Int {
    flush()
    let limit = max(0, min(bytes ?? options.byteLimit, options.byteLimit))
    let expired = try expireAll()
    let evicted = try withIndex { index throws(DiskCacheError) in
      try index.change { totals throws(DiskCacheError) in
        let limits = DiskIndex.Limits(bytes: limit, count: options.countLimit)
        return try index.evict(to: limits, expiry(), &totals)
      }
    }
    counters.evictions.wrappingAdd(evicted.count, ordering: .relaxed)
    files.remove(evicted)
    _ = try sweepAll()
    try shrink()
    return expired + evicted.count
  }

  /// Removes all entries, and a cache that was set aside; the counters stay.
  ///
  /// It needs no room on the disk.
  public func removeAll() throws(DiskCacheError) {
    try withRoom(orEmptied: ()) { () throws(DiskCacheError) in
      try withIndex { index throws(DiskCacheError) in
        try index.change { totals throws(DiskCacheError) in try index.removeAll(&totals) }
      }
    }
    try removeSetAside()
    _ = try sweepAll()
    try shrink()
  }

  /// A part of the entries: up to `limit` of them that follow `item`, or the first ones.
  ///
  /// The order is arbitrary but stable: each entry that stays in the cache is listed once. Damaged
  /// entries and those stored with another encryption key are left out. A result of fewer than
  /// `limit` items is the last part.
  package func list(
    after item: DiskCacheItem? = nil,
    limit: Int = 256
  ) throws(DiskCacheError) -> [DiskCacheItem] {
    var items: [DiskCacheItem] = []
    var last: Int64? = item?.hash ?? .min
    while let hash = last, items.count < limit {
      let rows = try withIndex { index throws(DiskCacheError) in try index.rows(after: hash) }
      last = rows.last?.hash
      for row in rows where row.isValid && encoding.matches(row) {
        guard items.count < limit, let key = try encoding.key(of: row) else { continue }
        items.append(
          DiskCacheItem(
            key: String(decoding: key, as: UTF8.self),
            bodyBytes: Int(row.length),
            storedBytes: Int(row.size),
            stored: row.stored,
            accessed: row.accessed,
            hash: row.hash
          )
        )
      }
    }
    return items
  }

  /// The keys of all entries, in no particular order.
  public func keys() throws(DiskCacheError) -> [String] {
    var keys: [String] = []
    var items = try list()
    while let last = items.last {
      keys += items.map(\.key)
      items = try list(after: last)
    }
    return keys
  }

  private func found(_ hash: Int64) throws(DiskCacheError) -> IndexMatch? {
    try withIndex { (index) throws(DiskCacheError) in
      try index.row(hash).map { IndexMatch(row: $0, files: files, isValid: $0.isValid) }
    }
  }

  private func expireAll() throws(DiskCacheError) -> Int {
    guard options.maximumAge != .never else { return 0 }
    var count = 0
    var last: Int64? = .min
    while let hash = last {
      let page = try withIndex { (index) throws(DiskCacheError) in
        try index.change { totals throws(DiskCacheError) in
          try removeExpired(after: hash, index, &totals)
        }
      }
      last = page.next
      count += page.removed.count
      files.remove(page.removed)
    }
    counters.expired.wrappingAdd(count, ordering: .relaxed)
    return count
  }

  private func shrink() throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try withIndex { index throws(DiskCacheError) in try index.shrink() }
    } catch .busy {
      // Another process is reading; the next stores use the free pages.
    } catch .full {
      // The disk has no room for the smaller copy; the entries are removed anyway.
    }
  }

  private func sweepAll() throws(DiskCacheError) -> Int {
    discardSpares()
    let files = files
    var removed = files.removeAbandoned()
    for folder in files.folders() { removed += try sweep(folder: folder) }
    return removed
  }

  /// Removes the files of one folder that belong to no entry; returns how many.
  ///
  /// With the writer's lock held, no process is between publishing a file and indexing it, and no
  /// new entry gets the serial number of an orphaned file.
  func sweep(folder: String) throws(DiskCacheError) -> Int {
    try withIndex { (index) throws(DiskCacheError) in
      try index.change { _ throws(DiskCacheError) in
        try files.orphans(in: folder, index: index).count { files.discard($0) }
      }
    }
  }
}
