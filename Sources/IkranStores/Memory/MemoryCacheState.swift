/// What all threads share of a memory cache.
@usableFromInline
struct MemoryCacheState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  @usableFromInline typealias Entry = RecencyEntry<Key, Value>

  @usableFromInline var table = RecencyTable<Key, Value>()
  @usableFromInline var limits: MemoryCacheLimits
  /// Where values that left are found while somebody holds them; nil when nobody asked for that.
  @usableFromInline var shelf: HeldShelf<Key, Value>?
  @usableFromInline var evictions = 0
  /// Look-ups that went to the shelf.
  var recalls = (hits: 0, misses: 0)

  init(_ limits: MemoryCacheLimits, _ shelf: HeldShelf<Key, Value>?) {
    self.limits = limits
    self.shelf = shelf
  }

  /// Adds an entry within the limits; returns all that must be released for it.
  @inlinable
  mutating func insert(_ entry: Entry) -> [Entry] {
    table.advance()
    var left: [Entry] = []
    if let replaced = remove(entry.key, hash: entry.hash) { left.append(replaced) }
    guard entry.cost <= limits.bytesNow, limits.count > 0 else {
      shelve(entry, &left)
      return left
    }
    // Before it is added, so that the sum of costs is never over the limit, nor overflows.
    makeRoom(bytes: limits.bytesNow - entry.cost, count: limits.count - 1, &left)
    var entry = entry
    entry.isSmall = entry.cost <= limits.smallCost
    table.insert(entry)
    return left
  }

  /// Removes what is over the limits.
  mutating func evict() -> [Entry] { trim(toBytes: limits.bytesNow) }

  /// Removes the longest unused until the rest costs no more than `bytes`.
  mutating func trim(toBytes bytes: Int) -> [Entry] {
    var left: [Entry] = []
    makeRoom(bytes: bytes, count: limits.count, &left)
    return left
  }

  /// Evicts until no more than so much is left.
  @inlinable
  mutating func makeRoom(bytes: Int, count: Int, _ left: inout [Entry]) {
    while table.cost > bytes || table.count > count {
      // Too many of them says nothing about sizes: then the oldest of all leaves.
      let reserve = table.cost > bytes ? limits.smallReserve : -1
      guard let oldest = table.removeOldest(sparingSmall: reserve) else { return }
      evictions += 1
      left.append(oldest)
      shelve(oldest, &left)
    }
  }

  /// Removes the value of a key, here and where values held elsewhere are found.
  @inlinable
  mutating func remove(_ key: Key, hash: Int) -> Entry? {
    if shelf != nil { forget(key) }
    return table.remove(key, hash: hash)
  }

  mutating func removeAll() -> [Entry] {
    let removed = table.entries
    table = RecencyTable()
    shelf?.removeAll()
    return removed
  }

  /// Finds a value that left while somebody still holds it, and takes it in again.
  mutating func recall(_ key: Key, hash: Int) -> (value: Value?, left: [Entry]) {
    // Another thread may have been faster.
    if let position = table.position(of: key, hash: hash) {
      recalls.hits += 1
      table.use(at: position)
      return (table.value(at: position), [])
    }
    guard let (value, cost) = shelf?.take(key) else {
      recalls.misses += 1
      return (nil, [])
    }
    recalls.hits += 1
    return (value, insert(Entry(key: key, value: value, cost: cost, hash: hash)))
  }

  @inlinable
  mutating func shelve(_ entry: Entry, _ left: inout [Entry]) {
    if shelf != nil { keepTrack(of: entry, &left) }
  }

  @usableFromInline
  mutating func keepTrack(of entry: Entry, _ left: inout [Entry]) { shelf?.put(entry, &left) }

  @usableFromInline
  mutating func forget(_ key: Key) { shelf?.remove(key) }
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
