/// A key with its hash computed once, for repeated look-ups.
///
/// Hashing takes most of the time of a look-up when the key holds text. The hash is different in
/// every process: do not store it.
public struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
  /// The key.
  public let key: Key
  @usableFromInline let hash: Int

  /// Hashes a key.
  @inlinable
  public init(_ key: Key) {
    self.key = key
    hash = key.hashValue
  }

  /// Whether the keys are equal.
  @inlinable
  public static func == (left: HashedKey, right: HashedKey) -> Bool {
    left.hash == right.hash && left.key == right.key
  }

  /// Feeds the computed hash.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
