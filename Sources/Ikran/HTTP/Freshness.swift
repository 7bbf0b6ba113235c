/// Whether a kept answer may be used, by its age (RFC 9111, section 4.2, and RFC 5861).
enum Freshness: Sendable, Hashable {
  /// It may be used until this moment: microseconds since 1970.
  case fresh(until: Int64)
  /// It may be used while somebody asks the origin whether it still holds.
  case usableWhileChecked
  /// The origin has to be asked first; when that fails it may be used all the same, or not.
  case stale(usableOnError: Bool)

  private static let second: Int64 = 1_000_000
  /// The clock may be set back by this much before ages are doubted.
  private static let slack = 60 * second

  /// Judges an answer at a moment: microseconds since 1970.
  init(of answer: StoredAnswer, at now: Int64) {
    let control = answer.cacheControl
    let mayFail = !control.mustRevalidate && !control.noCache
    guard !control.noCache, now >= answer.received - Self.slack else {
      self = .stale(usableOnError: mayFail)
      return
    }
    let age = Self.age(of: answer, at: now)
    let lifetime = Self.lifetime(of: answer, control)
    if age < lifetime {
      self = .fresh(until: now + (lifetime - age))
      return
    }
    let staleness = (age - lifetime) / Self.second
    if mayFail, let window = control.staleWhileRevalidate, staleness < window {
      self = .usableWhileChecked
      return
    }
    self = .stale(usableOnError: mayFail && staleness < control.staleIfError ?? .max)
  }

  /// The answer's current age in microseconds (RFC 9111, section 4.2.3).
  static func age(of answer: StoredAnswer, at now: Int64) -> Int64 {
    let given = Int64(CacheControl.seconds(answer.header("age"))) * second
    let delay = max(0, answer.received - answer.requested)
    let apparent = date(answer, "date").map { max(0, answer.received - $0) } ?? 0
    return max(apparent, given + delay) + max(0, now - answer.received)
  }

  /// How long the answer is fresh, in microseconds: `max-age`, else `Expires`, else a guess.
  ///
  /// A tenth of the time since the last change, between an hour and seven days, is what RFC 9111
  /// suggests; without any date, seven days.
  private static func lifetime(of answer: StoredAnswer, _ control: CacheControl) -> Int64 {
    if let seconds = control.maxAge { return Int64(seconds) * second }
    let sent = date(answer, "date") ?? answer.received
    if answer.header("expires") != nil {
      return date(answer, "expires").map { max(0, $0 - sent) } ?? 0
    }
    let (hour, week) = (3600 * second, 7 * 86_400 * second)
    guard let changed = date(answer, "last-modified") else { return week }
    return min(max((sent - changed) / 10, hour), week)
  }

  private static func date(_ answer: StoredAnswer, _ name: String) -> Int64? {
    answer.header(name).flatMap { HTTPDate.seconds($0) }.map { Int64($0) * second }
  }
}
