// Decision 17: small values are safe from large ones.
/// The state of a memory cache that all threads share.
@usableFromInline
struct MemoryCacheState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  @usableFromInline typealias Entry = RecencyEntry<Key, Value>

  @usableFromInline var table = RecencyTable<Key, Value>()
  @usableFromInline var limits: MemoryCacheLimits
  /// Finds evicted values that are still held elsewhere; nil if the cache does not recall them.
  @usableFromInline var weakCache: WeakCache<Key, Value>?
  @usableFromInline var evictions = 0
  /// Look-ups that went to the weak cache.
  var recalls = (hits: 0, misses: 0)

  init(_ limits: MemoryCacheLimits, _ weakCache: WeakCache<Key, Value>?) {
    self.limits = limits
    self.weakCache = weakCache
  }

  /// Adds an entry within the limits; returns the entries that leave, to be released outside the
  /// lock.
  @inlinable
  mutating func insert(_ entry: Entry) -> [Entry] {
    table.advance()
    var left: [Entry] = []
    if let replaced = remove(entry.key, hash: entry.hash) { left.append(replaced) }
    guard entry.cost <= limits.bytesNow, limits.count > 0 else {
      keepWeakly(entry, &left)
      return left
    }
    // Evicts before adding, so that the sum of costs never exceeds the limit and cannot overflow.
    makeRoom(bytes: limits.bytesNow - entry.cost, count: limits.count - 1, &left)
    var entry = entry
    entry.isSmall = entry.cost <= limits.smallCost
    table.insert(entry)
    return left
  }

  /// Evicts what is over the limits.
  mutating func evict() -> [Entry] { trim(toBytes: limits.bytesNow) }

  /// Evicts least recently used entries until the rest costs at most `bytes`.
  mutating func trim(toBytes bytes: Int) -> [Entry] {
    var left: [Entry] = []
    makeRoom(bytes: bytes, count: limits.count, &left)
    return left
  }

  /// Evicts until at most `bytes` and `count` are left.
  @inlinable
  mutating func makeRoom(bytes: Int, count: Int, _ left: inout [Entry]) {
    while table.cost > bytes || table.count > count {
      // Evicting for the count limit ignores the size classes: the oldest of all entries leaves.
      let reserve = table.cost > bytes ? limits.smallReserve : -1
      guard let oldest = table.removeOldest(sparingSmall: reserve) else { return }
      evictions += 1
      left.append(oldest)
      keepWeakly(oldest, &left)
    }
  }

  /// Removes the value of a key, here and from the weak cache.
  @inlinable
  mutating func remove(_ key: Key, hash: Int) -> Entry? {
    if weakCache != nil { forget(key) }
    return table.remove(key, hash: hash)
  }

  mutating func removeAll() -> [Entry] {
    let removed = table.entries
    table = RecencyTable()
    weakCache?.removeAll()
    return removed
  }

  /// Finds an evicted value that is still held elsewhere, and inserts it again.
  mutating func recall(_ key: Key, hash: Int) -> (value: Value?, left: [Entry]) {
    // Another thread may have inserted it since the look-up.
    if let position = table.position(of: key, hash: hash) {
      recalls.hits += 1
      table.use(at: position)
      return (table.value(at: position), [])
    }
    guard let (value, cost) = weakCache?.take(key) else {
      recalls.misses += 1
      return (nil, [])
    }
    recalls.hits += 1
    return (value, insert(Entry(key: key, value: value, cost: cost, hash: hash)))
  }

  @inlinable
  mutating func keepWeakly(_ entry: Entry, _ left: inout [Entry]) {
    if weakCache != nil { keepTrack(of: entry, &left) }
  }

  @usableFromInline
  mutating func keepTrack(of entry: Entry, _ left: inout [Entry]) { weakCache?.put(entry, &left) }

  @usableFromInline
  mutating func forget(_ key: Key) { weakCache?.remove(key) }
}

/// What the readers of one stripe record until the next change.
@usableFromInline
struct MemoryCacheStripe {
  @usableFromInline var hits = 0
  @usableFromInline var misses = 0
  /// Positions used since the last change, oldest first; the next change applies and clears them.
  @usableFromInline var used: [Int32] = []

  init() { used.reserveCapacity(65) }

  /// Whether a change should apply the uses now.
  @inlinable var isFull: Bool { used.count >= 64 }

  @inlinable
  mutating func apply<Key, Value>(to state: inout MemoryCacheState<Key, Value>) {
    guard !used.isEmpty else { return }
    for position in used { state.table.use(at: position) }
    used.removeAll(keepingCapacity: true)
  }
}
