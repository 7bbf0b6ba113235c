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

    var isIdle: Bool { active == 0 && turns.isEmpty }

    /// Lets a job start when there is room, else has it wait for its turn.
    mutating func enter(_ id: UInt64, hasRoom: Bool) -> (starts: Bool, isFirstToWait: Bool) {
      if hasRoom && active < limit && turns.isEmpty {
        active += 1
        return (true, false)
      }
      turns.append(id)
      return (false, turns.count == 1)
    }

    /// The job whose turn has come; nil when all that waited were withdrawn.
    mutating func nextTurn(from waiting: inout [UInt64: CurlJob]) -> CurlJob? {
      var job: CurlJob?
      while job == nil, head < turns.count {
        job = waiting.removeValue(forKey: turns[head])
        head += 1
      }
      if head == turns.count { (turns, head) = ([], 0) }
      if job != nil { active += 1 }
      return job
    }
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
    // The lane is changed where it lies: a copy would copy the line of those who wait.
    let (starts, isFirstToWait) = lanes[origin, default: Lane(limit: connectionsPerHost)]
      .enter(job.id, hasRoom: active < total)
    if starts {
      active += 1
      return job
    }
    if isFirstToWait { rotation.append(origin) }
    waiting[job.id] = job
    return nil
  }

  /// Notes that a started job ended.
  ///
  /// - Parameters:
  ///   - origin: Where it went.
  ///   - isMultiplexed: Whether the host turned out to share one connection between transfers.
  mutating func leave(_ origin: String, isMultiplexed: Bool) {
    guard let index = lanes.index(forKey: origin) else { return }
    active -= 1
    lanes.values[index].active -= 1
    if isMultiplexed { lanes.values[index].limit = max(connectionsPerHost, streamsPerHost) }
    if lanes.values[index].isIdle { lanes.remove(at: index) }
  }

  /// The job whose turn has come, to be started now; nil when none may start.
  mutating func next() -> CurlJob? {
    guard active < total else { return nil }
    var position = 0
    while position < rotation.count {
      guard let index = lanes.index(forKey: rotation[position]) else {
        rotation.remove(at: position)
        continue
      }
      guard lanes.values[index].active < lanes.values[index].limit else {
        position += 1
        continue
      }
      let origin = rotation.remove(at: position)
      let job = lanes.values[index].nextTurn(from: &waiting)
      if job != nil { active += 1 }
      if !lanes.values[index].turns.isEmpty { rotation.append(origin) }
      if lanes.values[index].isIdle { lanes.remove(at: index) }
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
}
