/// Who may use the network now: so many transfers per host, so many in all, first come first
/// served.
///
/// libcurl has limits of its own, but there a transfer that waits already spends its time-out.
/// A value with no lock, thread or clock in it.
struct CurlAdmission {
  private struct Lane {
    var active = 0
    var limit: Int
    /// In order of arrival, from `head` on; jobs that were withdrawn are no longer in `waiting`.
    var turns: [UInt64] = []
    var head = 0
  }

  private let connectionsPerHost: Int
  private let streamsPerHost: Int
  private let total: Int
  private var active = 0
  private var lanes: [String: Lane] = [:]
  private var waiting: [UInt64: CurlJob] = [:]
  /// The hosts that may have waiting jobs; the one served last is at the end.
  private var rotation: [String] = []

  init(connectionsPerHost: Int, streamsPerHost: Int, total: Int) {
    self.connectionsPerHost = max(1, connectionsPerHost)
    self.streamsPerHost = max(1, streamsPerHost)
    self.total = max(1, total)
  }

  /// Takes a job in.
  ///
  /// - Returns: The job when it may start at once, nil when it waits.
  mutating func enter(_ job: CurlJob) -> CurlJob? {
    let origin = job.address.origin
    var lane = lanes[origin] ?? Lane(limit: connectionsPerHost)
    defer { lanes[origin] = lane }
    if active < total && lane.active < lane.limit && lane.turns.isEmpty {
      active += 1
      lane.active += 1
      return job
    }
    if lane.turns.isEmpty { rotation.append(origin) }
    lane.turns.append(job.id)
    waiting[job.id] = job
    return nil
  }

  /// Notes that a started job ended.
  ///
  /// - Parameters:
  ///   - origin: Where it went.
  ///   - isMultiplexed: Whether the host turned out to share one connection between transfers.
  mutating func leave(_ origin: String, isMultiplexed: Bool) {
    guard var lane = lanes[origin] else { return }
    active -= 1
    lane.active -= 1
    if isMultiplexed { lane.limit = max(connectionsPerHost, streamsPerHost) }
    lanes[origin] = lane.active == 0 && lane.turns.isEmpty ? nil : lane
  }

  /// The job whose turn has come, to be started now; nil when none may start.
  mutating func next() -> CurlJob? {
    guard active < total else { return nil }
    var position = 0
    while position < rotation.count {
      let origin = rotation[position]
      guard var lane = lanes[origin] else {
        rotation.remove(at: position)
        continue
      }
      guard lane.active < lane.limit else {
        position += 1
        continue
      }
      rotation.remove(at: position)
      let job = nextTurn(in: &lane)
      if job != nil {
        active += 1
        lane.active += 1
      }
      if !lane.turns.isEmpty { rotation.append(origin) }
      lanes[origin] = lane.active == 0 && lane.turns.isEmpty ? nil : lane
      if let job { return job }
    }
    return nil
  }

  /// Takes a waiting job out; nil when it does not wait here.
  mutating func withdraw(_ id: UInt64) -> CurlJob? { waiting.removeValue(forKey: id) }

  /// Takes all waiting jobs out.
  mutating func withdrawAll() -> [CurlJob] {
    defer { waiting = [:] }
    return Array(waiting.values)
  }

  private mutating func nextTurn(in lane: inout Lane) -> CurlJob? {
    while lane.head < lane.turns.count {
      let job = waiting.removeValue(forKey: lane.turns[lane.head])
      lane.head += 1
      if let job {
        if lane.head == lane.turns.count { (lane.turns, lane.head) = ([], 0) }
        return job
      }
    }
    (lane.turns, lane.head) = ([], 0)
    return nil
  }
}
