/// The faults an origin produces on purpose, and its caching headers.
///
/// Random numbers are seeded per request number: the n-th requests of two origins with equal faults
/// have the same outcome.
package struct Faults: Sendable, Hashable {
  /// The delay of every response.
  package var delay: Duration
  /// How many requests fail, and how.
  package var rates: FaultRates
  /// Whether `Range` is ignored and the whole body sent.
  package var ignoresRanges: Bool
  /// Whether responses have a strong `ETag`.
  package var sendsETag: Bool
  /// Seconds of `Cache-Control: max-age`; nil leaves the header out.
  package var maxAge: Int?
  /// Bytes per second of one connection; nil is unlimited.
  package var bandwidth: Int?
  /// The seed of the random numbers.
  package var seed: UInt64

  /// Creates faults; by default there are none, no ETag and no Cache-Control.
  package init(
    delay: Duration = .zero,
    rates: FaultRates = FaultRates(),
    ignoresRanges: Bool = false,
    sendsETag: Bool = false,
    maxAge: Int? = nil,
    bandwidth: Int? = nil,
    seed: UInt64 = 1
  ) {
    self.delay = delay
    self.rates = rates
    self.ignoresRanges = ignoresRanges
    self.sendsETag = sendsETag
    self.maxAge = maxAge
    self.bandwidth = bandwidth
    self.seed = seed
  }
}

/// The shares of all requests (0…1) that get each kind of fault.
package struct FaultRates: Sendable, Hashable {
  /// A 503.
  package var fail: Double
  /// A 429 with `Retry-After: 1`.
  package var throttle: Double
  /// The connection closes without a response or in the middle of the body.
  package var drop: Double
  /// The connection is reset without a response or in the middle of the body.
  package var reset: Double
  /// The Content-Length is right, but the body is truncated.
  package var truncate: Double

  /// Creates rates, whose sum is at most 1; anything over that never happens.
  package init(
    fail: Double = 0,
    throttle: Double = 0,
    drop: Double = 0,
    reset: Double = 0,
    truncate: Double = 0
  ) {
    self.fail = fail
    self.throttle = throttle
    self.drop = drop
    self.reset = reset
    self.truncate = truncate
  }
}

extension Faults {
  /// What happens to one request.
  enum Outcome: Equatable {
    case served
    case refused
    case throttled
    /// The connection closes without sending a byte.
    case dropped
    /// The connection is reset without sending a byte.
    case reset
    /// The body stops after this share of its length.
    case cut(after: Double, resets: Bool = false)
  }

  /// The outcome of request `number`; the rates are shares of all requests.
  func outcome(of number: Int) -> Outcome {
    guard rates != FaultRates() else { return .served }
    var chance = SplitMix(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9)
    var draw = chance.unit()
    func meets(_ rate: Double) -> Bool {
      draw -= rate
      return draw < 0
    }
    if meets(rates.fail) { return .refused }
    if meets(rates.throttle) { return .throttled }
    if meets(rates.drop) { return chance.unit() < 0.5 ? .dropped : .cut(after: 0.5) }
    if meets(rates.reset) {
      return chance.unit() < 0.5 ? .reset : .cut(after: 0.5, resets: true)
    }
    return meets(rates.truncate) ? .cut(after: chance.unit()) : .served
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
