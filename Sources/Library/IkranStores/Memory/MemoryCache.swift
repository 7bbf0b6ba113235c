import IkranSystem

/// A memory cache that evicts the least recently used value, limited in bytes and in values.
///
/// Every call is synchronous, thread-safe and O(1). A look-up allocates nothing and, in a public
/// cache, writes no memory that another thread reads, so look-ups on several threads do not slow
/// each other down.
/// Evicted values are released on the calling thread, outside the locks.
///
/// Both limits hold at all times, also while values are stored on several threads.
///
/// The least recently used value is evicted first, but small values are not evicted for large ones:
/// a feed's photos, each seen once, would push out the faces that are seen all the time. A value is
/// small when its cost is at most 100,000 bytes and at most a 256th of the limit. While the small
/// values together cost at most a quarter of the limit, only large ones are evicted. Either class
/// may use the room that the other one leaves.
///
/// The order of use is exact between values whose uses are separated by a `store`. Values used
/// between the same two calls of `store` are ordered by their first use there if they are used on
/// one thread, and in no particular order if they are used on several.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Entry = RecencyEntry<Key, Value>
  @usableFromInline typealias State = MemoryCacheState<Key, Value>

  @usableFromInline let shared: StripedLock<State, MemoryCacheStripe>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The largest sum of costs; by default an eighth of the memory, at most 512 MiB.
  ///   - countLimit: The largest number of values.
  ///   - backgroundShare: The share of `byteLimit` that applies while ``isInBackground``, from 0 to
  ///     1.
  public convenience init(
    byteLimit: Int = MemoryCacheDefaults.byteLimit,
    countLimit: Int = MemoryCacheDefaults.countLimit,
    backgroundShare: Double = MemoryCacheDefaults.backgroundShare
  ) {
    self.init(
      MemoryCacheLimits(bytes: byteLimit, count: countLimit, backgroundShare: backgroundShare),
      weakCache: nil
    )
  }

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The largest sum of costs.
  ///   - countLimit: The largest number of values.
  ///   - isContended: Whether several threads look up at the same time as a rule. Else they share
  ///     one lock, and a change costs less.
  package convenience init(
    byteLimit: Int,
    countLimit: Int = MemoryCacheDefaults.countLimit,
    isContended: Bool
  ) {
    let share = MemoryCacheDefaults.backgroundShare
    let limits = MemoryCacheLimits(bytes: byteLimit, count: countLimit, backgroundShare: share)
    self.init(
      limits,
      weakCache: nil,
      stripes: isContended ? StripeLocks.countForManyReaders : 1
    )
  }

  init(
    _ limits: MemoryCacheLimits,
    weakCache: WeakCache<Key, Value>?,
    stripes: Int = StripeLocks.countForManyReaders
  ) {
    shared = StripedLock(State(limits, weakCache), count: stripes) { MemoryCacheStripe() }
  }

  // Inlinable, with everything that it calls: specialised for its key and value memory.hit takes
  // 85 ns, through witness tables it took 790.
  /// The value stored last under a key, which then counts as used now; nil when there is none.
  @inlinable
  public func value(for key: Key) -> Value? { value(for: key, hash: key.hashValue) }

  /// The value stored last under a key, which then counts as used now; nil when there is none.
  @inlinable
  public func value(for key: HashedKey<Key>) -> Value? { value(for: key.key, hash: key.hash) }

  @inlinable
  func value(for key: Key, hash: Int) -> Value? {
    let (value, mustChange) = shared.read { state, stripe -> (Value?, Bool) in
      guard let position = state.table.position(of: key, hash: hash) else {
        if state.weakCache != nil { return (nil, true) }
        stripe.misses += 1
        return (nil, false)
      }
      stripe.hits += 1
      if state.table.isUsedEarlier(at: position) { stripe.used.append(position) }
      return (state.table.value(at: position), stripe.isFull)
    }
    guard mustChange else { return value }
    if value == nil { return recall(key, hash: hash) }
    change { _ in }
    return value
  }

  /// Whether a value is stored under a key; it does not count as a use, a hit or a miss.
  @inlinable
  public func contains(_ key: Key) -> Bool {
    let hash = key.hashValue
    return shared.read { state, _ in state.table.position(of: key, hash: hash) != nil }
  }

  /// Stores a value in place of the one under the same key, and evicts what is over the limits.
  ///
  /// A value whose cost exceeds the byte limit is not stored; the older one is out of date and
  /// removed anyway. The cost is the value's size in bytes; below zero counts as zero.
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
    let removed = change { $0.remove(key, hash: hash) }
    withExtendedLifetime(removed) {}
  }

  /// Removes the value under a key if `isUnwanted` says so, which runs under the cache's lock.
  package func remove(_ key: Key, where isUnwanted: (Value) -> Bool) {
    let hash = key.hashValue
    let removed = change { state -> Entry? in
      guard let position = state.table.position(of: key, hash: hash),
        isUnwanted(state.table.value(at: position))
      else { return nil }
      return state.remove(key, hash: hash)
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes all values; the counters stay.
  public func removeAll() {
    let removed = change { $0.removeAll() }
    withExtendedLifetime(removed) {}
  }

  /// The cache's contents and use, at one moment.
  public var statistics: MemoryCacheStatistics {
    var hits = 0
    var misses = 0
    return shared.change {
      $1.apply(to: &$0)
      hits += $1.hits
      misses += $1.misses
    } _: { state in
      MemoryCacheStatistics(
        hits: hits + state.recalls.hits,
        misses: misses + state.recalls.misses,
        evictions: state.evictions,
        count: state.table.count,
        byteCount: state.table.cost
      )
    }
  }

  @usableFromInline
  func recall(_ key: Key, hash: Int) -> Value? {
    let (value, left) = change { $0.recall(key, hash: hash) }
    withExtendedLifetime(left) {}
    return value
  }

  @inlinable
  func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    shared.change(takingIn: { $1.apply(to: &$0) }, body)
  }
}

extension MemoryCache where Value: WeaklyHeld {
  /// Creates an empty cache that also finds evicted values for as long as another object, such as a
  /// view, holds them.
  ///
  /// Evicted values count towards no limit until they are found, and make a look-up that misses
  /// about a microsecond slower. ``remove(_:)`` and ``removeAll()`` remove them too,
  /// `trim(toBytes:)` does not.
  ///
  /// - Parameters:
  ///   - recallsHeldValues: False creates an ordinary cache.
  ///   - byteLimit: The largest sum of costs; by default an eighth of the memory, at most 512 MiB.
  ///   - countLimit: The largest number of values.
  ///   - backgroundShare: The share of `byteLimit` that applies while ``isInBackground``, from 0 to
  ///     1.
  package convenience init(
    recallsHeldValues: Bool,
    byteLimit: Int = MemoryCacheDefaults.byteLimit,
    countLimit: Int = MemoryCacheDefaults.countLimit,
    backgroundShare: Double = MemoryCacheDefaults.backgroundShare
  ) {
    self.init(
      MemoryCacheLimits(bytes: byteLimit, count: countLimit, backgroundShare: backgroundShare),
      weakCache: recallsHeldValues ? WeakCache { $0.weakened() } : nil
    )
  }
}
