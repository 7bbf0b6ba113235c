import IkranPOSIX
import Synchronization

/// Up to sixteen locks, each on separate cache lines; every thread is assigned one of them.
///
/// A reader holds its thread's lock, a writer holds all of them. Readers on different threads then
/// share no memory that any of them writes.
@usableFromInline
package struct StripeLocks: @unchecked Sendable {  // only pthread calls touch the memory
  /// Two 64-byte lines: processors fetch them in pairs.
  @inlinable package static var stride: Int { 128 }

  /// The most locks.
  @inlinable package static var maximumCount: Int { 16 }

  /// How many locks keep the readers apart that run at the same time: a power of two, twice as many
  /// as there are processors.
  package static let countForManyReaders: Int = {
    let processors = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    return (0...4).map { 1 << $0 }.first { $0 >= 2 * processors } ?? maximumCount
  }()

  @usableFromInline package let count: Int
  private let memory: UnsafeMutableRawPointer

  /// Makes the locks, a power of two and at most ``maximumCount``; `destroy` frees them.
  init(count: Int) {
    self.count = count
    memory = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
    for stripe in 0..<count {
      (memory + stripe * Self.stride).bindMemory(to: pthread_mutex_t.self, capacity: 1)
      pthread_mutex_init(mutex(stripe), nil)
    }
  }

  func destroy() {
    for stripe in 0..<count { pthread_mutex_destroy(mutex(stripe)) }
    memory.deallocate()
  }

  /// The lock of this thread.
  @usableFromInline
  func current() -> Int { Self.threadStripe() & (count - 1) }

  @usableFromInline
  package func lock(_ stripe: Int) { pthread_mutex_lock(mutex(stripe)) }

  @usableFromInline
  package func unlock(_ stripe: Int) { pthread_mutex_unlock(mutex(stripe)) }

  private func mutex(_ stripe: Int) -> UnsafeMutablePointer<pthread_mutex_t> {
    (memory + stripe * Self.stride).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// The stripe of this thread, of sixteen; threads get stripes in turn, at their first call.
  @usableFromInline
  package static func threadStripe() -> Int {
    if let number = pthread_getspecific(threadNumber) {
      return Int(bitPattern: number) & (maximumCount - 1)
    }
    let number = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
    // A number, not an address: the low bits are the stripe; the high bit tells it from nil.
    pthread_setspecific(threadNumber, UnsafeRawPointer(bitPattern: number | 1 << 62))
    return number & (maximumCount - 1)
  }

  private static let nextNumber = Atomic(0)
  private static let threadNumber: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
