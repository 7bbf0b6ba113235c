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
