import IkranSystem

/// Which transfer may start: the most urgent one among the hosts with room, while there is room in
/// all.
///
/// The rules of ``DownloadScheduler`` and of ``CurlTransport``: a value with no lock, task or clock
/// in it. A change costs O(log n) of what waits, however many hosts there are.
package struct TransferQueue<Element> {
  /// Which of two equally urgent elements starts first.
  package enum Order {
    /// The one that was enqueued first.
    case firstInFirstOut
    /// The one that was enqueued last.
    case lastInFirstOut
    /// One of each host in turn; of one host, the one that was enqueued first.
    case roundRobin
  }

  /// What ``next(at:)`` found.
  package enum Next {
    case start(Element)
    /// The rate lets none start before this moment, in microseconds.
    case wait(until: Int64)
    case none
  }

  /// How a transfer ended, as far as it tells something about its host.
  package enum Ending {
    /// ``receiveFirstByte(from:at:)`` was called for it.
    case responded
    /// The host sent nothing.
    case silent
    /// No request was sent.
    case unused
  }

  /// An element that waits.
  private struct Waiting {
    let host: String
    let element: Element
  }

  /// One host's transfers.
  private struct HostQueue {
    var running = 0
    var limit: Int
    /// By rank.
    var waiting = PriorityHeap()
    /// The id under which `ready` has this host; nil while it is full or has none that waits.
    var readyID: UInt64?

    /// The element that starts next; nil while the host is full or none waits.
    mutating func first() -> (id: UInt64, priority: Int)? {
      running < limit ? waiting.first() : nil
    }
  }

  /// The most elements that run at once.
  package var limit: Int
  /// While true none starts.
  package var isSuspended = false
  /// The number of elements that run.
  package private(set) var running = 0
  private let limitPerHost: Int
  private let order: Order
  private var bucket: TokenBucket?
  /// Nil when silence changes nothing.
  private var silence: SilentHosts?
  private var hosts: [String: HostQueue] = [:]
  /// The hosts from which an element may start.
  private var ready = PriorityHeap()
  private var readyHosts: [UInt64: String] = [:]
  private var nextReadyID: UInt64 = 0
  /// By rank.
  private var elements: [UInt64: Waiting] = [:]

  /// Makes an empty queue; limits under 1 count as 1.
  ///
  /// After `maximumSilence` microseconds a host that sends nothing counts as silent; nil never
  /// does.
  package init(
    limit: Int,
    limitPerHost: Int,
    order: Order,
    rate: RequestRate? = nil,
    maximumSilence: Int64? = nil
  ) {
    self.limit = limit
    self.limitPerHost = max(1, limitPerHost)
    self.order = order
    bucket = rate.map { TokenBucket($0) }
    silence = maximumSilence.map { SilentHosts(patience: $0) }
  }

  /// The number of elements that wait.
  package var waiting: Int { elements.count }

  /// The highest priority among the elements that wait; nil when none does.
  ///
  /// Visits every host.
  package var highestPriority: Int? {
    mutating get {
      hosts.indices.reduce(nil as Int?) { highest, index in
        guard let first = hosts.values[index].waiting.first() else { return highest }
        return max(highest ?? first.priority, first.priority)
      }
    }
  }

  /// Lets an element wait; `id` is unique among those that wait.
  package mutating func enqueue(_ element: Element, id: UInt64, host: String, priority: Int = 0) {
    let rank = rank(of: id)
    if hosts.index(forKey: host) == nil { hosts[host] = HostQueue(limit: limitPerHost) }
    guard let index = hosts.index(forKey: host) else { return }
    // The host is changed where it lies: a copy would copy its queue.
    hosts.values[index].waiting.add(rank, priority: priority)
    // The host's own string: one for all of its elements.
    elements[rank] = Waiting(host: hosts.keys[index], element: element)
    update(at: index)
  }

  /// Changes the priority of an element that waits; one that started is ignored.
  package mutating func move(_ id: UInt64, to priority: Int) {
    let rank = rank(of: id)
    guard let host = elements[rank]?.host, let index = hosts.index(forKey: host) else { return }
    hosts.values[index].waiting.move(rank, to: priority)
    update(at: index)
  }

  /// Takes out an element that waits; nil when it started or was withdrawn before.
  package mutating func withdraw(_ id: UInt64) -> Element? {
    let rank = rank(of: id)
    guard let waiting = elements.removeValue(forKey: rank),
      let index = hosts.index(forKey: waiting.host)
    else { return nil }
    hosts.values[index].waiting.remove(rank)
    update(at: index)
    return waiting.element
  }

  /// Takes out all elements that wait.
  package mutating func withdrawAll() -> [Element] {
    elements.keys.sorted().compactMap { withdraw(rank(of: $0)) }
  }

  /// The element to start now, which then counts as running.
  ///
  /// - Parameter now: Microseconds; read only when there is a rate or a limit of silence.
  /// - Returns: An element, the moment to try again at, or nothing.
  package mutating func next(at now: @autoclosure () -> Int64 = 0) -> Next {
    guard !isSuspended, !elements.isEmpty else { return .none }
    let now = bucket == nil && silence == nil ? 0 : now()
    for host in silence?.update(at: now) ?? [] { update(host) }
    // Transfers of silent hosts give up their places, as far as there are as many again.
    let silent = min(silence?.transfers ?? 0, max(1, limit))
    guard running - silent < max(1, limit), ready.count > 0 else {
      return silence?.nextUpdate.map { .wait(until: $0) } ?? .none
    }
    if let later = bucket?.take(at: now) { return .wait(until: later) }
    guard let readyID = ready.next(), let host = readyHosts.removeValue(forKey: readyID),
      let index = hosts.index(forKey: host), let rank = hosts.values[index].waiting.next(),
      let element = elements.removeValue(forKey: rank)?.element
    else { return .none }
    running += 1
    hosts.values[index].running += 1
    hosts.values[index].readyID = nil
    silence?.start(host, at: now)
    update(at: index)
    return .start(element)
  }

  /// Notes that the first byte of a running element has arrived; call it once for an element.
  package mutating func receiveFirstByte(from host: String, at now: Int64) {
    silence?.receiveFirstByte(from: host, at: now)
    update(host)
  }

  /// Notes that a running element of a host ended; a host with none running is ignored.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - newLimit: How many the host may run from now on, until none runs or waits; nil changes
  ///     nothing.
  ///   - ending: How it ended.
  package mutating func leave(
    _ host: String,
    newLimit: Int? = nil,
    ending: Ending = .silent
  ) {
    guard let index = hosts.index(forKey: host), hosts.values[index].running > 0 else { return }
    running -= 1
    hosts.values[index].running -= 1
    if let newLimit { hosts.values[index].limit = max(1, newLimit) }
    if ending == .unused { bucket?.refund() }
    if ending != .responded { silence?.end(host, wasSent: ending == .silent) }
    update(at: index)
  }

  /// The number that orders elements of one priority: the lowest goes first.
  private func rank(of id: UInt64) -> UInt64 { order == .lastInFirstOut ? .max - id : id }

  private mutating func update(_ host: String) {
    if let index = hosts.index(forKey: host) { update(at: index) }
  }

  /// Puts a host where it belongs in `ready`; forgets it when nothing runs or waits.
  private mutating func update(at index: Dictionary<String, HostQueue>.Index) {
    let oldID = hosts.values[index].readyID
    let isBlocked = silence?.isBlocked(hosts.keys[index]) ?? false
    guard let first = isBlocked ? nil : hosts.values[index].first() else {
      setReadyID(nil, at: index)
      if hosts.values[index].running == 0, hosts.values[index].waiting.count == 0 {
        silence?.forget(hosts.keys[index])
        hosts.remove(at: index)
      }
      return
    }
    // With round robin a host keeps its turn until it was served.
    let id = order == .roundRobin ? oldID ?? nextReadyID : first.id
    if id == oldID { return ready.move(id, to: first.priority) }
    nextReadyID += 1
    setReadyID(id, at: index)
    ready.add(id, priority: first.priority)
    readyHosts[id] = hosts.keys[index]
  }

  private mutating func setReadyID(_ id: UInt64?, at index: Dictionary<String, HostQueue>.Index) {
    if let oldID = hosts.values[index].readyID {
      ready.remove(oldID)
      readyHosts[oldID] = nil
    }
    hosts.values[index].readyID = id
  }
}
