/// A burst of requests, then so many a second.
struct TokenBucket {
  private let interval: Double
  private let burst: Double
  private var tokens: Double
  private var filled: Int64?

  init(_ rate: RequestRate) {
    interval = 1_000_000 / max(rate.perSecond, 1e-6)
    burst = Double(max(1, rate.burst))
    tokens = burst
  }

  /// Takes a token; when there is none, the moment at which there will be one, in microseconds.
  mutating func take(at now: Int64) -> Int64? {
    // A clock that was set back gives no tokens, and takes none away.
    let passed = max(0, Double(now) - Double(filled ?? now))
    tokens = min(burst, tokens + passed / interval)
    filled = now
    if tokens >= 1 {
      tokens -= 1
      return nil
    }
    return now + Int64(((1 - tokens) * interval).rounded(.up))
  }

  /// Takes a token back that was not used.
  mutating func refund() { tokens = min(burst, tokens + 1) }
}
