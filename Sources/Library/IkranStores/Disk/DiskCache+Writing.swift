import Synchronization
import IkranSystem

extension DiskCache {
  /// Stores several bodies, as if one after the other, in one transaction.
  ///
  /// It returns when they are committed. The lock of the index is held once, and the index's log
  /// gets its pages once: of 16 bodies of 40 KB each takes two thirds of the time of
  /// ``store(_:extended:for:)``.
  ///
  /// - Parameters:
  ///   - bodies: The bodies in their order; one that throws is left out.
  ///   - onError: Called for each that could not be stored; its older entry is then as
  ///     ``store(_:extended:for:)`` leaves it.
  public func store(
    _ bodies: [(body: [UInt8], extended: [UInt8], key: String)],
    onError: (DiskCacheError) -> Void
  ) {
    guard bodies.count > 1 else { return storeEach(bodies, onError) }
    do throws(DiskCacheError) {
      let batch = try written(bodies)
      try insert(batch)
      try? cleanUp(after: batch.count)
    } catch .busy(let path) {
      // Another process holds the index: each by itself would wait as long.
      for _ in bodies { onError(.busy(path: path)) }
    } catch {
      // One that fails does not keep the others out.
      storeEach(bodies, onError)
    }
  }

  private func storeEach(
    _ bodies: [(body: [UInt8], extended: [UInt8], key: String)],
    _ onError: (DiskCacheError) -> Void
  ) {
    for (body, extended, key) in bodies {
      do throws(DiskCacheError) { try store(body, extended: extended, for: key) } catch {
        onError(error)
      }
    }
  }

  /// Bodies in their stored form, the large ones in unpublished files.
  private func written(
    _ bodies: [(body: [UInt8], extended: [UInt8], key: String)]
  ) throws(DiskCacheError) -> [NewEntry] {
    var batch: [NewEntry] = []
    do throws(DiskCacheError) {
      for (body, extended, key) in bodies {
        batch.append(try written(encoded(body, extended, key)))
      }
    } catch {
      for case let file? in batch.map(\.file) { files.discard(file) }
      throw error
    }
    return batch
  }

  /// An entry, with its body in an unpublished file if it is too large for the index.
  func written(_ entry: EncodedEntry, isRepeated: Bool = false) throws(DiskCacheError) -> NewEntry {
    if entry.flags.contains(.inline) { return NewEntry(entry) }
    // Looked at again with the lock of the state; no file is written just to be removed.
    try checkSuspension()
    return NewEntry(entry, file: try write(entry.body, over: isRepeated ? nil : spares.take()))
  }

  /// Stores an entry whose body is too large for the index and gets a file.
  func insertFile(_ entry: EncodedEntry) throws(DiskCacheError) {
    var isRepeated = false
    while true {
      let files = files
      do throws(DiskCacheError) {
        return try insert([written(entry, isRepeated: isRepeated)])
      } catch .system(let error)
        where (error.isMissing || error.isOtherDisk) && (!isRepeated || files != self.files)
      {
        // The folder was moved or removed, or another process has removed the spare file.
        isRepeated = true
      }
    }
  }

  /// Writes a body to an unpublished file.
  private func write(_ body: [UInt8], over spare: String?) throws(DiskCacheError) -> String {
    do throws(SystemError) { return try files.write(body, over: spare) } catch {
      guard error.isMissing else { throw DiskCacheError(error) }
    }
    // A missing subfolder is created; if the whole cache folder is gone this throws.
    try withIndex { _ throws(DiskCacheError) in try files.createFolders() }
    do throws(SystemError) { return try files.write(body) } catch { throw DiskCacheError(error) }
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
    let folder = String(hexadecimal: UInt64.random(in: 0...255)).suffix(2)
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
