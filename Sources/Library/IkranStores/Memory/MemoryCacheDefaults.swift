import IkranSystem

/// The default limits of a memory cache.
@usableFromInline
package enum MemoryCacheDefaults {
  /// An eighth of the memory that this process may use (a control group's limit counts), but at
  /// least 16 MiB and at most 512 MiB.
  @usableFromInline package static let byteLimit = PhysicalMemory.cacheShare

  /// 100,000 values, which limits the memory of the entries themselves, about 200 bytes each.
  @usableFromInline package static let countLimit = 100_000

  /// A quarter of the byte limit applies while the program is in the background.
  @usableFromInline package static let backgroundShare = 0.25

  // A value is small when it costs at most `smallCost` bytes and at most 1 / `smallShare` of the
  // limit. Small values are not evicted for large ones while they cost at most 1 / `reserveShare`
  // of it.
  static let smallCost = 100_000
  static let smallShare = 256
  static let reserveShare = 4
}
