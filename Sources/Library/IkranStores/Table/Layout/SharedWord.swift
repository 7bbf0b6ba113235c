import Synchronization

/// A 64-bit word of a mapped file, which threads and processes read and change at once.
struct SharedWord {
  private let word: UnsafeMutablePointer<Atomic<UInt64>>

  /// The word at an offset that is a multiple of 8.
  @inline(__always)
  init(_ start: UnsafeMutableRawPointer, _ offset: Int) {
    word = (start + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// The word, with acquire and release order: a reader sees everything written before the store.
  @inline(__always)
  var value: UInt64 {
    get { word.pointee.load(ordering: .acquiring) }
    nonmutating set { word.pointee.store(newValue, ordering: .releasing) }
  }

  /// The word, with relaxed order.
  @inline(__always)
  var relaxed: UInt64 {
    get { word.pointee.load(ordering: .relaxed) }
    nonmutating set { word.pointee.store(newValue, ordering: .relaxed) }
  }

  /// The word, sequentially consistent with `exchange`, `insert` and `remove`.
  @inline(__always)
  var ordered: UInt64 { word.pointee.load(ordering: .sequentiallyConsistent) }

  /// Adds one; returns the sum.
  @inline(__always)
  func increment() -> UInt64 {
    word.pointee.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Adds a number.
  @inline(__always)
  func add(_ count: UInt64) { word.pointee.wrappingAdd(count, ordering: .relaxed) }

  /// Replaces the word by another.
  @inline(__always)
  func exchange(_ value: UInt64) {
    _ = word.pointee.exchange(value, ordering: .sequentiallyConsistent)
  }

  /// Replaces the word if it is `expected`.
  @inline(__always)
  func replace(_ expected: UInt64, by value: UInt64) -> Bool {
    word.pointee
      .compareExchange(expected: expected, desired: value, ordering: .sequentiallyConsistent)
      .exchanged
  }

  /// Sets bits.
  @inline(__always)
  func insert(_ bits: UInt64) {
    _ = word.pointee.bitwiseOr(bits, ordering: .sequentiallyConsistent)
  }

  /// Clears bits.
  @inline(__always)
  func remove(_ bits: UInt64) {
    _ = word.pointee.bitwiseAnd(~bits, ordering: .sequentiallyConsistent)
  }
}
