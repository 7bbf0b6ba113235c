import Synchronization

extension DiskCache {
  /// Enters a body that gets a file of its own.
  func insertFile(_ draft: BodyForm.Draft) throws(DiskCacheError) {
    var isRepeated = false
    while true {
      let files = files
      do throws(DiskCacheError) {
        return try insert(draft, written: write(draft.body))
      } catch .system(let error)
        where (error.isMissing || error.isOtherDisk) && (!isRepeated || files != self.files)
      {
        // The folder was moved or removed.
        isRepeated = true
      }
    }
  }

  /// Writes a body to a file that is not published yet.
  private func write(_ body: [UInt8]) throws(DiskCacheError) -> String {
    do throws(SystemError) { return try files.write(body) } catch {
      guard error.isMissing else { throw DiskCacheError(error) }
    }
    // The folder is missing: report it when all is gone, else make it.
    try withIndex { _ throws(DiskCacheError) in try files.createFolders() }
    do throws(SystemError) { return try files.write(body) } catch { throw DiskCacheError(error) }
  }

  /// Enters a body into the index, publishes its file if it has one, and keeps to the limits.
  func insert(_ draft: BodyForm.Draft, written: String?) throws(DiskCacheError) {
    var published: BodyName?
    do throws(DiskCacheError) {
      let gone = try withState { (state, index) throws(DiskCacheError) in
        let expiry = expiry()
        let gone = try index.change { (totals) throws(DiskCacheError) in
          try index.note(state.accesses, now: expiry.now)
          let replaced = try index.remove(draft.name.hash, &totals)
          let row = draft.row(serial: totals.next(), time: expiry.now)
          try index.add(row, replacing: replaced, &totals)
          if let written {
            try publish(written, row.name)
            published = row.name
          }
          let evicted = try index.evict(to: limits, keeping: row.serial, expiry, &totals)
          return (replaced: replaced, evicted: evicted)
        }
        state.accesses = [:]
        return gone
      }
      counters.evictions.wrappingAdd(gone.evicted.count, ordering: .relaxed)
      files.remove(gone.evicted)
      if let replaced = gone.replaced { files.remove([replaced]) }
    } catch {
      if let written { files.discard(written) }
      if let published { takeBack(published) }
      throw error
    }
  }

  /// Removes the file of an entry that did not come to be, unless its number was given to another.
  private func takeBack(_ name: BodyName) {
    // What cannot be removed now is swept up later.
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

  /// At every 64th store looks at a page of entries for what is too old, and at every 512th looks
  /// for leftovers in one of the 256 folders.
  func tidySometimes() throws(DiskCacheError) {
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
        try removeExpired(after: state.aged, index, &totals)
      }
      state.aged = page.next ?? .min
      return page.removed
    }
    counters.expired.wrappingAdd(removed.count, ordering: .relaxed)
    files.remove(removed)
  }
}
