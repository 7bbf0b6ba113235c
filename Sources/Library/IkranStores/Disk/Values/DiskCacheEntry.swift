/// An entry of a disk cache.
public struct DiskCacheEntry: Sendable, Hashable {
  /// The body, byte for byte as it was stored.
  public let body: [UInt8]
  /// Additional data of the caller, such as HTTP header fields; empty when there is none.
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

/// An entry in the list of a disk cache, without its body.
package struct DiskCacheItem: Sendable, Hashable {
  /// The key it is stored under.
  package let key: String
  /// The bytes of the body before compression and encryption.
  package let bodyBytes: Int
  /// The stored bytes of the body and the extended data.
  package let storedBytes: Int
  /// When the body was stored, in microseconds since 1970.
  package let stored: Int64
  /// When it was last read or stored, in microseconds since 1970; recent reads may be missing.
  package let accessed: Int64

  /// Its position in the list.
  let hash: Int64
}
