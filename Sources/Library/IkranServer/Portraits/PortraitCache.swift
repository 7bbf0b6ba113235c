import IkranSystem

/// Drawn portraits; the least recently used are evicted first.
final class PortraitCache: Sendable {
  private struct Entry {
    let entity: Entity
    var served: Int
  }
  private struct State {
    var entries: [Portraits.Name: Entry] = [:]
    var byteCount = 0
    var clock = 0
  }
  private let state = Guarded(State())
  private let byteLimit: Int

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// The bytes stored at this moment.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// The portrait if it is still cached.
  func entity(_ name: Portraits.Name) -> Entity? {
    state.withLock { state in
      state.clock += 1
      state.entries[name]?.served = state.clock
      return state.entries[name]?.entity
    }
  }

  /// Stores a portrait and evicts others down to the limit.
  func store(_ entity: Entity, for name: Portraits.Name) {
    state.withLock { state in
      let old = state.entries.updateValue(Entry(entity: entity, served: state.clock), forKey: name)
      state.byteCount += entity.count - (old?.entity.count ?? 0)
      // A search per evicted portrait is slow, but rare compared to drawing.
      while state.byteCount > byteLimit,
        let oldest = state.entries.min(by: { $0.value.served < $1.value.served })
      {
        state.byteCount -= oldest.value.entity.count
        state.entries[oldest.key] = nil
      }
    }
  }
}
