package import IkranPOSIX

// Decision 3: locks are pthread mutexes.
/// A value behind a lock; ``StripedLock`` is the alternative where readers on many threads meet.
///
/// It is a pthread mutex: ThreadSanitizer sees it (it reports every access through
/// `Synchronization.Mutex` as a race), and uncontended it costs 5 ns where `Mutex` costs 12.
package final class Guarded<Value>: @unchecked Sendable {  // every access to `value` holds `raw`
  @usableFromInline let raw = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline var value: Value

  /// Guards a value.
  ///
  /// With `spinning`, a waiting thread spins for a moment before it sleeps, which is faster for
  /// critical sections that are shorter than waking a thread; where no mutex spins, it sleeps.
  package init(_ value: sending Value, spinning: Bool = false) {
    self.value = value
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    if spinning, let kind = Platform.spinningMutex {
      pthread_mutexattr_settype(&attributes, kind)
    }
    pthread_mutex_init(raw, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(raw)
    raw.deallocate()
  }

  /// Runs `body` with the lock held; keep callbacks, I/O and continuations out of it.
  @inlinable
  package func withLock<R, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending R
  ) throws(E) -> sending R {
    pthread_mutex_lock(raw)
    defer { pthread_mutex_unlock(raw) }
    return try body(&value)
  }

  /// Runs `body` if no thread holds the lock; nil when one does.
  ///
  /// C function: `pthread_mutex_trylock`.
  @inlinable
  package func withLockIfAvailable<R, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending R
  ) throws(E) -> sending R? {
    guard pthread_mutex_trylock(raw) == 0 else { return nil }
    defer { pthread_mutex_unlock(raw) }
    return try body(&value)
  }
}
