/// What an origin does wrong on purpose, and how it lets itself be cached.
///
/// Chance is seeded per request number: the n-th request of two origins with equal faults meets
/// the same fate.
public struct Faults: Sendable, Hashable {
  /// How long every answer is held back.
  public var delay: Duration
  /// The share of requests (0…1) answered with 503.
  public var failRate: Double
  /// The share of requests (0…1) whose connection closes without an answer or in mid body.
  public var dropRate: Double
  /// The share of requests (0…1) whose full length is announced but not sent.
  public var truncateRate: Double
  /// Whether `Range` is ignored and the whole body sent.
  public var ignoresRanges: Bool
  /// Whether answers carry a strong `ETag`.
  public var sendsETag: Bool
  /// Seconds of `Cache-Control: max-age`; nil leaves the header out.
  public var maxAge: Int?
  /// Where the chances start from.
  public var seed: UInt64

  /// Creates faults; by default there are none, no ETag and no Cache-Control.
  public init(
    delay: Duration = .zero,
    failRate: Double = 0,
    dropRate: Double = 0,
    truncateRate: Double = 0,
    ignoresRanges: Bool = false,
    sendsETag: Bool = false,
    maxAge: Int? = nil,
    seed: UInt64 = 1
  ) {
    self.delay = delay
    self.failRate = failRate
    self.dropRate = dropRate
    self.truncateRate = truncateRate
    self.ignoresRanges = ignoresRanges
    self.sendsETag = sendsETag
    self.maxAge = maxAge
    self.seed = seed
  }
}

extension Faults {
  /// What happens to one request.
  enum Fate: Equatable {
    case served
    case refused
    /// The connection closes and not a byte is sent.
    case dropped
    /// The body stops after this share of its length.
    case cut(after: Double)
  }

  /// Decides about request `number`; the rates are shares of all requests, in the order fail,
  /// drop, truncate.
  func fate(of number: Int) -> Fate {
    guard failRate > 0 || dropRate > 0 || truncateRate > 0 else { return .served }
    var chance = SplitMix(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9)
    let draw = chance.unit()
    if draw < failRate { return .refused }
    if draw < failRate + dropRate { return chance.unit() < 0.5 ? .dropped : .cut(after: 0.5) }
    if draw < failRate + dropRate + truncateRate { return .cut(after: chance.unit()) }
    return .served
  }
}

/// A small reproducible random sequence.
///
/// SplitMix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
struct SplitMix: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number in `range`.
  mutating func number(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// An index below `count`, which is positive.
  mutating func index(below count: Int) -> Int { Int(next() >> 33) % count }

  /// True with this probability.
  mutating func chance(_ probability: Double) -> Bool { unit() < probability }
}
