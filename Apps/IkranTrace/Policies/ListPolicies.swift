import IkranStores

/// One list, in the order of storing (FIFO) or of the last use (LRU).
struct ListPolicy: SimulatedPolicy {
  private var lists: SimulatedLists
  private let limit: Int
  private let movesOnUse: Bool

  init(_ ids: Int, _ limit: Int, movesOnUse: Bool) {
    lists = SimulatedLists(ids: ids, lists: 1)
    self.limit = limit
    self.movesOnUse = movesOnUse
  }

  mutating func use(_ id: Int32) -> Bool {
    guard lists.list(of: id) != nil else { return false }
    if movesOnUse { lists.move(id, to: 0) }
    return true
  }

  mutating func add(_ id: Int32, bytes: Int) {
    while lists.bytes(in: 0) > limit - bytes, let oldest = lists.oldest(in: 0) {
      lists.remove(oldest)
    }
    lists.add(id, bytes: bytes, to: 0)
  }

  mutating func remove(_ id: Int32) { lists.remove(id) }
}

/// Two lists in the order of the last use: values used once, and values used again.
struct SegmentedPolicy: SimulatedPolicy {
  private static let (once, again) = (0, 1)

  private var lists: SimulatedLists
  private let limit: Int
  private let againLimit: Int

  init(_ ids: Int, _ limit: Int) {
    lists = SimulatedLists(ids: ids, lists: 2)
    self.limit = limit
    againLimit = limit - limit / 5
  }

  mutating func use(_ id: Int32) -> Bool {
    guard lists.list(of: id) != nil else { return false }
    lists.move(id, to: Self.again)
    while lists.bytes(in: Self.again) > againLimit, let oldest = lists.oldest(in: Self.again) {
      lists.move(oldest, to: Self.once)
    }
    return true
  }

  mutating func add(_ id: Int32, bytes: Int) {
    while lists.bytes(in: Self.once) + lists.bytes(in: Self.again) > limit - bytes,
      let oldest = lists.oldest(in: Self.once) ?? lists.oldest(in: Self.again)
    {
      lists.remove(oldest)
    }
    lists.add(id, bytes: bytes, to: Self.once)
  }

  mutating func remove(_ id: Int32) { lists.remove(id) }
}

/// The memory cache itself.
struct SizedPolicy: SimulatedPolicy {
  private let cache: MemoryCache<Int32, Int>

  init(_ limit: Int) { cache = MemoryCache(byteLimit: limit, countLimit: .max) }

  func use(_ id: Int32) -> Bool { cache.value(for: id) != nil }
  func add(_ id: Int32, bytes: Int) { cache.store(0, cost: bytes, for: id) }
  func remove(_ id: Int32) { cache.remove(id) }
}
