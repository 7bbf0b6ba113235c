// Decision 14: entries leave in the order of S3-FIFO.
/// S3-FIFO: a new entry enters a small queue, and moves on to the main queue if it is read before
/// it reaches the small queue's end. Both are in the order of arrival, so a read moves no entry.
extension DiskIndex {
  /// How much the index may hold.
  struct Limits {
    let bytes: Int64
    let count: Int64

    init(bytes: Int, count: Int) {
      self.bytes = Int64(bytes)
      self.count = Int64(count)
    }

    fileprivate func areExceeded(by totals: IndexTotals) -> Bool {
      totals.bytes > bytes || totals.count > count
    }

    /// Whether the small queue has more than a tenth of the exceeded limit.
    fileprivate func isSmallQueueFull(_ totals: IndexTotals) -> Bool {
      totals.bytes > bytes
        ? totals.smallBytes > bytes / 10 : totals.smallCount > count / 10
    }
  }

  private struct Candidate {
    let hash: Int64
    let isInMainQueue: Bool
    let uses: Int64
    let accessed: Int64
    let stored: Int64
  }

  /// Removes entries until the limits hold; never the one with the serial number `kept`.
  func evict(
    to limits: Limits,
    keeping kept: Int64 = -1,
    _ expiry: Expiry,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) -> [Removed] {
    var removed: [Removed] = []
    while true {
      if !totals.isValid { totals = try recount() }
      guard limits.areExceeded(by: totals) else { break }
      guard let candidate = try candidate(limits, kept, totals) else {
        totals = try recount()
        break
      }
      let isExpired = expiry.isOver(accessed: candidate.accessed, stored: candidate.stored)
      if candidate.uses > 0 && !isExpired {
        try keep(candidate, &totals)
        continue
      }
      guard let entry = try remove(candidate.hash, &totals) else { throw lost }
      removed.append(entry)
      if !candidate.isInMainQueue && !isExpired { try remember(entry.name.hash, totals) }
    }
    return removed
  }

  /// The next entry to evict: the oldest of the small queue when that is full, else the oldest of
  /// the main queue; if that queue is empty, the oldest of the other one.
  private func candidate(
    _ limits: Limits,
    _ kept: Int64,
    _ totals: IndexTotals
  ) throws(DiskCacheError) -> Candidate? {
    let takesSmall = limits.isSmallQueueFull(totals)
    if let candidate = try oldest(inMainQueue: !takesSmall, kept) { return candidate }
    return try oldest(inMainQueue: takesSmall, kept)
  }

  private func oldest(
    inMainQueue: Bool,
    _ kept: Int64
  ) throws(DiskCacheError) -> Candidate? {
    oldest.bind(inMainQueue ? DiskCacheFormat.mainQueue : .min, at: 1)
    oldest.bind(inMainQueue ? .max : DiskCacheFormat.mainQueue, at: 2)
    oldest.bind(kept, at: 3)
    defer { oldest.reset() }
    guard try handle.step(oldest) else { return nil }
    return Candidate(
      hash: oldest.integer(0),
      isInMainQueue: inMainQueue,
      uses: oldest.integer(1),
      accessed: oldest.integer(2),
      stored: oldest.integer(3)
    )
  }

  /// Moves an entry that was read to the end of the main queue.
  private func keep(
    _ candidate: Candidate,
    _ totals: inout IndexTotals
  ) throws(DiskCacheError) {
    let uses = candidate.isInMainQueue ? min(candidate.uses, Self.mostUses) - 1 : 0
    move.bind(candidate.hash, at: 1)
    move.bind(DiskCacheFormat.mainQueue | totals.next(), at: 2)
    move.bind(uses, at: 3)
    defer { move.reset() }
    guard try handle.step(move) else { throw lost }
    let size = move.integer(0)
    while try handle.step(move) {}
    guard !candidate.isInMainQueue else { return }
    totals.remove(size: size, isSmall: true)
    totals.add(size: size, isSmall: false)
  }

  private var lost: DiskCacheError {
    .corrupt(path: handle.path, reason: "a queue leads to an entry that is not there")
  }

  // MARK: - Ghosts

  // A hash table with about as many slots as there are entries. A new key overwrites the one in its
  // slot, so old keys disappear without a clean-up.
  private func slot(_ hash: Int64, _ totals: IndexTotals) -> Int64 {
    var slots: Int64 = 64
    while slots < totals.count && slots < 1 << 24 { slots *= 2 }
    return hash & (slots - 1)
  }

  /// Records the key of an entry that leaves the small queue without having been read.
  private func remember(_ hash: Int64, _ totals: IndexTotals) throws(DiskCacheError) {
    setGhost.bind(slot(hash, totals), at: 1)
    setGhost.bind(hash, at: 2)
    setGhost.bind(totals.serial, at: 3)
    try handle.run(setGhost)
  }

  /// Whether the entry left the small queue recently: fewer stores ago than there are entries.
  func isGhost(_ hash: Int64, _ totals: IndexTotals) throws(DiskCacheError) -> Bool {
    findGhost.bind(slot(hash, totals), at: 1)
    findGhost.bind(hash, at: 2)
    defer { findGhost.reset() }
    guard try handle.step(findGhost) else { return false }
    return totals.serial &- findGhost.integer(0) <= totals.count
  }
}
