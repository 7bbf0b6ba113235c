/// Keeps encoded bodies between runs; called on the pipeline's own threads, never on yours.
///
/// Whatever it throws is counted and passed by: a cache that fails never fails a request. A cache
/// that keeps no `extended` data is fine, too: what it holds is then good until it drops it.
public protocol DataCaching: Sendable {
  /// The body stored under `key`, or nil when there is none.
  func body(for key: String) throws -> [UInt8]?
  /// Stores a body, replacing the one under `key`.
  func store(_ body: [UInt8], for key: String) throws
  /// Forgets the body under `key`.
  func remove(_ key: String) throws
  /// Whether a body is stored under `key`; unless you do better, it is read to find out.
  func contains(_ key: String) throws -> Bool
  /// Forgets every body.
  func removeAll() throws

  /// The body stored under `key` with what was stored beside it.
  func entry(for key: String) throws -> DiskCacheEntry?
  /// What was stored beside the body under `key`; nil when there is no body.
  func extended(for key: String) throws -> [UInt8]?
  /// Stores a body and what the pipeline needs to know of it later.
  func store(_ body: [UInt8], extended: [UInt8], for key: String) throws
  /// Replaces what is stored beside the body under `key`; false when there is no body.
  func extend(_ extended: [UInt8], for key: String) throws -> Bool
}

extension DataCaching {
  /// Reads the body to find out whether there is one.
  public func contains(_ key: String) throws -> Bool { try body(for: key) != nil }

  /// The body, with nothing beside it.
  public func entry(for key: String) throws -> DiskCacheEntry? {
    try body(for: key).map { DiskCacheEntry(body: $0, extended: [], stored: 0) }
  }

  /// Nothing.
  public func extended(for key: String) throws -> [UInt8]? { nil }

  /// Stores the body alone.
  public func store(_ body: [UInt8], extended: [UInt8], for key: String) throws {
    try store(body, for: key)
  }

  /// Does nothing.
  public func extend(_ extended: [UInt8], for key: String) throws -> Bool { false }
}

extension DiskCache: DataCaching {}
