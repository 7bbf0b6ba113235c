import Synchronization

/// How a disk cache has been used; counted without its lock.
final class DiskCacheCounters: Sendable {
  let hits = Atomic(0)
  let misses = Atomic(0)
  let dropped = Atomic(0)
  let evictions = Atomic(0)
  let rebuilds = Atomic(0)

  func statistics(entries: Int, bytes: Int) -> DiskCacheStatistics {
    DiskCacheStatistics(
      entries: entries,
      bytes: bytes,
      hits: hits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed),
      dropped: dropped.load(ordering: .relaxed),
      evictions: evictions.load(ordering: .relaxed),
      rebuilds: rebuilds.load(ordering: .relaxed)
    )
  }
}
