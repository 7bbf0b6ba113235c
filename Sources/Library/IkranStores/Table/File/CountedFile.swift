import IkranPixels
import Synchronization
import IkranSystem

// Decision 55: one count for a look-up and its picture.
/// A table's file, and how many look-ups and retrieved pictures use it.
///
/// Each counts itself in and out with one atomic operation, in one of sixteen stripes on separate
/// cache lines: the reference count of an object is one word, which all threads would change. A
/// closed file is released when the last use ends, and another one may be opened in its place.
///
/// Invariant: the uses are the sum of `begun` less that of `ended`. Closing sets the highest bit of
/// each word. A use that finds it in `begun` has not begun; one that finds it in `ended` is
/// subtracted from `rest`, to which closing adds what it has read. So one thread brings `rest` to
/// 0: it releases the file.
final class CountedFile: PixelOwner, @unchecked Sendable {  // atomic
  private struct Stripe: ~Copyable {
    let begun = Atomic<UInt64>(0)
    let ended = Atomic<UInt64>(0)
    let misses = Atomic(0)
    /// Uses that are no look-ups.
    let others = Atomic(0)
  }

  private static let closed: UInt64 = 1 << 63
  /// More than there are uses: before `rest` has their number it is never 0.
  private static let bias = 1 << 62

  private let file = Atomic<Unmanaged<TableFile>?>(nil)
  /// This object while a file is open: uses do not retain it.
  private let itself = Atomic<Unmanaged<CountedFile>?>(nil)
  private let rest = Atomic(0)
  private let stripes: UnsafeMutableRawPointer

  init() {
    stripes = .allocate(
      byteCount: StripeLocks.maximumCount * StripeLocks.stride,
      alignment: StripeLocks.stride
    )
    for number in 0..<StripeLocks.maximumCount {
      (stripes + number * StripeLocks.stride).initializeMemory(as: Stripe.self, to: Stripe())
    }
  }

  deinit { stripes.deallocate() }

  // MARK: - Opening and closing

  /// Whether no file is open and no use is left.
  var isUnused: Bool { file.load(ordering: .acquiring) == nil }

  /// Opens a file, if it is unused; its counts begin at 0.
  ///
  /// A look-up that is late may still count itself in where the last file was: it then uses this
  /// one.
  func open(_ file: TableFile) {
    itself.store(.passRetained(self), ordering: .relaxed)
    self.file.store(.passRetained(file), ordering: .relaxed)
    rest.store(Self.bias, ordering: .relaxed)
    for number in 0..<StripeLocks.maximumCount {
      let stripe = stripe(number)
      stripe.pointee.misses.store(0, ordering: .relaxed)
      stripe.pointee.others.store(0, ordering: .relaxed)
      stripe.pointee.ended.store(0, ordering: .relaxed)
      stripe.pointee.begun.store(0, ordering: .releasing)
    }
  }

  /// Lets no more uses begin, and releases the file when the last one ends.
  ///
  /// It must be called once for each file, when look-ups can no longer find it.
  func close() {
    var uses: UInt64 = 0
    for number in 0..<StripeLocks.maximumCount {
      uses &+= set(stripe(number).pointee.begun) &- set(stripe(number).pointee.ended)
    }
    leave(Self.bias &- Int(truncatingIfNeeded: uses))
  }

  private func set(_ word: borrowing Atomic<UInt64>) -> UInt64 {
    word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
  }

  private func leave(_ count: Int) {
    let left = rest.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue
    guard left == 0 else { return }
    let itself = itself.exchange(nil, ordering: .relaxed)
    file.exchange(nil, ordering: .acquiringAndReleasing)?.release()
    itself?.release()
  }

  // MARK: - Uses

  /// Runs a look-up in the file; false when it was closed.
  ///
  /// The use goes on when `body` finds a picture, whose memory ends it. Nil is a miss.
  @inline(__always)
  func lookUp<R>(_ body: (CountedFile, TableFile, UInt64) -> R?, found: inout R?) -> Bool {
    let number = StripeLocks.threadStripe()
    guard let (file, before) = begin(number) else { return false }
    let others = stripe(number).pointee.others.load(ordering: .relaxed)
    let count = before &- UInt64(truncatingIfNeeded: others)
    found = file._withUnsafeGuaranteedRef { body(self, $0, count) }
    if found == nil {
      stripe(number).pointee.misses.wrappingAdd(1, ordering: .relaxed)
      end(number)
    }
    return true
  }

  /// The file; nil when it was closed.
  func read() -> TableFile? {
    let number = StripeLocks.threadStripe()
    stripe(number).pointee.others.wrappingAdd(1, ordering: .relaxed)
    guard let (file, _) = begin(number) else { return nil }
    defer { end(number) }
    return file._withUnsafeGuaranteedRef { $0 }
  }

  /// The file, and how many uses have begun in this stripe before; nil when it was closed.
  @inline(__always)
  private func begin(_ number: Int) -> (Unmanaged<TableFile>, UInt64)? {
    let before = stripe(number).pointee.begun.wrappingAdd(1, ordering: .acquiring).oldValue
    guard before & Self.closed == 0, let file = file.load(ordering: .relaxed) else { return nil }
    return (file, before)
  }

  @inline(__always)
  private func end(_ number: Int) {
    let ended = stripe(number).pointee.ended
      .wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    if ended & Self.closed != 0 { leave(1) }
  }

  static func unpin(_ slot: Int, of owner: Unmanaged<AnyObject>) {
    owner._withUnsafeGuaranteedRef {
      let counted = unsafeDowncast($0, to: Self.self)
      counted.file.load(ordering: .relaxed)?._withUnsafeGuaranteedRef { $0.unpin(slot) }
      counted.end(StripeLocks.threadStripe())
    }
  }

  // MARK: - Counts

  /// Counts the hit of a repeated look-up, whose first attempt counted as a miss.
  func noteHit() {
    stripe(StripeLocks.threadStripe()).pointee.misses.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Hits and misses of look-ups in the file.
  var counts: (hits: Int, misses: Int) {
    var sum = (hits: 0, misses: 0)
    for number in 0..<StripeLocks.maximumCount {
      let stripe = stripe(number)
      let misses = stripe.pointee.misses.load(ordering: .relaxed)
      let begun = stripe.pointee.begun.load(ordering: .relaxed) & ~Self.closed
      let others = stripe.pointee.others.load(ordering: .relaxed)
      sum.hits += Int(begun) - others - misses
      sum.misses += misses
    }
    return sum
  }

  @inline(__always)
  private func stripe(_ number: Int) -> UnsafeMutablePointer<Stripe> {
    (stripes + number &* StripeLocks.stride).assumingMemoryBound(to: Stripe.self)
  }
}
