import IkranPOSIX

/// A value behind a lock, with threads that sleep until it changes.
final class Monitor<Value>: @unchecked Sendable {  // every access to `value` holds `mutex`
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the lock held; it wakes no thread.
  func withLock<R>(_ body: (inout Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Sleeps until `body`, which runs with the lock held, returns a result.
  func wait<R>(for body: (inout Value) -> R?) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Wakes one thread that waits.
  func wakeOne() { pthread_cond_signal(condition) }

  /// Wakes all threads that wait.
  func wakeAll() { pthread_cond_broadcast(condition) }
}
