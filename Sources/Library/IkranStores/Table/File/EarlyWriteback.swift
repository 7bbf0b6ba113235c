import Synchronization
import IkranSystem

// Decision 26: a table that is synchronized is written while it is filled.
/// Decides which new pictures to hand to the disk while more of them are put.
///
/// In a table that is synchronized, the disk then works while the processor copies, and
/// `synchronize` waits for less. It is a hint: what makes a picture durable is still `synchronize`.
final class EarlyWriteback: Sendable {
  /// Bytes of neighbouring slots that are written together.
  private static let byteCount = 512 << 10
  /// After this many puts without `synchronize` the pictures are left to the kernel.
  private static let maximumPuts = 4096

  private let slotCount: Int
  private let expected = Atomic(0)
  private let run = Guarded(0..<0)

  init(slotByteCount: Int) { slotCount = max(1, Self.byteCount / slotByteCount) }

  /// Called by `synchronize`, which will probably be called again for the puts that follow.
  func expectMore() { expected.store(Self.maximumPuts, ordering: .relaxed) }

  /// Whether `synchronize` will probably be called soon.
  @inline(__always)
  var isExpected: Bool { expected.load(ordering: .relaxed) > 0 }

  /// Adds a slot that has its picture; returns the slots to write now, if any.
  @inline(__always)
  func add(_ slot: Int) -> Range<Int>? {
    isExpected ? addToRun(slot) : nil
  }

  private func addToRun(_ slot: Int) -> Range<Int>? {
    expected.wrappingSubtract(1, ordering: .relaxed)
    return run.withLock { run in
      run = slot == run.upperBound ? run.lowerBound..<slot + 1 : slot..<slot + 1
      guard run.count == slotCount else { return nil }
      defer { run = slot + 1..<slot + 1 }
      return run
    }
  }
}
