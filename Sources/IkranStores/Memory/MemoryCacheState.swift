/// What all threads share of a memory cache.
@usableFromInline
struct MemoryCacheState<Key: Hashable, Value>: ~Copyable {
  @usableFromInline var table = RecencyTable<Key, Value>()
  @usableFromInline var byteLimit: Int
  @usableFromInline var countLimit: Int
  @usableFromInline var evictions = 0

  init(byteLimit: Int, countLimit: Int) {
    self.byteLimit = max(0, byteLimit)
    self.countLimit = max(0, countLimit)
  }

  /// Adds an entry within the limits; returns all that left for it.
  @inlinable
  mutating func insert(_ entry: RecencyEntry<Key, Value>) -> [RecencyEntry<Key, Value>] {
    table.advance()
    var left: [RecencyEntry<Key, Value>] = []
    if let replaced = table.remove(entry.key, hash: entry.hash) { left.append(replaced) }
    guard entry.cost <= byteLimit, countLimit > 0 else { return left }
    // Before it is added, so that the sum of costs is never over the limit, nor overflows.
    while table.cost > byteLimit - entry.cost || table.count >= countLimit {
      guard let oldest = table.removeOldest() else { break }
      left.append(oldest)
      evictions += 1
    }
    table.insert(entry)
    return left
  }

  /// Removes what is over the limits.
  mutating func evict() -> [RecencyEntry<Key, Value>] {
    var left: [RecencyEntry<Key, Value>] = []
    while table.cost > byteLimit || table.count > countLimit {
      guard let oldest = table.removeOldest() else { break }
      left.append(oldest)
      evictions += 1
    }
    return left
  }

  mutating func removeAll() -> [RecencyEntry<Key, Value>] {
    let removed = table.entries
    table = RecencyTable()
    return removed
  }
}

/// What a lane of threads gathers while it reads.
@usableFromInline
struct MemoryCacheLane {
  @usableFromInline var hits = 0
  @usableFromInline var misses = 0
  /// Positions used since the last change, oldest first; valid until the next, which takes them in.
  @usableFromInline var used: [Int32] = []

  init() { used.reserveCapacity(65) }

  /// Whether it is time to take in the uses.
  @inlinable var isFull: Bool { used.count >= 64 }

  @inlinable
  mutating func takeIn<Key, Value>(_ state: inout MemoryCacheState<Key, Value>) {
    guard !used.isEmpty else { return }
    for position in used { state.table.use(at: position) }
    used.removeAll(keepingCapacity: true)
  }
}
