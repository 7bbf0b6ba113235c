public import IkranStores

/// Several memory caches that are used as one, for values such as decoded images.
///
/// A value that a lower cache had is not stored in the higher ones.
public final class CacheChain<Key: Hashable & Sendable, Value: Sendable>: MemoryCaching {
  /// The policy of each operation.
  public let policies: ChainPolicies
  private let order: ChainOrder<any MemoryCaching<Key, Value>>

  /// Creates a chain of caches, the highest first.
  public init(
    _ caches: [any MemoryCaching<Key, Value>],
    policies: ChainPolicies = ChainPolicies()
  ) {
    self.policies = policies
    order = ChainOrder(caches)
  }

  /// The value under a key, from the caches that ``ChainPolicies/query`` names.
  public func value(for key: Key) -> Value? {
    // Memory caches do not throw.
    (try? order.first(policies.query) { $0.value(for: key) }) ?? nil
  }

  /// Stores a value in the caches that ``ChainPolicies/store`` names.
  public func store(_ value: Value, cost: Int, for key: Key) {
    try? order.all(policies.store) { $0.store(value, cost: cost, for: key) }
  }

  /// Removes a value from the caches that ``ChainPolicies/remove`` names.
  public func remove(_ key: Key) { try? order.all(policies.remove) { $0.remove(key) } }

  /// Whether one of the caches that ``ChainPolicies/contains`` names has a value.
  public func contains(_ key: Key) -> Bool {
    (try? order.first(policies.contains) { $0.contains(key) ? true : nil }) == true
  }

  /// Empties the caches that ``ChainPolicies/clear`` names.
  public func removeAll() { try? order.all(policies.clear) { $0.removeAll() } }
}

/// Several caches of encoded bodies that are used as one.
///
/// A look-up skips a cache that throws, and throws only if no other cache has the body. An
/// operation that changes caches is applied to all of them before the first error is thrown. A body
/// that a lower cache had is not stored in the higher ones.
public final class DataCacheChain: DataCaching {
  /// The policy of each operation.
  public let policies: ChainPolicies
  private let order: ChainOrder<any DataCaching>

  /// Creates a chain of caches, the highest first.
  public init(_ caches: [any DataCaching], policies: ChainPolicies = ChainPolicies()) {
    self.policies = policies
    order = ChainOrder(caches)
  }

  /// The body under a key, from the caches that ``ChainPolicies/query`` names.
  public func body(for key: String) throws -> [UInt8]? {
    try order.first(policies.query) { try $0.body(for: key) }
  }

  /// The entry under a key, from the caches that ``ChainPolicies/query`` names.
  public func entry(for key: String) throws -> DiskCacheEntry? {
    try order.first(policies.query) { try $0.entry(for: key) }
  }

  /// The additional data of an entry, from the caches that ``ChainPolicies/query`` names.
  public func extended(for key: String) throws -> [UInt8]? {
    try order.first(policies.query) { try $0.extended(for: key) }
  }

  /// Stores a body in the caches that ``ChainPolicies/store`` names.
  public func store(_ body: [UInt8], for key: String) throws {
    try order.all(policies.store) { try $0.store(body, for: key) }
  }

  /// Stores a body with additional data in the caches that ``ChainPolicies/store`` names.
  public func store(_ body: [UInt8], extended: [UInt8], for key: String) throws {
    try order.all(policies.store) { try $0.store(body, extended: extended, for: key) }
  }

  /// Replaces the additional data in the first of the caches that ``ChainPolicies/query`` names
  /// that has the entry: the one where a look-up finds it.
  public func extend(_ extended: [UInt8], for key: String) throws -> Bool {
    try order.first(policies.query == .concurrent ? .serial : policies.query) { cache in
      try cache.extend(extended, for: key) ? true : nil
    } == true
  }

  /// Removes a body from the caches that ``ChainPolicies/remove`` names.
  public func remove(_ key: String) throws {
    try order.all(policies.remove) { try $0.remove(key) }
  }

  /// Whether one of the caches that ``ChainPolicies/contains`` names has a body.
  public func contains(_ key: String) throws -> Bool {
    try order.first(policies.contains) { try $0.contains(key) ? true : nil } == true
  }

  /// Empties the caches that ``ChainPolicies/clear`` names.
  public func removeAll() throws { try order.all(policies.clear) { try $0.removeAll() } }

  /// Suspends every cache, whatever the policies.
  public func suspend() throws { try order.all(.serial) { try $0.suspend() } }

  /// Ends the suspension of every cache.
  public func resume() { try? order.all(.serial) { $0.resume() } }
}
