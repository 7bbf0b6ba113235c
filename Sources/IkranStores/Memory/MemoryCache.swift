/// The values used last, in memory, within a number of bytes and a number of values.
///
/// Every call is synchronous, thread-safe and O(1). A look-up allocates nothing and writes nothing
/// that another thread reads, so look-ups on several threads do not slow each other down. Values
/// that leave are released on the calling thread, after the locks.
///
/// Both limits hold whenever no `store` is running, and while one runs on any number of threads.
///
/// The value unused for longest leaves first, but small values do not leave for large ones: a
/// feed's photos, each seen once, would push out the faces seen all the time. A value is small when
/// it costs no more than 100,000 bytes and no more than a 256th of the limit. As long as small
/// values cost no more than a quarter of the limit together, only large ones are evicted; room that
/// one kind leaves unused serves the other.
///
/// Uses are told apart by a `store`: values used between the same two calls of `store` count as
/// used in the order of their first use between them (on one thread; uses by several threads
/// between two calls are in no order).
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Entry = RecencyEntry<Key, Value>
  @usableFromInline typealias State = MemoryCacheState<Key, Value>

  @usableFromInline let shared: LanedGuard<State, MemoryCacheLane>

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: the largest sum of costs; by default an eighth of the memory, at most 512 MiB.
  ///   - countLimit: the largest number of values.
  ///   - backgroundShare: the share of `byteLimit` that holds while ``isInBackground``, from 0 to 1.
  public convenience init(
    byteLimit: Int = MemoryCacheDefaults.byteLimit,
    countLimit: Int = MemoryCacheDefaults.countLimit,
    backgroundShare: Double = MemoryCacheDefaults.backgroundShare
  ) {
    self.init(
      MemoryCacheLimits(bytes: byteLimit, count: countLimit, backgroundShare: backgroundShare),
      shelf: nil
    )
  }

  init(_ limits: MemoryCacheLimits, shelf: HeldShelf<Key, Value>?) {
    shared = LanedGuard(State(limits, shelf)) { MemoryCacheLane() }
  }

  // Inlinable, with all it calls: compiled for its key and value, memory.hit takes 85 ns; through
  // witness tables it took 790.
  /// The value stored last under a key, which then counts as used now; nil when there is none.
  @inlinable
  public func value(for key: Key) -> Value? { value(for: key, hash: key.hashValue) }

  /// The value stored last under a key, which then counts as used now; nil when there is none.
  @inlinable
  public func value(for key: HashedKey<Key>) -> Value? { value(for: key.key, hash: key.hash) }

  @inlinable
  func value(for key: Key, hash: Int) -> Value? {
    let (value, mustChange) = shared.read { state, lane -> (Value?, Bool) in
      guard let position = state.table.position(of: key, hash: hash) else {
        if state.shelf != nil { return (nil, true) }
        lane.misses += 1
        return (nil, false)
      }
      lane.hits += 1
      if state.table.isUsedEarlier(at: position) { lane.used.append(position) }
      return (state.table.value(at: position), lane.isFull)
    }
    guard mustChange else { return value }
    if value == nil { return recall(key, hash: hash) }
    change { _ in }
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
    let removed = change { $0.remove(key, hash: hash) }
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
        hits: hits + state.recalls.hits,
        misses: misses + state.recalls.misses,
        evictions: state.evictions,
        count: state.table.count,
        bytes: state.table.cost
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
    shared.change(takingIn: { $1.takeIn(&$0) }, body)
  }
}

extension MemoryCache where Value: WeaklyHeld {
  /// Makes an empty cache that also finds values that left, for as long as somebody else, such as a
  /// view, holds them.
  ///
  /// They count for no limit until they are found, and cost a look-up that misses about a
  /// microsecond. ``remove(_:)`` and ``removeAll()`` forget them too; `trim(toBytes:)` does not.
  ///
  /// - Parameters:
  ///   - recallsHeldValues: false makes an ordinary cache.
  ///   - byteLimit: the largest sum of costs; by default an eighth of the memory, at most 512 MiB.
  ///   - countLimit: the largest number of values.
  ///   - backgroundShare: the share of `byteLimit` that holds while ``isInBackground``, from 0 to 1.
  public convenience init(
    recallsHeldValues: Bool,
    byteLimit: Int = MemoryCacheDefaults.byteLimit,
    countLimit: Int = MemoryCacheDefaults.countLimit,
    backgroundShare: Double = MemoryCacheDefaults.backgroundShare
  ) {
    self.init(
      MemoryCacheLimits(bytes: byteLimit, count: countLimit, backgroundShare: backgroundShare),
      shelf: recallsHeldValues ? HeldShelf { $0.weakened() } : nil
    )
  }
}
