/// S3-FIFO (Yang et al., SOSP 2023): a small queue for new values, a main queue in which used
/// values are reinserted, and a ghost queue of ids that left the small queue recently.
struct S3FIFOPolicy: SimulatedPolicy {
  private static let (small, main, ghost) = (0, 1, 2)

  private var lists: SimulatedLists
  private var uses: [UInt8]
  private let limit: Int

  init(_ ids: Int, _ limit: Int) {
    lists = SimulatedLists(ids: ids, lists: 3)
    uses = Array(repeating: 0, count: ids)
    self.limit = limit
  }

  mutating func use(_ id: Int32) -> Bool {
    guard let list = lists.list(of: id), list != Self.ghost else { return false }
    uses[Int(id)] = min(3, uses[Int(id)] + 1)
    return true
  }

  mutating func add(_ id: Int32, bytes: Int) {
    while lists.bytes(in: Self.small) + lists.bytes(in: Self.main) > limit - bytes, evict() {}
    let isGhost = lists.list(of: id) == Self.ghost
    lists.remove(id)
    uses[Int(id)] = 0
    lists.add(id, bytes: bytes, to: isGhost ? Self.main : Self.small)
  }

  mutating func remove(_ id: Int32) { lists.remove(id) }

  /// Evicts a value or moves one to the main queue; false when the cache is empty.
  private mutating func evict() -> Bool {
    let isSmallFull = lists.bytes(in: Self.small) >= limit / 10
    if isSmallFull || lists.count(in: Self.main) == 0, evictSmall() { return true }
    return evictMain()
  }

  private mutating func evictSmall() -> Bool {
    guard let id = lists.oldest(in: Self.small) else { return false }
    let stays = uses[Int(id)] > 1
    uses[Int(id)] = 0
    lists.move(id, to: stays ? Self.main : Self.ghost)
    while lists.bytes(in: Self.ghost) > limit - limit / 10,
      let oldest = lists.oldest(in: Self.ghost)
    {
      lists.remove(oldest)
    }
    return true
  }

  private mutating func evictMain() -> Bool {
    while let id = lists.oldest(in: Self.main) {
      guard uses[Int(id)] > 0 else {
        lists.remove(id)
        return true
      }
      uses[Int(id)] -= 1
      lists.move(id, to: Self.main)
    }
    return false
  }
}
