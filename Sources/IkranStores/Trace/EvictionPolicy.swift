/// A rule for which value leaves a full cache, as ``PolicySimulator`` tries it.
///
/// All of them count bytes. Where a rule needs a share of the cache, it is that of its paper.
public enum EvictionPolicy: String, Sendable, Hashable, CaseIterable {
  /// The value stored first leaves first.
  case fifo
  /// The value unused for longest leaves first.
  case lru
  /// Two lists by last use: values used again are in the larger, which holds four fifths.
  case slru
  /// The value stored first leaves, unless it was used since the hand last passed it.
  case sieve
  /// New values pass through a tenth of the cache, and stay when used twice there or when they had
  /// left it lately.
  case s3fifo
  /// New values pass through a fifth of the cache by last use, then replace a value used less
  /// often.
  case tinylfu
  /// The rule of ``MemoryCache``, by the cache itself: last use, small values safe from large ones.
  case sized
  /// What no rule can beat, not even one that knows the future.
  ///
  /// A value kept between two uses takes its bytes for that time. The cheapest of these are counted
  /// as hits until all the cache's bytes at all times are given away. That leaves out that they
  /// must be given away at the right time, so it is a bound, and Belady's rule stays below it.
  case belady
}
