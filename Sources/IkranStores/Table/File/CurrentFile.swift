import Synchronization

/// The file that a table uses now, which look-ups on any thread read without a lock, and their counts.
///
/// Invariant: a file is released only when no look-up that may have read it is under way. Each look-up
/// counts itself in when it begins and out, as a hit or a miss, when it has retained what it found.
/// Threads do so in sixteen stripes, on separate cache lines. After another file has been stored, a
/// stripe whose two sums are once equal has no look-up that knows the old one.
final class CurrentFile: @unchecked Sendable {  // atomic, but for what `exchange` owns
  /// The look-ups of one stripe.
  private struct Stripe: ~Copyable {
    let begun = Atomic(0)
    let hits = Atomic(0)
    let misses = Atomic(0)
  }

  private let file: Atomic<Unmanaged<StrongTableFile>>
  private let stripes: UnsafeMutableRawPointer

  init(_ file: StrongTableFile) {
    self.file = Atomic(Unmanaged.passRetained(file))
    stripes = .allocate(
      byteCount: StripeLocks.count * StripeLocks.stride,
      alignment: StripeLocks.stride
    )
    for number in 0..<StripeLocks.count {
      (stripes + number * StripeLocks.stride).initializeMemory(as: Stripe.self, to: Stripe())
    }
  }

  deinit {
    file.load(ordering: .acquiring).release()
    stripes.deallocate()
  }

  /// Runs a look-up in the file; nil counts as a miss.
  ///
  /// `body` may keep what it retains; it must not wait.
  @inline(__always)
  func lookUp<R>(_ body: (StrongTableFile) -> R?) -> R? {
    let stripe = stripe(StripeLocks.current())
    // Ordered with the exchange of the file: at least one side sees what the other has done.
    stripe.pointee.begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let file = file.load(ordering: .sequentiallyConsistent)
    let result = file._withUnsafeGuaranteedRef(body)
    if result != nil {
      stripe.pointee.hits.wrappingAdd(1, ordering: .releasing)
    } else {
      stripe.pointee.misses.wrappingAdd(1, ordering: .releasing)
    }
    return result
  }

  /// Counts the hit of a repeated look-up, whose first attempt counted as a miss.
  func noteHit() {
    let stripe = stripe(StripeLocks.current())
    // In this order the look-ups that have ended are never too many.
    stripe.pointee.misses.wrappingSubtract(1, ordering: .releasing)
    stripe.pointee.hits.wrappingAdd(1, ordering: .releasing)
  }

  /// The file; counts as no look-up.
  func read() -> StrongTableFile {
    let stripe = stripe(StripeLocks.current())
    stripe.pointee.begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { stripe.pointee.begun.wrappingSubtract(1, ordering: .releasing) }
    return file.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef { $0 }
  }

  /// Stores another file and waits, nanoseconds in general, until no look-up uses the old one, which it
  /// returns.
  ///
  /// One thread at a time.
  func exchange(_ new: StrongTableFile) -> StrongTableFile {
    let old = file.exchange(Unmanaged.passRetained(new), ordering: .sequentiallyConsistent)
    for number in 0..<StripeLocks.count {
      while hasLookUps(stripe(number)) { BackgroundThread.yield() }
    }
    return old.takeRetainedValue()
  }

  private func hasLookUps(_ stripe: UnsafeMutablePointer<Stripe>) -> Bool {
    // What has ended is read first: what begins in between makes the sums differ.
    let hits = stripe.pointee.hits.load(ordering: .acquiring)
    let misses = stripe.pointee.misses.load(ordering: .acquiring)
    return stripe.pointee.begun.load(ordering: .sequentiallyConsistent) != hits &+ misses
  }

  /// Hits and misses so far.
  var counts: (hits: Int, misses: Int) {
    var sum = (hits: 0, misses: 0)
    for number in 0..<StripeLocks.count {
      sum.hits += stripe(number).pointee.hits.load(ordering: .relaxed)
      sum.misses += stripe(number).pointee.misses.load(ordering: .relaxed)
    }
    return sum
  }

  @inline(__always)
  private func stripe(_ number: Int) -> UnsafeMutablePointer<Stripe> {
    (stripes + number &* StripeLocks.stride).assumingMemoryBound(to: Stripe.self)
  }
}
