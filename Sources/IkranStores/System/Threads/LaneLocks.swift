import Glibc
import Synchronization

/// Sixteen locks, each on cache lines of its own, of which every thread has its favourite.
///
/// A value guarded by them is read with one's own lock held and changed with all of them held.
/// Readers on different threads then share no memory that any of them writes.
@usableFromInline
struct LaneLocks: @unchecked Sendable {  // the memory is only touched through pthread calls
  /// Two 64-byte lines: processors fetch them in pairs.
  static let stride = 128

  @usableFromInline static let count = 16

  private let memory: UnsafeMutableRawPointer

  /// Makes the locks; `destroy` frees them.
  init() {
    memory = .allocate(byteCount: Self.count * Self.stride, alignment: Self.stride)
    for lane in 0..<Self.count {
      (memory + lane * Self.stride).bindMemory(to: pthread_mutex_t.self, capacity: 1)
      pthread_mutex_init(mutex(lane), nil)
    }
  }

  func destroy() {
    for lane in 0..<Self.count { pthread_mutex_destroy(mutex(lane)) }
    memory.deallocate()
  }

  @usableFromInline
  func lock(_ lane: Int) { pthread_mutex_lock(mutex(lane)) }

  @usableFromInline
  func unlock(_ lane: Int) { pthread_mutex_unlock(mutex(lane)) }

  private func mutex(_ lane: Int) -> UnsafeMutablePointer<pthread_mutex_t> {
    (memory + lane * Self.stride).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  /// The lane of this thread; threads get them in turn, at their first call.
  @usableFromInline
  static func current() -> Int {
    if let number = pthread_getspecific(threadNumber) {
      return Int(bitPattern: number) & (count - 1)
    }
    let number = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
    // A number, not an address: the low bits say the lane, and nil means none yet.
    pthread_setspecific(threadNumber, UnsafeRawPointer(bitPattern: number | 1 << 62))
    return number & (count - 1)
  }

  private static let nextNumber = Atomic(0)
  private static let threadNumber: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
