/// What bounds a memory cache, and what follows from it.
@usableFromInline
struct MemoryCacheLimits: Sendable {
  /// The largest sum of costs, in bytes.
  var bytes: Int { didSet { update() } }
  /// The largest number of values.
  @usableFromInline var count: Int
  /// The share of `bytes` that holds in the background, from 0 to 1.
  var backgroundShare: Double { didSet { update() } }
  var isInBackground = false { didSet { update() } }

  /// The limit in force.
  @usableFromInline private(set) var bytesNow = 0
  /// The largest cost of a small value.
  @usableFromInline private(set) var smallCost = 0
  /// What small values may cost together without being evicted for larger ones.
  @usableFromInline private(set) var smallReserve = 0

  init(bytes: Int, count: Int, backgroundShare: Double) {
    self.bytes = max(0, bytes)
    self.count = max(0, count)
    self.backgroundShare = Self.share(backgroundShare)
    update()
  }

  /// A share from 0 to 1; what is no number is 1.
  static func share(_ number: Double) -> Double { number.isNaN ? 1 : min(max(number, 0), 1) }

  private mutating func update() {
    // The product may round up to a number that no Int holds.
    let part = Int(exactly: (Double(bytes) * backgroundShare).rounded(.down)) ?? bytes
    bytesNow = isInBackground ? min(part, bytes) : bytes
    smallCost = min(MemoryCacheDefaults.smallCost, bytes / MemoryCacheDefaults.smallShare)
    smallReserve = bytesNow / MemoryCacheDefaults.reserveShare
  }
}
