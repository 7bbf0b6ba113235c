import Synchronization

/// Which pictures to begin to write to the disk while more of them come.
///
/// In a table that somebody synchronizes the disk then works while the processor copies, and
/// `synchronize` waits for less. It is begun what has to be done anyway: nothing depends on it.
final class EarlyWrites: Sendable {
  /// Bytes of neighbours that are written together.
  private static let byteCount = 512 << 10
  /// A table that got so many pictures since it was synchronized is left to the kernel.
  private static let patience = 4096

  private let slotCount: Int
  private let expected = Atomic(0)
  private let run = Guarded(0..<0)

  init(slotByteCount: Int) { slotCount = max(1, Self.byteCount / slotByteCount) }

  /// Says that the table is being synchronized, and therefore may be again.
  func expectMore() { expected.store(Self.patience, ordering: .relaxed) }

  /// Takes a slot that has its picture; returns the slots to begin to write now, if any.
  @inline(__always)
  func note(_ slot: Int) -> Range<Int>? {
    expected.load(ordering: .relaxed) > 0 ? noteExpected(slot) : nil
  }

  private func noteExpected(_ slot: Int) -> Range<Int>? {
    expected.wrappingSubtract(1, ordering: .relaxed)
    return run.withLock { run in
      run = slot == run.upperBound ? run.lowerBound..<slot + 1 : slot..<slot + 1
      guard run.count == slotCount else { return nil }
      defer { run = slot + 1..<slot + 1 }
      return run
    }
  }
}
