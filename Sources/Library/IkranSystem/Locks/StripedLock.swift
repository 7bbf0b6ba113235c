/// A value that is read by many threads and rarely changed, with a small state for each stripe of
/// readers.
///
/// A read takes one uncontended lock, about 10 ns; a change takes all of them, one for each stripe.
@usableFromInline
package final class StripedLock<Value: ~Copyable, Stripe>: @unchecked Sendable {  // by `locks`
  @usableFromInline let locks: StripeLocks
  // Pointers: reading a stored property may retain its value, whose count all threads would share.
  @usableFromInline let value: UnsafeMutablePointer<Value>
  @usableFromInline let stripes: UnsafeMutableRawPointer
  @usableFromInline let stride: Int

  /// Creates one with `count` stripes, a power of two: 1 where threads seldom read at the same
  /// time.
  package init(_ value: consuming sending Value, count: Int, stripe: () -> sending Stripe) {
    locks = StripeLocks(count: count)
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    stride = (MemoryLayout<Stripe>.size / StripeLocks.stride + 1) * StripeLocks.stride
    stripes = .allocate(byteCount: count * stride, alignment: StripeLocks.stride)
    for number in 0..<count {
      (stripes + number * stride).initializeMemory(as: Stripe.self, to: stripe())
    }
  }

  deinit {
    for number in 0..<locks.count { stripe(number).deinitialize(count: 1) }
    stripes.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
    locks.destroy()
  }

  /// Reads the value, concurrently with other threads; may change the state of this thread's
  /// stripe.
  // Inlinable for the memory cache; see `MemoryCache.value(for:)`.
  @inlinable
  package func read<R: Sendable>(_ body: (borrowing Value, inout Stripe) -> R) -> R {
    let number = locks.current()
    locks.lock(number)
    defer { locks.unlock(number) }
    return body(value.pointee, &stripe(number).pointee)
  }

  /// Changes the value: first calls `gathered` with the state of each stripe, then `body`.
  @inlinable
  package func change<R: Sendable>(
    takingIn gathered: (inout Value, inout Stripe) -> Void,
    _ body: (inout Value) -> R
  ) -> R {
    for number in 0..<locks.count { locks.lock(number) }
    defer { for number in 0..<locks.count { locks.unlock(number) } }
    for number in 0..<locks.count { gathered(&value.pointee, &stripe(number).pointee) }
    return body(&value.pointee)
  }

  @inlinable
  package func stripe(_ number: Int) -> UnsafeMutablePointer<Stripe> {
    (stripes + number * stride).assumingMemoryBound(to: Stripe.self)
  }
}
