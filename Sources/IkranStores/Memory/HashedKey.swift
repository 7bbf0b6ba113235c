/// A key with its hash worked out once, for look-ups that are made again and again.
///
/// Hashing is most of what a look-up costs when the key holds text. The hash is that of this
/// process: make such a key where it is used, and do not write it down.
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

  /// Feeds the ready hash.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
