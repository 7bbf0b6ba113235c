import Synchronization

extension DiskCache {
  /// Reads every body, drops what is damaged, and removes files that belong to no entry.
  ///
  /// Takes as long as reading the whole cache; other calls go on meanwhile.
  public func verify() throws(DiskCacheError) -> DiskCacheVerification {
    var report = DiskCacheVerification()
    let rebuilds = counters.rebuilds.load(ordering: .relaxed)
    try withIndex { index throws(DiskCacheError) in try index.check() }
    var last: Int64 = .min
    while true {
      let entries = try withIndex { index throws(DiskCacheError) in
        try index.entries(after: last)
      }
      guard let next = entries.last?.id else { break }
      last = next
      for entry in entries {
        report.checked += 1
        if try read(entry) == nil && drop(entry) { report.dropped += 1 }
      }
    }
    _ = try withIndex { index throws(DiskCacheError) in
      try index.change { () throws(DiskCacheError) in try index.recount() }
    }
    report.orphansRemoved = try sweepAll()
    report.indexWasRebuilt = counters.rebuilds.load(ordering: .relaxed) > rebuilds
    return report
  }

  /// Removes the entries accessed longest ago until at most `bytes` are left, and all leftovers.
  ///
  /// Without an argument it keeps to the cache's own limit. The index gives its room back.
  ///
  /// - Returns: the number of entries removed.
  @discardableResult
  public func trim(toBytes bytes: Int? = nil) throws(DiskCacheError) -> Int {
    flush()
    let limit = max(0, min(bytes ?? options.byteLimit, options.byteLimit))
    let removed = try withIndex { index throws(DiskCacheError) in
      try index.change { () throws(DiskCacheError) in
        try index.evict(toBytes: limit, count: options.countLimit)
      }
    }
    counters.evictions.wrappingAdd(removed.count, ordering: .relaxed)
    files.remove(removed)
    _ = try sweepAll()
    try shrink()
    return removed.count
  }

  /// Removes all entries; the counters stay.
  public func removeAll() throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in
      try index.change { () throws(DiskCacheError) in try index.removeAll() }
    }
    _ = try sweepAll()
    try shrink()
  }

  /// The keys of all entries, in the order they were stored.
  public func keys() throws(DiskCacheError) -> [String] {
    var keys: [String] = []
    var last: Int64 = .min
    while true {
      let entries = try withIndex { index throws(DiskCacheError) in
        try index.entries(after: last)
      }
      guard let next = entries.last?.id else { return keys }
      last = next
      keys += entries.map(\.key)
    }
  }

  private func shrink() throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try withIndex { index throws(DiskCacheError) in try index.shrink() }
    } catch .busy {
      // Another process is reading; the free pages are used up by the next stores.
    } catch .full {
      // There is no room for the smaller copy; the entries are removed all the same.
    }
  }

  private func sweepAll() throws(DiskCacheError) -> Int {
    var removed = files.removeAbandoned()
    for folder in files.folders() { removed += try sweep(folder: folder) }
    return removed
  }

  /// Removes the files of one folder that belong to no entry; returns how many.
  ///
  /// With the writer's lock held, no process is between publishing a file and indexing it.
  func sweep(folder: String) throws(DiskCacheError) -> Int {
    let orphans = try withIndex { index throws(DiskCacheError) in
      try index.change { () throws(DiskCacheError) in
        try files.orphans(in: folder, index: index)
      }
    }
    return orphans.count { files.discard($0) }
  }
}
