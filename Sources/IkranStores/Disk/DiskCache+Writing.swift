import Synchronization

extension DiskCache {
  /// Stores an entry whose body is too large for the index and gets a file.
  func insertFile(_ entry: EncodedEntry) throws(DiskCacheError) {
    var isRepeated = false
    while true {
      let files = files
      do throws(DiskCacheError) {
        return try insert(entry, written: write(entry.body))
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

  /// Adds an entry to the index, publishes its file if it has one, and evicts what is over the
  /// limits.
  func insert(_ entry: EncodedEntry, written: String?) throws(DiskCacheError) {
    var published: BodyName?
    do throws(DiskCacheError) {
      let removed = try withState { (state, index) throws(DiskCacheError) in
        let expiry = expiry()
        let removed = try index.change { (totals) throws(DiskCacheError) in
          try index.note(state.accesses, now: expiry.now)
          let replaced = try index.remove(entry.name.hash, &totals)
          let row = entry.row(serial: totals.next(), time: expiry.now)
          try index.add(row, replacing: replaced, &totals)
          if let written {
            try publish(written, row.name)
            published = row.name
          }
          let evicted = try index.evict(to: limits, keeping: row.serial, expiry, &totals)
          return (replaced: replaced, evicted: evicted)
        }
        state.accesses = [:]
        return removed
      }
      counters.evictions.wrappingAdd(removed.evicted.count, ordering: .relaxed)
      files.remove(removed.evicted)
      if let replaced = removed.replaced { files.remove([replaced]) }
    } catch {
      if let written { files.discard(written) }
      if let published { unpublish(published) }
      throw error
    }
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
  func cleanUpSometimes() throws(DiskCacheError) {
    let stores = counters.stores.wrappingAdd(1, ordering: .relaxed).oldValue
    if stores % 64 == 0 && options.maximumAge != .never { try expireSome() }
    guard stores % 512 == 0 else { return }
    if stores == 0 { _ = files.removeAbandoned() }
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
