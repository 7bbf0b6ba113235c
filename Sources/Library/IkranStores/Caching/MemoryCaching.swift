/// A cache of values in memory; called on any thread, including the main one, so it must not wait.
public protocol MemoryCaching<Key, Value>: Sendable {
  /// The type of the keys.
  associatedtype Key: Hashable & Sendable
  /// The type of the values.
  associatedtype Value: Sendable

  /// The value stored last under a key; nil when there is none.
  func value(for key: Key) -> Value?
  /// Stores a value in place of the one under the same key; `cost` is its size in bytes.
  func store(_ value: Value, cost: Int, for key: Key)
  /// Removes the value under a key, if there is one.
  func remove(_ key: Key)
  /// Whether a value is stored under a key.
  func contains(_ key: Key) -> Bool
  /// Removes all values.
  func removeAll()
}

extension MemoryCache: MemoryCaching {}
