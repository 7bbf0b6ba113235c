import Glibc

/// A door that holds a thread, for work that is not asynchronous.
public final class ThreadLatch: Sendable {
  private let semaphore: UnsafeSemaphore

  /// Creates a shut door.
  public init() { semaphore = UnsafeSemaphore() }

  /// Blocks the calling thread until the door opens, then lets the next one through too.
  public func wait() {
    sem_wait(semaphore.raw)
    sem_post(semaphore.raw)
  }

  /// Waits like `wait()`, but for so many seconds at most; false when the door stayed shut.
  public func wait(seconds: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += seconds
    while sem_timedwait(semaphore.raw, &end) != 0 {
      guard errno == EINTR else { return false }
    }
    sem_post(semaphore.raw)
    return true
  }

  /// Opens the door for good.
  public func open() { sem_post(semaphore.raw) }

  private final class UnsafeSemaphore: @unchecked Sendable {  // a semaphore is made for threads
    let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(raw, 0, 0) }

    deinit {
      sem_destroy(raw)
      raw.deallocate()
    }
  }
}
