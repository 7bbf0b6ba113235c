/// The values used last, in memory, within a number of bytes and a number of values.
///
/// Every call is synchronous, thread-safe and O(1). A look-up allocates nothing and writes nothing
/// that another thread reads, so look-ups on several threads do not slow each other down. Values
/// that leave are released on the calling thread, after the locks.
///
/// Both limits hold whenever no `store` is running, and while one runs on any number of threads.
///
/// The value unused for longest leaves first. Uses are told apart by a `store`: values used between
/// the same two calls of `store` count as used in the order of their first use between them (on one
/// thread; uses by several threads between two calls are in no order).
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Entry = RecencyEntry<Key, Value>

  @usableFromInline let shared: LanedGuard<MemoryCacheState<Key, Value>, MemoryCacheLane>

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: the largest sum of costs; by default an eighth of the memory, at most 512 MiB.
  ///   - countLimit: the largest number of values.
  public init(
    byteLimit: Int = MemoryCacheDefaults.byteLimit,
    countLimit: Int = MemoryCacheDefaults.countLimit
  ) {
    let state = MemoryCacheState<Key, Value>(byteLimit: byteLimit, countLimit: countLimit)
    shared = LanedGuard(state) { MemoryCacheLane() }
  }

  /// The largest sum of costs in bytes; lowering it evicts at once.
  public var byteLimit: Int {
    get { shared.read { state, _ in state.byteLimit } }
    set {
      let evicted = change { state in
        state.byteLimit = max(0, newValue)
        return state.evict()
      }
      withExtendedLifetime(evicted) {}
    }
  }

  /// The largest number of values; lowering it evicts at once.
  public var countLimit: Int {
    get { shared.read { state, _ in state.countLimit } }
    set {
      let evicted = change { state in
        state.countLimit = max(0, newValue)
        return state.evict()
      }
      withExtendedLifetime(evicted) {}
    }
  }

  // Inlinable, with all it calls: compiled for its key and value, memory.hit takes 85 ns; through
  // witness tables it took 790.
  /// The value stored last under a key, which then counts as used now; nil when there is none.
  @inlinable
  public func value(for key: Key) -> Value? {
    let hash = key.hashValue
    let (value, isFull) = shared.read { state, lane -> (Value?, Bool) in
      guard let position = state.table.position(of: key, hash: hash) else {
        lane.misses += 1
        return (nil, false)
      }
      lane.hits += 1
      if state.table.isUsedEarlier(at: position) { lane.used.append(position) }
      return (state.table.value(at: position), lane.isFull)
    }
    if isFull { change { _ in } }
    return value
  }

  /// Whether a value is stored under a key; neither counted nor a use.
  @inlinable
  public func contains(_ key: Key) -> Bool {
    let hash = key.hashValue
    return shared.read { state, _ in state.table.position(of: key, hash: hash) != nil }
  }

  /// Stores a value in place of the one under the same key, and evicts what is then too much.
  ///
  /// A value that alone is over the byte limit is not stored; the older one is removed all the same,
  /// as it is out of date. The cost is the value's size in bytes; below zero counts as zero.
  @inlinable
  public func store(_ value: Value, cost: Int, for key: Key) {
    let entry = Entry(key: key, value: value, cost: max(0, cost), hash: key.hashValue)
    let left = change { $0.insert(entry) }
    withExtendedLifetime(left) {}
  }

  /// Removes the value under a key, if there is one.
  @inlinable
  public func remove(_ key: Key) {
    let hash = key.hashValue
    let removed = change { $0.table.remove(key, hash: hash) }
    withExtendedLifetime(removed) {}
  }

  /// Removes all values; the counters stay.
  public func removeAll() {
    let removed = change { $0.removeAll() }
    withExtendedLifetime(removed) {}
  }

  /// What the cache holds and how it has been used, at one moment.
  public var statistics: MemoryCacheStatistics {
    var hits = 0
    var misses = 0
    return shared.change {
      $1.takeIn(&$0)
      hits += $1.hits
      misses += $1.misses
    } _: { state in
      MemoryCacheStatistics(
        hits: hits,
        misses: misses,
        evictions: state.evictions,
        count: state.table.count,
        bytes: state.table.cost
      )
    }
  }

  @inlinable
  func change<R>(_ body: (inout MemoryCacheState<Key, Value>) -> R) -> R {
    shared.change(takingIn: { $1.takeIn(&$0) }, body)
  }
}
