import IkranStores

/// Keeps encoded bodies between runs; called on the pipeline's own threads, never on yours.
///
/// Whatever it throws is counted and passed by: a cache that fails never fails a request.
public protocol DataCaching: Sendable {
  /// The body stored under `key`, or nil when there is none.
  func body(for key: String) throws -> [UInt8]?
  /// Stores a body, replacing the one under `key`.
  func store(_ body: [UInt8], for key: String) throws
  /// Forgets the body under `key`.
  func remove(_ key: String) throws
}

extension DiskCache: DataCaching {}
