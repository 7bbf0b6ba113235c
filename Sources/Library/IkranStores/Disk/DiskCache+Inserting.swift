import Synchronization
import IkranSystem

extension DiskCache {
  /// An entry that is not in the index yet.
  struct NewEntry: Sendable {
    let entry: EncodedEntry
    /// Its body's unpublished file, when it is too large for the index.
    var file: String?

    init(_ entry: EncodedEntry, file: String? = nil) { (self.entry, self.file) = (entry, file) }
  }

  /// The entries of one call, on their way into the index.
  final class Insertion: @unchecked Sendable {  // changed with the lock of the cache's state held
    let entries: [NewEntry]
    /// Whether a thread has taken it from those that wait, to add it.
    var isTaken = false
    /// The files that were published, and their names.
    var published: [(file: String, name: BodyName)] = []
    /// Nil until it is in the index or has failed.
    var result: Result<Void, DiskCacheError>?

    init(_ entries: [NewEntry]) { self.entries = entries }
  }

  /// What a transaction has removed from the index.
  private struct Removals: Sendable {
    var replaced: [DiskIndex.Removed] = []
    var evicted: [DiskIndex.Removed] = []
  }

  /// Adds entries to the index, publishes the files of those that have one, and evicts what is over
  /// the limits; returns when that is committed.
  ///
  /// The thread that gets the index's lock adds the entries of all threads that wait for it, in one
  /// transaction. If that fails, each adds its own.
  func insert(_ entries: [NewEntry]) throws(DiskCacheError) {
    let own = Insertion(entries)
    waiting.withLock { $0.append(own) }
    do throws(DiskCacheError) {
      let removed = try withClosedState { (state) throws(DiskCacheError) in
        try insert(own, &state)
      }
      counters.evictions.wrappingAdd(removed.evicted.count, ordering: .relaxed)
      recycle(removed.evicted + removed.replaced)
    } catch {
      for case let file? in entries.map(\.file) { files.discard(file) }
      throw error
    }
  }

  /// Keeps the files of entries that are no longer in the index to be written over, or removes
  /// them.
  private func recycle(_ removed: [DiskIndex.Removed]) {
    let files = files
    for entry in removed where entry.isInFile {
      let path = files.path(entry.name)
      if !spares.keep(path, byteCount: Int(entry.size)) { files.discard(path) }
    }
  }

  /// Removes the files that are kept to be written over.
  func discardSpares() {
    for path in spares.takeAll() { files.discard(path) }
  }

  /// Adds the entries of a call, and of those that wait too; nothing when another thread has added
  /// them.
  private func insert(
    _ own: Insertion,
    _ state: inout State
  ) throws(DiskCacheError) -> Removals {
    if let result = own.result {
      try result.get()
      return Removals()
    }
    guard !own.isTaken else { return try add([own], &state) }
    let group = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for insertion in group { insertion.isTaken = true }
    do throws(DiskCacheError) {
      return try add(group, &state)
    } catch {
      // One that fails does not keep the others out.
      if let result = own.result { try result.get() }
      return try add([own], &state)
    }
  }

  /// Adds entries in one transaction.
  ///
  /// If it fails they have a result only if they were those of one call, or if another process
  /// holds the index: each by itself would wait as long.
  private func add(
    _ group: [Insertion],
    _ state: inout State
  ) throws(DiskCacheError) -> Removals {
    let accesses = takeReads()
    do throws(DiskCacheError) {
      let removed = try withOpenState(&state) { (_, index) throws(DiskCacheError) in
        try index.change { (totals) throws(DiskCacheError) in
          try add(group, accesses, index, &totals)
        }
      }
      for insertion in group { insertion.result = .success(()) }
      return removed
    } catch {
      putBack(accesses)
      for insertion in group { withdraw(insertion, &state) }
      if group.count == 1 || error.isBusy {
        for insertion in group { insertion.result = .failure(error) }
      }
      throw error
    }
  }

  private func add(
    _ group: [Insertion],
    _ accesses: [Int64: DiskIndex.Access],
    _ index: DiskIndex,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) -> Removals {
    let expiry = expiry()
    try index.add(accesses, now: expiry.now)
    var removed = Removals()
    for insertion in group {
      for new in insertion.entries {
        let old = try index.remove(new.entry.name.hash, &totals)
        let row = new.entry.row(serial: totals.next(), time: expiry.now)
        try index.add(row, replacing: old, &totals)
        if let file = new.file {
          insertion.published.append((file, row.name))
          try publish(file, row.name)
        }
        if let old { removed.replaced.append(old) }
        removed.evicted += try index.evict(to: limits, keeping: row.serial, expiry, &totals)
      }
    }
    return removed
  }

  /// Takes back the files of entries that were not committed, unless another entry got their
  /// number.
  private func withdraw(_ insertion: Insertion, _ state: inout State) {
    for (file, name) in insertion.published {
      // If this fails, a later sweep removes the file.
      try? withOpenState(&state) { (_, index) throws(DiskCacheError) in
        try index.change { _ throws(DiskCacheError) in
          if try index.serial(of: name.hash) != name.serial {
            try? Files.rename(files.path(name), to: file)
          }
        }
      }
    }
    insertion.published = []
  }

  private func publish(_ written: String, _ name: BodyName) throws(DiskCacheError) {
    do throws(SystemError) {
      try files.publish(written, as: name)
    } catch {
      throw DiskCacheError(error)
    }
  }
}
