/// Which caches of a chain perform an operation, and in what order.
public enum ChainPolicy: Sendable, Hashable, CaseIterable {
  /// One after the other, the highest first; a look-up ends at the first cache that has the value.
  case serial
  /// All at once, each on a separate thread; a look-up returns the first value that is found.
  case concurrent
  /// Only the highest.
  case highestOnly
  /// Only the lowest.
  case lowestOnly
}

/// The policy of each operation of a chain.
public struct ChainPolicies: Sendable, Hashable {
  /// For finding a value.
  public var query: ChainPolicy
  /// For storing one.
  public var store: ChainPolicy
  /// For removing one.
  public var remove: ChainPolicy
  /// For checking whether there is one.
  public var contains: ChainPolicy
  /// For removing all.
  public var clear: ChainPolicy

  /// Creates policies; the defaults are the same as in SDWebImage.
  public init(
    query: ChainPolicy = .serial,
    store: ChainPolicy = .highestOnly,
    remove: ChainPolicy = .concurrent,
    contains: ChainPolicy = .serial,
    clear: ChainPolicy = .concurrent
  ) {
    self.query = query
    self.store = store
    self.remove = remove
    self.contains = contains
    self.clear = clear
  }
}
