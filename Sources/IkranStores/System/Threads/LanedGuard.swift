/// A value that many threads read and few change, with a small state for each lane of readers.
///
/// A read takes one uncontended lock, about 10 ns; a change takes sixteen.
@usableFromInline
final class LanedGuard<Value: ~Copyable, Lane>: @unchecked Sendable {  // `locks` guard it
  @usableFromInline let locks: LaneLocks
  // Pointers, as reading a stored property may retain what is in it, which all threads share.
  @usableFromInline let value: UnsafeMutablePointer<Value>
  @usableFromInline let lanes: UnsafeMutableRawPointer
  @usableFromInline let stride: Int

  init(_ value: consuming sending Value, lane: () -> sending Lane) {
    locks = LaneLocks()
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    stride = (MemoryLayout<Lane>.size / LaneLocks.stride + 1) * LaneLocks.stride
    lanes = .allocate(byteCount: LaneLocks.count * stride, alignment: LaneLocks.stride)
    for number in 0..<LaneLocks.count {
      (lanes + number * stride).initializeMemory(as: Lane.self, to: lane())
    }
  }

  deinit {
    for number in 0..<LaneLocks.count { lane(number).deinitialize(count: 1) }
    lanes.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
    locks.destroy()
  }

  /// Reads the value, and may change the state of this thread's lane; other threads read it, too.
  // Inlinable for the memory cache; see `MemoryCache.value(for:)`.
  @inlinable
  func read<R: Sendable>(_ body: (borrowing Value, inout Lane) -> R) -> R {
    let number = LaneLocks.current()
    locks.lock(number)
    defer { locks.unlock(number) }
    return body(value.pointee, &lane(number).pointee)
  }

  /// Changes the value: first takes in what each lane has gathered, then runs `body`.
  @inlinable
  func change<R: Sendable>(
    takingIn gathered: (inout Value, inout Lane) -> Void,
    _ body: (inout Value) -> R
  ) -> R {
    for number in 0..<LaneLocks.count { locks.lock(number) }
    defer { for number in 0..<LaneLocks.count { locks.unlock(number) } }
    for number in 0..<LaneLocks.count { gathered(&value.pointee, &lane(number).pointee) }
    return body(&value.pointee)
  }

  @inlinable
  func lane(_ number: Int) -> UnsafeMutablePointer<Lane> {
    (lanes + number * stride).assumingMemoryBound(to: Lane.self)
  }
}
