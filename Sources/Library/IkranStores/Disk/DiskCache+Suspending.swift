import Synchronization
import IkranSystem

// Decision 96: a suspended process holds no lock of a file.
extension DiskCache {
  /// Lets running calls end, writes the recorded reads, and closes the index with all its locks,
  /// until ``resume()``.
  ///
  /// Until then look-ups find nothing, here and in read-only folders, and changes throw
  /// ``DiskCacheError/suspended(path:)``; other processes use the cache as if this one had closed
  /// it. To suspend twice is to suspend once.
  ///
  /// Cost: a transaction, and that of the last connection, which copies the log into the index and
  /// waits for the disk.
  public func suspend() {
    isSuspended.store(true, ordering: .sequentiallyConsistent)
    let time = now()
    // A thread that holds one of these locks has looked at the flag before. The last connection to
    // close copies the log into the index, which a reader cannot.
    reader.withLock { reset(&$0) }
    state.withLock { state in
      leaveParent(&state)
      flush(state.index, time)
      reset(&state)
    }
    for cache in readOnlyCaches { cache.suspend() }
  }

  /// Ends a suspension: the next call opens the index again.
  public func resume() {
    isSuspended.store(false, ordering: .sequentiallyConsistent)
    for cache in readOnlyCaches { cache.resume() }
  }

  /// Throws while the cache is suspended; for certain only with a lock of a state held.
  func checkSuspension() throws(DiskCacheError) {
    guard isSuspended.load(ordering: .sequentiallyConsistent) else { return }
    throw .suspended(path: files.directory)
  }

  /// Runs a look-up; nil while the cache is suspended.
  func unlessSuspended<R>(
    _ lookUp: () throws(DiskCacheError) -> R?
  ) throws(DiskCacheError) -> R? {
    do throws(DiskCacheError) { return try lookUp() } catch .suspended { return nil }
  }
}
