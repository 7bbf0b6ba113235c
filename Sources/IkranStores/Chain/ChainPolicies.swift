/// Which caches of a chain do a job, and in what order.
public enum ChainPolicy: Sendable, Hashable, CaseIterable {
  /// One after the other, the highest first, until one has the answer; what is no question, all do.
  case serial
  /// All at once, each on a thread of its own; a question is answered by the first that has it.
  case concurrent
  /// Only the highest.
  case highestOnly
  /// Only the lowest.
  case lowestOnly
}

/// The policy of each job of a chain.
public struct ChainPolicies: Sendable, Hashable {
  /// For finding a value.
  public var query: ChainPolicy
  /// For storing one.
  public var store: ChainPolicy
  /// For removing one.
  public var remove: ChainPolicy
  /// For asking whether there is one.
  public var contains: ChainPolicy
  /// For removing all.
  public var clear: ChainPolicy

  /// Creates policies; the defaults are those of SDWebImage.
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
