import Ikran
import IkranStores

/// A disk cache in memory that can be told to fail, and to wait before it stores.
final class FakeDisk: DataCaching {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let bodies = Guarded([String: [UInt8]]())
  private let failure: Failure?
  private let beforeStore: @Sendable () -> Void

  var keys: [String] { bodies.withLock { Array($0.keys) } }

  init(failure: String? = nil, beforeStore: @escaping @Sendable () -> Void = {}) {
    self.failure = failure.map { Failure(description: $0) }
    self.beforeStore = beforeStore
  }

  func body(for key: String) throws -> [UInt8]? {
    if let failure { throw failure }
    return bodies.withLock { $0[key] }
  }

  func store(_ body: [UInt8], for key: String) throws {
    beforeStore()
    if let failure { throw failure }
    bodies.withLock { $0[key] = body }
  }

  func remove(_ key: String) throws {
    if let failure { throw failure }
    bodies.withLock { _ = $0.removeValue(forKey: key) }
  }
}
