import Synchronization

/// How a disk cache has been used; counted without its lock.
final class DiskCacheCounters: Sendable {
  let hits = Atomic(0)
  let misses = Atomic(0)
  let dropped = Atomic(0)
  let evictions = Atomic(0)
  let expired = Atomic(0)
  let rebuilds = Atomic(0)
  let stores = Atomic(0)

  func statistics(entries: Int, bytes: Int) -> DiskCacheStatistics {
    DiskCacheStatistics(
      entries: entries,
      bytes: bytes,
      hits: hits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed),
      dropped: dropped.load(ordering: .relaxed),
      evictions: evictions.load(ordering: .relaxed),
      expired: expired.load(ordering: .relaxed),
      rebuilds: rebuilds.load(ordering: .relaxed)
    )
  }
}

/// What a disk cache holds, and how this process has used it since it was opened.
public struct DiskCacheStatistics: Sendable, Hashable {
  /// Entries held now, those of other processes included.
  public let entries: Int
  /// The bytes they take up: bodies as they are kept, and extended data.
  public let bytes: Int
  /// Reads that returned a body.
  public let hits: Int
  /// Reads that found nothing they could return.
  public let misses: Int
  /// Entries dropped because their bytes were missing or damaged.
  public let dropped: Int
  /// Entries removed to keep within the limits.
  public let evictions: Int
  /// Entries removed because they were too old.
  public let expired: Int
  /// How often a damaged index was set aside and begun anew.
  public let rebuilds: Int
}

/// What a check of a whole disk cache found.
public struct DiskCacheVerification: Sendable, Hashable {
  /// Entries whose body was read and compared with its checksum.
  public var checked = 0
  /// Entries dropped because their bytes were missing or damaged.
  public var dropped = 0
  /// Files removed that belonged to no entry.
  public var orphansRemoved = 0
  /// Whether the index itself was damaged, set aside and begun anew.
  public var indexWasRebuilt = false
}
