/// Hosts that have sent nothing for a while although transfers wait for their first byte
/// (decision 59).
///
/// A silent host starts one transfer at a time: when none waits any more, or the last one has
/// waited for too long as well. Its first byte ends that. A value with no clock in it; all times
/// are microseconds.
struct SilentHosts {
  private struct Host {
    /// Transfers that wait for their first byte.
    var awaiting = 0
    /// When the host was last heard, or when the first of these transfers started.
    var since: Int64
    /// When the last of them started; nil when the next one may start at once.
    var lastStart: Int64?
    var isSilent = false
    /// Whether none may start now.
    var isBlocked = false
  }

  private let patience: Int64
  private var hosts: [String: Host] = [:]
  private var next = Int64.max
  /// The transfers of silent hosts that wait for their first byte.
  private(set) var transfers = 0

  init(patience: Int64) { self.patience = max(1, patience) }

  /// When ``update(at:)`` may find a change; nil when time alone changes nothing.
  var nextUpdate: Int64? { next < .max ? next : nil }

  /// Whether a silent host may start none now.
  func isBlocked(_ host: String) -> Bool { hosts[host]?.isBlocked ?? false }

  /// Notes that a transfer starts.
  mutating func start(_ host: String, at now: Int64) {
    var entry = hosts[host] ?? Host(since: now)
    if entry.awaiting == 0, !entry.isSilent { entry.since = now }
    entry.awaiting += 1
    entry.lastStart = now
    entry.isBlocked = entry.isSilent
    if entry.isSilent { transfers += 1 }
    hosts[host] = entry
    next = min(next, end(of: now))
  }

  /// Notes the first byte of a transfer.
  mutating func receiveFirstByte(from host: String, at now: Int64) {
    guard var entry = hosts[host], entry.awaiting > 0 else { return }
    if entry.isSilent { transfers -= entry.awaiting }
    entry.awaiting -= 1
    entry.since = now
    (entry.isSilent, entry.isBlocked) = (false, false)
    hosts[host] = entry.awaiting > 0 ? entry : nil
    if entry.awaiting > 0 { next = min(next, end(of: now)) }
  }

  /// Notes that a transfer ended without a byte; `wasSent` is whether it sent a request.
  mutating func end(_ host: String, wasSent: Bool) {
    guard var entry = hosts[host], entry.awaiting > 0 else { return }
    entry.awaiting -= 1
    if entry.isSilent { transfers -= 1 }
    if !wasSent { entry.lastStart = nil }
    if entry.awaiting == 0 || !wasSent { entry.isBlocked = false }
    hosts[host] = entry.awaiting > 0 || entry.isSilent ? entry : nil
  }

  /// Forgets a host of which no transfer runs or waits.
  mutating func forget(_ host: String) { hosts[host] = nil }

  /// Finds the hosts that are silent now, and those that may start another transfer.
  ///
  /// Cost: nothing before ``nextUpdate``; then it visits the hosts that have transfers.
  ///
  /// - Returns: The hosts that may have changed.
  mutating func update(at now: Int64) -> [String] {
    guard now >= next else { return [] }
    next = .max
    var changed: [String] = []
    for (host, old) in hosts where old.awaiting > 0 {
      var entry = old
      if !entry.isSilent {
        let moment = end(of: min(entry.since, now))
        guard moment <= now else {
          next = min(next, moment)
          continue
        }
        entry.isSilent = true
        transfers += entry.awaiting
      }
      let moment = entry.lastStart.map { end(of: min($0, now)) } ?? now
      entry.isBlocked = moment > now
      if entry.isBlocked { next = min(next, moment) }
      hosts[host] = entry
      changed.append(host)
    }
    return changed
  }

  private func end(of start: Int64) -> Int64 {
    let (end, overflow) = start.addingReportingOverflow(patience)
    return overflow ? .max : end
  }
}
