/// How much a disk cache may hold.
public struct DiskCacheOptions: Sendable, Hashable {
  /// The largest sum of the bodies' bytes; 1 GiB by default.
  ///
  /// The index comes on top: about 0.5 KB an entry.
  public var byteLimit: Int

  /// The largest number of entries; 250,000 by default.
  public var countLimit: Int

  /// Makes options; limits below zero count as zero.
  public init(byteLimit: Int = 1 << 30, countLimit: Int = 250_000) {
    self.byteLimit = max(0, byteLimit)
    self.countLimit = max(0, countLimit)
  }
}

/// What a disk cache holds, and how this process has used it since it was opened.
public struct DiskCacheStatistics: Sendable, Hashable {
  /// Entries held now, those of other processes included.
  public let entries: Int
  /// The sum of their bodies' bytes.
  public let bytes: Int
  /// Reads that returned a body.
  public let hits: Int
  /// Reads that found nothing they could return.
  public let misses: Int
  /// Entries dropped because their bytes were missing or damaged.
  public let dropped: Int
  /// Entries removed to keep within the limits.
  public let evictions: Int
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
