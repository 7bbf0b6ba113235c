/// The changes that wait to be written to the disk, in order.
///
/// Stores that follow each other are written in one transaction, up to a number and up to a sum of
/// bytes. Every other change, such as a removal, is a fence that no store passes.
struct PendingStores: Sendable {
  /// A body that is to be stored.
  struct Store: Sendable {
    let key: String
    let extended: [UInt8]
    /// The bytes that it takes until it is stored.
    let cost: Int
    /// Gives the body when its turn comes; nil when it is not to be stored any more.
    let body: @Sendable () throws -> [UInt8]?
    /// The number of fences before it.
    fileprivate(set) var fence = 0
  }

  /// A reader waits for a transaction of this process to end: these keep it to about a millisecond.
  private static let (maximumCount, maximumCost) = (16, 8 << 20)

  /// The last ones in order; then those before them, the next one at the end.
  private var (added, next): ([Store], [Store]) = ([], [])
  private var fence = 0
  /// How many changes wait for each key: until they are done, what the disk has there is out of
  /// date.
  private var keys: [String: Int] = [:]

  /// How many removals of everything wait.
  private var removals = 0

  /// Whether a change of what is under a key waits.
  func contains(_ key: String) -> Bool { removals > 0 || keys[key] != nil }

  /// Counts a removal of everything, until ``releaseAll()``.
  mutating func retainAll() { removals += 1 }

  /// Counts a removal of everything as done.
  mutating func releaseAll() { removals -= 1 }

  /// Counts a change of what is under a key, until ``release(_:)``.
  mutating func retain(_ key: String) { keys[key, default: 0] += 1 }

  /// Counts a change of what is under a key as done.
  mutating func release(_ key: String) {
    let left = (keys[key] ?? 1) - 1
    keys[key] = left > 0 ? left : nil
  }

  /// Appends a store; returns the fence that it is before.
  mutating func add(_ store: Store) -> Int {
    retain(store.key)
    added.append(store)
    added[added.count - 1].fence = fence
    return fence
  }

  /// Sets a fence between the stores so far and later ones; returns its number.
  mutating func setFence() -> Int {
    defer { fence += 1 }
    return fence
  }

  /// Takes the stores that are written next, in one transaction; none of those after a fence.
  mutating func takeBatch(before fence: Int) -> [Store] {
    var (stores, cost) = ([Store](), 0)
    while stores.count < Self.maximumCount {
      if next.isEmpty { (added, next) = ([], added.reversed()) }
      guard let store = next.last, store.fence <= fence,
        stores.isEmpty || cost + store.cost <= Self.maximumCost
      else { break }
      stores.append(next.removeLast())
      cost += store.cost
    }
    return stores
  }
}
