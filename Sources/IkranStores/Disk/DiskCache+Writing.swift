import Synchronization

extension DiskCache {
  /// An entry that is not in the index yet.
  struct NewEntry {
    let entry: EncodedEntry
    /// Its body's unpublished file, when it is too large for the index.
    var file: String?

    init(_ entry: EncodedEntry, file: String? = nil) { (self.entry, self.file) = (entry, file) }
  }

  /// An entry, with its body in an unpublished file if it is too large for the index.
  func written(_ entry: EncodedEntry) throws(DiskCacheError) -> NewEntry {
    NewEntry(entry, file: entry.flags.contains(.inline) ? nil : try write(entry.body))
  }

  /// Removes the files of entries that were not added.
  func discard(_ entries: [NewEntry]) {
    for case let file? in entries.map(\.file) { files.discard(file) }
  }

  /// Stores an entry whose body is too large for the index and gets a file.
  func insertFile(_ entry: EncodedEntry) throws(DiskCacheError) {
    var isRepeated = false
    while true {
      let files = files
      do throws(DiskCacheError) {
        return try insert([written(entry)])
      } catch .system(let error)
        where (error.isMissing || error.isOtherDisk) && (!isRepeated || files != self.files)
      {
        // The folder was moved or removed.
        isRepeated = true
      }
    }
  }

  /// Writes a body to an unpublished file.
  private func write(_ body: [UInt8]) throws(DiskCacheError) -> String {
    do throws(SystemError) { return try files.write(body) } catch {
      guard error.isMissing else { throw DiskCacheError(error) }
    }
    // A missing subfolder is created; if the whole cache folder is gone this throws.
    try withIndex { _ throws(DiskCacheError) in try files.createFolders() }
    do throws(SystemError) { return try files.write(body) } catch { throw DiskCacheError(error) }
  }

  /// Adds entries to the index in one transaction, publishes the files of those that have one, and evicts
  /// what is over the limits.
  func insert(_ entries: [NewEntry]) throws(DiskCacheError) {
    var published: [BodyName] = []
    do throws(DiskCacheError) {
      let removed = try withState { (state, index) throws(DiskCacheError) in
        let removed = try index.change { (totals) throws(DiskCacheError) in
          try insert(entries, state.accesses, index, &totals, &published)
        }
        state.accesses = [:]
        return removed
      }
      counters.evictions.wrappingAdd(removed.evicted.count, ordering: .relaxed)
      files.remove(removed.evicted)
      files.remove(removed.replaced)
    } catch {
      discard(entries)
      for name in published { unpublish(name) }
      throw error
    }
  }

  private func insert(
    _ entries: [NewEntry],
    _ accesses: [Int64: DiskIndex.Access],
    _ index: DiskIndex,
    _ totals: inout IndexTotals,
    _ published: inout [BodyName]
  ) throws(DiskCacheError) -> (replaced: [DiskIndex.Removed], evicted: [DiskIndex.Removed]) {
    let expiry = expiry()
    try index.note(accesses, now: expiry.now)
    var (replaced, evicted): ([DiskIndex.Removed], [DiskIndex.Removed]) = ([], [])
    for new in entries {
      let old = try index.remove(new.entry.name.hash, &totals)
      let row = new.entry.row(serial: totals.next(), time: expiry.now)
      try index.add(row, replacing: old, &totals)
      if let file = new.file {
        try publish(file, row.name)
        published.append(row.name)
      }
      if let old { replaced.append(old) }
      evicted += try index.evict(to: limits, keeping: row.serial, expiry, &totals)
    }
    return (replaced, evicted)
  }

  /// Removes the file of an entry that was not committed, unless another entry got its number.
  private func unpublish(_ name: BodyName) {
    // If this fails, a later sweep removes the file.
    try? withIndex { index throws(DiskCacheError) in
      try index.change { _ throws(DiskCacheError) in
        if try index.serial(of: name.hash) != name.serial { files.discard(files.path(name)) }
      }
    }
  }

  private func publish(_ written: String, _ name: BodyName) throws(DiskCacheError) {
    do throws(SystemError) {
      try files.publish(written, as: name)
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Every 64th store removes the expired entries of one page, and every 512th removes the orphaned
  /// files of one of the 256 folders.
  func cleanUp(after count: Int) throws(DiskCacheError) {
    let before = counters.stores.wrappingAdd(count, ordering: .relaxed).oldValue
    // Whether the stores since then include one of so many, the first of all included.
    func isDue(_ interval: Int) -> Bool {
      (before + interval - 1) / interval < (before + count + interval - 1) / interval
    }
    if isDue(64) && options.maximumAge != .never { try expireSome() }
    guard isDue(512) else { return }
    if before == 0 { _ = files.removeAbandoned() }
    let folder = DiskCacheFormat.hex(UInt64.random(in: 0...255)).suffix(2)
    _ = try sweep(folder: String(folder))
  }

  private func expireSome() throws(DiskCacheError) {
    let removed = try withState { (state, index) throws(DiskCacheError) in
      let page = try index.change { totals throws(DiskCacheError) in
        try removeExpired(after: state.lastExpiryHash, index, &totals)
      }
      state.lastExpiryHash = page.next ?? .min
      return page.removed
    }
    counters.expired.wrappingAdd(removed.count, ordering: .relaxed)
    files.remove(removed)
  }
}
