/// An eviction policy that ``PolicySimulator`` can simulate.
///
/// All of them count bytes. The shares of a cache's parts are those of each policy's paper.
public enum EvictionPolicy: String, Sendable, Hashable, CaseIterable {
  /// First in, first out.
  case fifo
  /// Least recently used.
  case lru
  /// Segmented LRU: values used again are in the larger of two lists, which has four fifths.
  case slru
  /// SIEVE: first in, first out, but a value used since the hand last visited it stays.
  case sieve
  /// S3-FIFO: new values enter a queue of a tenth of the cache, and move to the main queue when
  /// used twice there or stored again soon after leaving it.
  case s3fifo
  /// W-TinyLFU: new values enter an LRU window of a fifth of the cache, then replace a value that
  /// is used less often.
  case tinylfu
  /// The policy of `MemoryCache`, by the cache itself: LRU with size classes.
  case sized
  /// An upper bound of the hits of any policy, also of one that knows the future.
  ///
  /// Holding a value between two uses takes its bytes for that time. The cheapest of these
  /// intervals count as hits until their sum reaches the cache's size times the length of the
  /// trace. The bound ignores the limit at each moment, so Belady's policy has fewer hits.
  case belady
}
