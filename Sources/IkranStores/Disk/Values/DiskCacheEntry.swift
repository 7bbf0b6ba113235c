/// What a disk cache holds under a key.
public struct DiskCacheEntry: Sendable, Hashable {
  /// The body, byte for byte as it was stored.
  public let body: [UInt8]
  /// The caller's own data beside the body, such as what HTTP says of it; empty when there is none.
  public let extended: [UInt8]
  /// When the body was stored, in microseconds since 1970; never later than now.
  public let stored: Int64

  /// Makes an entry from its parts.
  public init(body: [UInt8], extended: [UInt8] = [], stored: Int64) {
    self.body = body
    self.extended = extended
    self.stored = stored
  }
}

/// What a disk cache's list says of an entry, without its body.
public struct DiskCacheItem: Sendable, Hashable {
  /// The key it is stored under.
  public let key: String
  /// The bytes of the body, as it was given.
  public let bodyBytes: Int
  /// The bytes it takes up: the body as it is kept, and the extended data.
  public let storedBytes: Int
  /// When the body was stored, in microseconds since 1970.
  public let stored: Int64
  /// When it was last read or stored, in microseconds since 1970, as far as the index knows.
  public let accessed: Int64

  /// Where it stands in the list.
  let hash: Int64
}
