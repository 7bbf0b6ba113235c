import IkranStores
import Synchronization

/// Numbers the files that reloading brought, for each source reloaded lately.
///
/// The number is part of memory's keys. What was made from a file before a reload, whatever its
/// style, is not found afterwards and ages out, also when it is made later than the reload.
final class Editions: Sendable {
  private struct State {
    var numbers: [String: Int] = [:]
    /// The highest number that was forgotten.
    var floor = 0
  }

  private static let limit = 10_000

  private let state = Guarded(State())
  private let last = Atomic(0)

  /// The number of a source's newest file; 0 when it was not reloaded.
  ///
  /// A source whose number was forgotten gets the highest of those forgotten: what was made from its
  /// older files is not found again. A program that never reloads pays one load.
  func current(of source: String) -> Int {
    guard last.load(ordering: .relaxed) > 0 else { return 0 }
    return state.withLock { $0.numbers[source] ?? $0.floor }
  }

  /// Begins a source's next edition.
  func begin(_ source: String) -> Int {
    state.withLock { state in
      let next = last.wrappingAdd(1, ordering: .relaxed).newValue
      state.numbers[source] = next
      // Half at once: each time, sources that were never reloaded get a higher number, too.
      if state.numbers.count > Self.limit {
        let floor = state.numbers.values.sorted()[Self.limit / 2]
        state.numbers = state.numbers.filter { $0.value > floor }
        state.floor = floor
      }
      return next
    }
  }
}
