/// SIEVE (Zhang et al., NSDI 2024): one list in the order of storing, and a hand that moves from
/// the oldest to the newest value and evicts the first one not used since its last visit.
struct SievePolicy: SimulatedPolicy {
  private var lists: SimulatedLists
  private var isUsed: [Bool]
  private var hand: Int32?
  private let limit: Int

  init(_ ids: Int, _ limit: Int) {
    lists = SimulatedLists(ids: ids, lists: 1)
    isUsed = Array(repeating: false, count: ids)
    self.limit = limit
  }

  mutating func use(_ id: Int32) -> Bool {
    guard lists.list(of: id) != nil else { return false }
    isUsed[Int(id)] = true
    return true
  }

  mutating func add(_ id: Int32, bytes: Int) {
    while lists.bytes(in: 0) > limit - bytes, evict() {}
    isUsed[Int(id)] = false
    lists.add(id, bytes: bytes, to: 0)
  }

  mutating func remove(_ id: Int32) {
    if hand == id { hand = lists.newer(than: id) }
    lists.remove(id)
  }

  private mutating func evict() -> Bool {
    while let id = hand ?? lists.oldest(in: 0) {
      guard isUsed[Int(id)] else {
        hand = id
        remove(id)
        return true
      }
      isUsed[Int(id)] = false
      hand = lists.newer(than: id)
    }
    return false
  }
}
