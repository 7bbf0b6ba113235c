import Synchronization
import IkranSystem

/// Slots of drawings whose pixels in a file the program may have kept.
final class KeptDrawings: Sendable {
  private let slots = Guarded<Set<Int>>([])
  private let isEmpty = Atomic(true)

  var all: Set<Int> { slots.withLock { $0 } }

  func insert(_ slot: Int) {
    slots.withLock { slots in
      slots.insert(slot)
      isEmpty.store(false, ordering: .relaxed)
    }
  }

  /// A slot has another picture: what was drawn there has ended.
  ///
  /// One load where there is none.
  func remove(_ slot: Int) {
    guard !isEmpty.load(ordering: .relaxed) else { return }
    slots.withLock { slots in
      slots.remove(slot)
      isEmpty.store(slots.isEmpty, ordering: .relaxed)
    }
  }
}
