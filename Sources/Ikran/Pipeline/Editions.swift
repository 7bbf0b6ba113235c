import IkranStores
import Synchronization

/// Numbers the files that reloading brought, for each source reloaded lately.
///
/// The number is part of memory's keys. What was made from a file before a reload, whatever its
/// style, is not found afterwards and ages out, also when it is made later than the reload.
final class Editions: Sendable {
  private let numbers = MemoryCache<String, Int>(byteLimit: .max, countLimit: 10_000)
  private let last = Atomic(0)

  /// The number of a source's newest file; 0 when it was not reloaded.
  ///
  /// A program that never reloads pays one load.
  func current(of source: String) -> Int {
    guard last.load(ordering: .relaxed) > 0 else { return 0 }
    return numbers.value(for: source) ?? 0
  }

  /// Begins a source's next edition.
  func begin(_ source: String) -> Int {
    let next = last.wrappingAdd(1, ordering: .relaxed).newValue
    numbers.store(next, cost: 0, for: source)
    return next
  }
}
