import IkranTransport

// Decision 21: stored responses are validated by RFC 9111.
/// Whether a stored response may be used, by its age (RFC 9111, section 4.2, and RFC 5861).
enum Freshness: Sendable, Hashable {
  /// It may be used until this moment: microseconds since 1970.
  case fresh(until: Int64)
  /// It may be used while the origin is asked whether it still holds.
  case staleWhileRevalidate
  /// The origin has to be asked first; when that fails it may be used all the same, or not.
  case stale(usableOnError: Bool)

  private static let second: Int64 = 1_000_000
  /// The clock may be set back by this much before ages are doubted.
  private static let slack = 60 * second

  /// Evaluates a response at a moment: microseconds since 1970.
  init(of response: StoredResponse, at now: Int64) {
    let control = response.cacheControl
    // Only requests that never ask have such a response stored: for others it is as if it was not.
    if control.noStore {
      self = .stale(usableOnError: false)
      return
    }
    let mayFail = !control.mustRevalidate && !control.noCache
    guard !control.noCache, now >= response.received - Self.slack else {
      self = .stale(usableOnError: mayFail)
      return
    }
    let age = Self.age(of: response, at: now)
    let explicit = Self.lifetime(of: response, by: control)
    let lifetime = explicit ?? Self.heuristicLifetime(of: response)
    if age < lifetime {
      self = .fresh(until: now + (lifetime - age))
      return
    }
    let staleness = (age - lifetime) / Self.second
    let isUnbounded = explicit == nil && response.isHeuristicallyCacheable
    let window = control.staleWhileRevalidate ?? (isUnbounded ? .max : 0)
    self =
      mayFail && staleness < window
      ? .staleWhileRevalidate
      : .stale(usableOnError: mayFail && staleness < control.staleIfError ?? .max)
  }

  /// Whether it may be shown, at least when its origin cannot be asked.
  var mayBeShown: Bool { self != .stale(usableOnError: false) }

  /// The response's current age in microseconds (RFC 9111, section 4.2.3).
  static func age(of response: StoredResponse, at now: Int64) -> Int64 {
    // The first of several ages counts (RFC 9111, section 5.1).
    let first = response.header("age").map { trimmed($0.prefix { $0 != "," }) }
    let given = Int64(CacheControl.seconds(first.map(String.init))) * second
    let delay = max(0, response.received - response.requested)
    let apparent = date(in: response, field: "date").map { max(0, response.received - $0) } ?? 0
    return max(apparent, given + delay) + max(0, now - response.received)
  }

  /// The lifetime that the response names, in microseconds: `max-age`, else `Expires`; nil when it
  /// has neither.
  private static func lifetime(of response: StoredResponse, by control: CacheControl) -> Int64? {
    if let seconds = control.maxAge { return Int64(seconds) * second }
    guard response.header("expires") != nil else { return nil }
    let sent = date(in: response, field: "date") ?? response.received
    return date(in: response, field: "expires").map { max(0, $0 - sent) } ?? 0
  }

  /// The lifetime of a response that names none, in microseconds: a tenth of the time since its
  /// last change, at most seven days (RFC 9111, section 4.2.2); zero without a date of change, and
  /// with a status that is not heuristically cacheable.
  private static func heuristicLifetime(of response: StoredResponse) -> Int64 {
    guard response.isHeuristicallyCacheable,
      let changed = date(in: response, field: "last-modified")
    else {
      return 0
    }
    let sent = date(in: response, field: "date") ?? response.received
    return min(max((sent - changed) / 10, 0), 7 * 86_400 * second)
  }

  private static func date(in response: StoredResponse, field name: String) -> Int64? {
    response.header(name).flatMap { HTTPDate.seconds($0) }.map { Int64($0) * second }
  }
}
