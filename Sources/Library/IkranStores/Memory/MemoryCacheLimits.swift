/// The limits of a memory cache, and the numbers derived from them.
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
  /// The costs up to which small values are not evicted for large ones.
  @usableFromInline private(set) var smallReserve = 0

  init(bytes: Int, count: Int, backgroundShare: Double) {
    self.bytes = max(0, bytes)
    self.count = max(0, count)
    self.backgroundShare = Self.share(backgroundShare)
    update()
  }

  /// Clamps a share to 0…1; not-a-number becomes 1.
  static func share(_ number: Double) -> Double { number.isNaN ? 1 : min(max(number, 0), 1) }

  private mutating func update() {
    // The product may round up to a number that does not fit an Int.
    let part = Int(exactly: (Double(bytes) * backgroundShare).rounded(.down)) ?? bytes
    bytesNow = isInBackground ? min(part, bytes) : bytes
    smallCost = min(MemoryCacheDefaults.smallCost, bytes / MemoryCacheDefaults.smallShare)
    smallReserve = bytesNow / MemoryCacheDefaults.reserveShare
  }
}
