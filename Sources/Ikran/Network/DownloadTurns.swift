import IkranStores

/// Whose turn it is to download: the rules of ``DownloadQueue``, with no lock, task or clock in
/// them.
struct DownloadTurns<Waiter> {
  private struct Lane {
    var active = 0
    var waiting = JobQueue<Waiter>()
  }

  /// What ``next(at:)`` found.
  enum Turn {
    case begin(Waiter)
    /// Nobody may begin before this moment, in microseconds.
    case pause(until: Int64)
    case none
  }

  var options: QueueOptions
  var isSuspended = false
  private var bucket: TokenBucket?
  private var active = 0
  private var lanes: [String: Lane] = [:]
  private var hosts: [UInt64: String] = [:]

  init(_ options: QueueOptions) {
    self.options = options
    bucket = options.rate.map { TokenBucket($0) }
  }

  /// The number of downloads that wait.
  var waiting: Int { hosts.count }
  /// The number of downloads under way.
  var running: Int { active }
  /// The highest priority among those that wait; nil when none does.
  var urgency: Int? {
    mutating get { lanes.keys.compactMap { lanes[$0]?.waiting.first()?.priority }.max() }
  }

  /// Lines up; `id` is unique and grows with every call.
  mutating func enter(_ waiter: Waiter, id: UInt64, host: String, priority: Int) {
    // Among equals the lowest number goes first.
    let place = options.order == .lastInFirstOut ? UInt64.max - id : id
    hosts[place] = host
    lanes[host, default: Lane()].waiting.add(waiter, id: place, priority: priority)
  }

  mutating func move(_ id: UInt64, to priority: Int) {
    guard let (place, host) = place(of: id) else { return }
    lanes[host]?.waiting.move(place, to: priority)
  }

  /// Takes a waiter out; nil when its turn came already.
  mutating func withdraw(_ id: UInt64) -> Waiter? {
    guard let (place, host) = place(of: id) else { return nil }
    hosts[place] = nil
    defer { drop(host) }
    return lanes[host]?.waiting.remove(place)
  }

  /// Notes that a download of a host ended.
  mutating func leave(_ host: String) {
    active -= 1
    lanes[host]?.active -= 1
    drop(host)
  }

  /// Whose download begins now; `now` is in microseconds.
  mutating func next(at now: Int64) -> Turn {
    guard !isSuspended, active < max(1, options.maximumConcurrent), let host = mostUrgentHost()
    else { return .none }
    if let later = bucket?.take(at: now) { return .pause(until: later) }
    guard let (place, waiter) = lanes[host]?.waiting.nextWithID() else { return .none }
    hosts[place] = nil
    active += 1
    lanes[host]?.active += 1
    return .begin(waiter)
  }

  /// The host with room whose first waiter goes before those of the others.
  private mutating func mostUrgentHost() -> String? {
    var best: (host: String, priority: Int, place: UInt64)?
    for host in lanes.keys where (lanes[host]?.active ?? 0) < max(1, options.maximumPerHost) {
      guard let first = lanes[host]?.waiting.first() else { continue }
      if let best, (best.priority, first.id) > (first.priority, best.place) { continue }
      best = (host, first.priority, first.id)
    }
    return best?.host
  }

  private func place(of id: UInt64) -> (place: UInt64, host: String)? {
    if let host = hosts[id] { return (id, host) }
    let place = UInt64.max - id
    return hosts[place].map { (place, $0) }
  }

  private mutating func drop(_ host: String) {
    guard let lane = lanes[host], lane.active == 0, lane.waiting.count == 0 else { return }
    lanes[host] = nil
  }
}

/// So many at once, then so many a second.
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
}
