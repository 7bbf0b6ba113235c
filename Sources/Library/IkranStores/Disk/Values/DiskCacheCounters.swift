import Synchronization

/// Counts the use of a disk cache, without its lock.
final class DiskCacheCounters: Sendable {
  let hits = Atomic(0)
  let misses = Atomic(0)
  let dropped = Atomic(0)
  let evictions = Atomic(0)
  let expired = Atomic(0)
  let rebuilds = Atomic(0)
  /// Those that a verification has reported.
  let verifiedRebuilds = Atomic(0)
  let setAside = Atomic(0)
  let stores = Atomic(0)

  func statistics(count: Int, byteCount: Int) -> DiskCacheStatistics {
    DiskCacheStatistics(
      count: count,
      byteCount: byteCount,
      hits: hits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed),
      dropped: dropped.load(ordering: .relaxed),
      evictions: evictions.load(ordering: .relaxed),
      expired: expired.load(ordering: .relaxed),
      rebuilds: rebuilds.load(ordering: .relaxed),
      setAside: setAside.load(ordering: .relaxed)
    )
  }
}

/// The contents of a disk cache, and how this process has used it since it was opened.
public struct DiskCacheStatistics: Sendable, Hashable {
  /// The number of entries, including those that other processes stored.
  public let count: Int
  /// Their stored bytes: bodies and extended data.
  public let byteCount: Int
  /// Reads that returned a body.
  public let hits: Int
  /// Reads that found no entry, or only a damaged or expired one.
  public let misses: Int
  /// Entries dropped because their bytes were missing or damaged.
  public let dropped: Int
  /// Entries evicted to keep within the limits.
  public let evictions: Int
  /// Expired entries that were removed.
  public let expired: Int
  /// How often a damaged index was replaced by an empty one.
  public let rebuilds: Int
  /// How often a cache of an unknown format was set aside and replaced by an empty one.
  public let setAside: Int
}

/// The result of verifying a whole disk cache.
package struct DiskCacheVerification: Sendable, Hashable {
  /// Entries whose body was read and compared with its checksum.
  package var checked = 0
  /// Entries dropped because their bytes were missing or damaged.
  package var dropped = 0
  /// Files removed that belonged to no entry.
  package var orphansRemoved = 0
  /// Whether the index itself was damaged and replaced by an empty one, when it was opened, or
  /// since the last verification of this cache.
  package var indexWasRebuilt = false
}
