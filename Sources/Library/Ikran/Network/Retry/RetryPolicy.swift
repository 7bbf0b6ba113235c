import IkranTransport

/// How often a download that failed is tried again, and after how long.
///
/// Only what can succeed later is tried again: a host that is not found, no connection, a timeout,
/// a transfer that stalled, a connection that broke, a proxy that fails, and the statuses 408, 425,
/// 429, 500, 502, 503, 504 and those from 520 to 529, with which proxies report servers that fail.
/// Another status, a refused certificate or a file that is no image is final.
///
/// A host may not be found because its name does not exist, or because no name server responds for
/// a moment. libcurl reports both alike, so both are retried: a wrong name fails two short waits
/// later, which is better than losing every image while a laptop wakes up.
public struct RetryPolicy: Sendable {
  /// The waits between tries.
  public enum Delay: Sendable {
    /// This wait before each retry.
    case fixed(Duration)
    /// `step` before the first retry, twice that before the second, and so on.
    case accumulated(step: Duration)
    /// Between half of `base` and `base`, doubled with each retry, at most `longest`; the part that
    /// is left to chance keeps many clients from coming back at the same moment.
    case exponential(base: Duration, longest: Duration)
    /// Whatever the closure returns for the number of the retry, which starts at 1; nil gives up.
    ///
    /// It is asked once for each retry, before the try that may make it necessary.
    case custom(@Sendable (Int) -> Duration?)
  }

  /// The most retries after the first try; 0 never tries again.
  public var maximum: Int
  /// The waits between tries.
  public var delay: Delay
  /// The longest `Retry-After` that is waited for; a server that asks for more ends the download.
  ///
  /// What a server asked for is remembered, for an hour at most: for the source, and with 429 and
  /// 503 for its whole host. Other requests wait as well, each as often as it may be retried, or
  /// fail with ``ImageError/retryLater(status:until:url:)`` when that is longer than this or than
  /// their timeout.
  public var longestRetryAfter: Duration

  /// Creates a policy.
  public init(maximum: Int, delay: Delay, longestRetryAfter: Duration = .seconds(30)) {
    self.maximum = maximum
    self.delay = delay
    self.longestRetryAfter = longestRetryAfter
  }

  /// Never tries again.
  public static let none = RetryPolicy(maximum: 0, delay: .fixed(.zero))

  /// Waits that double: about a fifth of a second, two fifths, four fifths, and so on.
  public static func exponential(
    maximum: Int,
    base: Duration = .milliseconds(250),
    longest: Duration = .seconds(10)
  ) -> RetryPolicy {
    RetryPolicy(maximum: maximum, delay: .exponential(base: base, longest: longest))
  }

  /// Waits that are equal before each retry.
  public static func fixed(maximum: Int, delay: Duration = .seconds(3)) -> RetryPolicy {
    RetryPolicy(maximum: maximum, delay: .fixed(delay))
  }

  /// How long to wait before a retry, whose number starts at 1; nil when there is none.
  ///
  /// `chance` is a number from 0 to 1.
  func waitingTime(before retry: Int, retryAfter: Duration?, chance: Double) -> Duration? {
    guard retry <= maximum else { return nil }
    if let retryAfter { return retryAfter <= longestRetryAfter ? retryAfter : nil }
    switch delay {
    case .fixed(let delay): return delay
    case .accumulated(let step): return step * retry
    case .exponential(let base, let longest):
      let doubled = base * Double(1 << min(retry - 1, 30))
      return min(doubled, longest) * (0.5 + 0.5 * chance)
    case .custom(let delay): return delay(retry)
    }
  }
}
