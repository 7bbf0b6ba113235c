import IkranStores

/// One operation on a table.
package enum TableOperation: Equatable, Sendable {
  case put(id: UInt64, version: UInt64)
  case draw(id: UInt64, version: UInt64)
  case failToDraw(id: UInt64)
  case get(id: UInt64)
  case getStale(id: UInt64)
  case remove(id: UInt64)
  case removeAll(version: UInt64)
  case verify
  case compact
  case reset
  case reopen
}

/// An endless sequence of operations that repeats for a seed.
package struct TableOperations: Sendable {
  private var state: UInt64
  private var count: UInt64 = 0
  private let ids: UInt64

  /// The versions of the pictures start with the low half of the seed.
  package init(seed: UInt64, ids: UInt64) {
    state = seed
    versions = seed << 32
    self.ids = ids
  }

  private let versions: UInt64

  /// The next operation: mostly puts and gets.
  package mutating func next() -> TableOperation {
    let id = random(ids)
    switch random(1000) {
    case 0..<300: return .put(id: id, version: nextVersion())
    case 300..<450: return .draw(id: id, version: nextVersion())
    case 450..<480: return .failToDraw(id: id)
    case 480..<800: return .get(id: id)
    case 800..<840: return .getStale(id: id)
    case 840..<950: return .remove(id: id)
    case 950..<965: return .removeAll(version: versions | max(1, count / 4) - random(2))
    case 965..<970: return .verify
    case 970..<980: return .compact
    case 980..<982: return .reset
    case 982..<990: return .reopen
    default: return .put(id: id, version: nextVersion())
    }
  }

  /// Four pictures in a row share a version.
  private mutating func nextVersion() -> UInt64 {
    count += 1
    return versions | count / 4
  }

  /// A random number below a bound, also for the callers of this generator.
  package mutating func random(_ bound: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % bound
  }
}

extension TableModel {
  /// Applies the operation to the model; returns the entries that it evicts.
  @discardableResult
  package mutating func apply(_ operation: TableOperation) -> [Entry] {
    switch operation {
    case .put(let id, let version), .draw(let id, let version): return put(id, version: version)
    // The eviction happens before the drawing, also if the drawing fails.
    case .failToDraw(let id): return makeRoom(for: id)
    case .get(let id): _ = use(id)
    case .remove(let id): remove(id)
    case .removeAll(let version): removeAll(version: version)
    case .reset: reset()
    case .getStale, .verify, .compact, .reopen: break
    }
    return []
  }
}
