import IkranStores
import Synchronization

// Decision 5: recent files and decodes stay in memory for a while.
/// Styled images in memory: in the built-in cache, or in the program's own.
final class ImageMemory: Sendable {
  /// The built-in cache; empty when there is another.
  private let own: MemoryCache<StyledKey, CachedImage>
  private let other: (any MemoryCaching<StyledKey, CachedImage>)?
  private let otherHits = Atomic(0)

  init(
    _ options: MemoryOptions,
    cache other: (any MemoryCaching<StyledKey, CachedImage>)?
  ) {
    self.other = other
    own = MemoryCache(
      recallsHeldValues: options.keepsWeakReferences,
      byteLimit: options.byteLimit,
      countLimit: options.maximumCount
    )
  }

  func value(for key: StyledKey) -> CachedImage? {
    guard let other else { return own.value(for: key) }
    let image = other.value(for: key)
    if image != nil { otherHits.wrappingAdd(1, ordering: .relaxed) }
    return image
  }

  func contains(_ key: StyledKey) -> Bool {
    guard let other else { return own.contains(key) }
    return other.contains(key)
  }

  func store(_ image: CachedImage, for key: StyledKey) {
    let cost = image.byteCount
    guard let other else { return own.store(image, cost: cost, for: key) }
    other.store(image, cost: cost, for: key)
  }

  func remove(_ key: StyledKey) {
    guard let other else { return own.remove(key) }
    other.remove(key)
  }

  func removeAll() {
    guard let other else { return own.removeAll() }
    other.removeAll()
  }

  /// Evicts down to so many bytes; a cache of the program's is emptied for none, and left alone
  /// otherwise.
  func trim(toBytes bytes: Int) {
    if let other, bytes == 0 { other.removeAll() }
    own.trim(toBytes: bytes)
  }

  /// Images found so far.
  var hits: Int { own.statistics.hits + otherHits.load(ordering: .relaxed) }

  /// The pipeline's cache alone, without the program's.
  var statistics: MemoryCacheStatistics { own.statistics }

  var byteLimit: Int { own.byteLimit }

  var isInBackground: Bool {
    get { own.isInBackground }
    set { own.isInBackground = newValue }
  }
}
