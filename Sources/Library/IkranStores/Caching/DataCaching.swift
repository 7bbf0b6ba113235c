/// A cache of encoded bodies that outlives the process; called on several background threads, also
/// at the same time.
///
/// The pipeline counts errors and continues without the cache: a cache that fails never fails a
/// request. A cache may ignore the `extended` data; its bodies then stay fresh until it removes
/// them.
public protocol DataCaching: BlockingStore {
  /// The body stored under `key`, or nil when there is none.
  func body(for key: String) throws -> [UInt8]?
  /// Stores a body, replacing the one under `key`.
  func store(_ body: [UInt8], for key: String) throws
  /// Removes the body under `key`.
  func remove(_ key: String) throws
  /// Whether a body is stored under `key`; the default implementation reads it.
  func contains(_ key: String) throws -> Bool
  /// Removes every body.
  func removeAll() throws

  /// The body stored under `key` with its additional data.
  func entry(for key: String) throws -> DiskCacheEntry?
  /// The additional data of the body under `key`; nil when there is no body.
  func extended(for key: String) throws -> [UInt8]?
  /// Stores a body with the additional data that the pipeline needs later.
  func store(_ body: [UInt8], extended: [UInt8], for key: String) throws
  /// Replaces the additional data of the body under `key`; false when there is no body.
  func extend(_ extended: [UInt8], for key: String) throws -> Bool
}

extension DataCaching {
  /// Reads the body to check whether there is one.
  public func contains(_ key: String) throws -> Bool { try body(for: key) != nil }

  /// The body, without additional data.
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
