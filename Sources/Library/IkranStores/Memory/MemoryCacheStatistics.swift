/// The contents and use of a memory cache.
public struct MemoryCacheStatistics: Sendable, Hashable {
  /// Look-ups that found a value.
  public let hits: Int
  /// Look-ups that found nothing.
  public let misses: Int
  /// Values evicted to keep within the limits.
  public let evictions: Int
  /// Values held now.
  public let count: Int
  /// The sum of the held values' costs, in bytes.
  public let byteCount: Int
}
