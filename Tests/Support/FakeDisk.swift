package import IkranStores

/// A disk cache in memory that can be told to fail, and to wait before it stores.
package final class FakeDisk: DataCaching {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let bodies = Guarded([String: DiskCacheEntry]())
  private let failure: Failure?
  private let beforeStore: @Sendable () -> Void

  package var keys: [String] { bodies.withLock { Array($0.keys) } }

  package init(failure: String? = nil, beforeStore: @escaping @Sendable () -> Void = {}) {
    self.failure = failure.map { Failure(description: $0) }
    self.beforeStore = beforeStore
  }

  package func body(for key: String) throws -> [UInt8]? { try entry(for: key)?.body }

  package func entry(for key: String) throws -> DiskCacheEntry? {
    if let failure { throw failure }
    return bodies.withLock { $0[key] }
  }

  package func extended(for key: String) throws -> [UInt8]? { try entry(for: key)?.extended }

  package func store(_ body: [UInt8], for key: String) throws {
    try store(body, extended: [], for: key)
  }

  package func store(_ body: [UInt8], extended: [UInt8], for key: String) throws {
    beforeStore()
    if let failure { throw failure }
    bodies.withLock { $0[key] = DiskCacheEntry(body: body, extended: extended, stored: 0) }
  }

  package func extend(_ extended: [UInt8], for key: String) throws -> Bool {
    if let failure { throw failure }
    return bodies.withLock { bodies in
      guard let entry = bodies[key] else { return false }
      bodies[key] = DiskCacheEntry(body: entry.body, extended: extended, stored: entry.stored)
      return true
    }
  }

  package func remove(_ key: String) throws {
    if let failure { throw failure }
    bodies.withLock { _ = $0.removeValue(forKey: key) }
  }

  package func removeAll() throws {
    if let failure { throw failure }
    bodies.withLock { $0 = [:] }
  }
}
