/// The contents and use of a memory cache.
package struct MemoryCacheStatistics: Sendable, Hashable {
  /// Look-ups that found a value.
  package let hits: Int
  /// Look-ups that found nothing.
  package let misses: Int
  /// Values evicted to keep within the limits.
  package let evictions: Int
  /// Values held now.
  package let count: Int
  /// The sum of the held values' costs, in bytes.
  package let bytes: Int
}
