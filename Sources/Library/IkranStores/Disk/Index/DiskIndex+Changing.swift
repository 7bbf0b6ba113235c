extension DiskIndex {
  /// An entry that a change removed from the index.
  struct Removed {
    let name: BodyName
    let size: Int64
    let isInFile: Bool
    let isInMainQueue: Bool
    let uses: Int64
  }

  /// Reads of an entry that are not in its row yet.
  struct Access: Sendable {
    var count: Int64 = 0
    /// The last one, in microseconds since 1970.
    var time: Int64 = 0
  }

  /// The uses of an entry are counted up to this number.
  static let mostUses: Int64 = 1

  /// Removes the entry with this hash and, unless it is -1, this serial number.
  func remove(
    _ hash: Int64,
    serial: Int64 = -1,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) -> Removed? {
    delete.bind(hash, at: 1)
    delete.bind(serial, at: 2)
    defer { delete.reset() }
    guard try handle.step(delete) else { return nil }
    let label = delete.bytes(5).map { FileLabel(before: $0).bytes } ?? []
    let removed = Removed(
      name: BodyName(hash: hash, serial: delete.integer(0), label: label),
      size: delete.integer(2),
      isInFile: !StoredFlags(rawValue: delete.integer(1)).contains(.inline),
      isInMainQueue: delete.integer(3) >= DiskCacheFormat.mainQueue,
      uses: delete.integer(4)
    )
    while try handle.step(delete) {}
    totals.remove(size: removed.size, isSmall: !removed.isInMainQueue)
    if !removed.isInFile {
      deleteBody.bind(removed.name.serial, at: 1)
      try handle.run(deleteBody)
    }
    return removed
  }

  /// Adds an entry, whose hash must not be in the index, at the end of its queue.
  ///
  /// It is added to the queue of the entry that it replaces. Otherwise it is added to the small
  /// queue, or to the main one if its key was evicted recently.
  func add(
    _ row: IndexRow,
    replacing old: Removed?,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) {
    let isInMainQueue =
      if let old { old.isInMainQueue } else { try isGhost(row.hash, totals) }
    insert.bind(row.hash, at: 1)
    insert.bind(row.serial, at: 2)
    insert.bind(row.flags.rawValue, at: 3)
    insert.bind(row.length, at: 4)
    insert.bind(row.size, at: 5)
    insert.bind(row.checksum, at: 6)
    insert.bind(row.stored, at: 7)
    insert.bind(row.rowChecksum, at: 8)
    insert.bind(row.key, at: 9)
    insert.bind(row.extended, at: 10)
    insert.bind(isInMainQueue ? DiskCacheFormat.mainQueue | row.serial : row.serial, at: 11)
    insert.bind(old?.uses ?? 0, at: 12)
    try handle.run(insert)
    if let body = row.body {
      insertBody.bind(row.serial, at: 1)
      insertBody.bind(body, at: 2)
      try handle.run(insertBody)
    }
    totals.add(size: row.size, isSmall: !isInMainQueue)
  }

  /// Updates an entry's extended data, size and times; false when it is no longer in the index.
  func amend(
    _ row: IndexRow,
    oldSize: Int64,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) -> Bool {
    amend.bind(row.hash, at: 1)
    amend.bind(row.serial, at: 2)
    amend.bind(row.extended, at: 3)
    amend.bind(row.size, at: 4)
    amend.bind(row.stored, at: 5)
    amend.bind(row.accessed, at: 6)
    amend.bind(row.rowChecksum, at: 7)
    defer { amend.reset() }
    guard try handle.step(amend) else { return false }
    let isSmall = amend.integer(0) < DiskCacheFormat.mainQueue
    while try handle.step(amend) {}
    totals.grow(by: row.size &- oldSize, isSmall: isSmall)
    return true
  }

  /// Adds reads to the rows; an access time after `now` is set back to `now`.
  func add(_ accesses: [Int64: Access], now: Int64) throws(DiskCacheError) {
    // In the order of the rows, so that fewer pages are read.
    for (hash, access) in accesses.sorted(by: { $0.key < $1.key }) {
      touch.bind(hash, at: 1)
      touch.bind(access.count, at: 2)
      touch.bind(access.time, at: 3)
      touch.bind(now, at: 4)
      try handle.run(touch)
    }
  }
}
