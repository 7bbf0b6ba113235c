import Support
import Testing

@testable import IkranTransport

struct TransferQueueTests {
  typealias Queue = TransferQueue<String>

  private func queue(
    _ waiting: [(name: String, host: String, priority: Int)],
    limit: Int = 9,
    limitPerHost: Int = 9,
    order: Queue.Order = .firstInFirstOut,
    rate: RequestRate? = nil
  ) -> Queue {
    var queue = Queue(limit: limit, limitPerHost: limitPerHost, order: order, rate: rate)
    for (number, element) in waiting.enumerated() {
      let id = UInt64(number + 1)
      queue.enqueue(element.name, id: id, host: element.host, priority: element.priority)
    }
    return queue
  }

  private func started(_ queue: inout Queue, at now: Int64 = 0) -> [String] {
    var names: [String] = []
    while case .start(let name) = queue.next(at: now) { names.append(name) }
    return names
  }

  @Test func theMostUrgentStartsFirstThenTheFirstEnqueued() {
    var queue = queue([("a", "x", 1), ("b", "y", 2), ("c", "x", 2), ("d", "y", 0), ("e", "x", 1)])
    #expect(queue.highestPriority == 2)
    #expect(started(&queue) == ["b", "c", "a", "e", "d"])
    #expect(queue.running == 5 && queue.waiting == 0)
    #expect(queue.highestPriority == nil)
  }

  @Test func theLastEnqueuedMayStartFirst() {
    var queue = queue(
      [("a", "x", 1), ("b", "y", 1), ("c", "x", 0), ("d", "x", 1)],
      order: .lastInFirstOut
    )
    #expect(started(&queue) == ["d", "b", "a", "c"])
  }

  @Test func aFullHostDelaysNoOther() {
    var queue = queue(
      [("a", "x", 2), ("b", "x", 2), ("c", "y", 0), ("d", "z", 0)],
      limit: 3,
      limitPerHost: 1
    )
    #expect(started(&queue) == ["a", "c", "d"])
    queue.leave("y")
    #expect(started(&queue).isEmpty)
    #expect(queue.highestPriority == 2)
    queue.leave("x")
    #expect(started(&queue) == ["b"])
  }

  @Test(arguments: [Queue.Order.firstInFirstOut, .lastInFirstOut, .roundRobin])
  func aRaisedOneGoesFirstAndAWithdrawnOneNever(_ order: Queue.Order) {
    var queue = queue([("a", "x", 1), ("b", "x", 1), ("c", "x", 1)], order: order)
    queue.move(2, to: 2)
    #expect(queue.withdraw(3) == "c")
    #expect(queue.withdraw(3) == nil)
    #expect(started(&queue) == ["b", "a"])
    #expect(queue.withdraw(1) == nil)
  }

  @Test func anUrgentElementOfAFullHostGoesFirstOnceThereIsRoom() {
    var queue = queue([("a", "x", 1)], limitPerHost: 1)
    #expect(started(&queue) == ["a"])
    queue.enqueue("b", id: 2, host: "x", priority: 0)
    queue.enqueue("c", id: 3, host: "x", priority: 0)
    queue.move(3, to: 2)
    queue.leave("x")
    #expect(started(&queue) == ["c"])
  }

  @Test func whileSuspendedNoneStarts() {
    var queue = queue([("a", "x", 1)])
    queue.isSuspended = true
    #expect(started(&queue).isEmpty)
    queue.isSuspended = false
    #expect(started(&queue) == ["a"])
  }

  @Test func aBurstIsFollowedByTheRate() {
    var queue = queue(
      (0..<9).map { ("\($0)", "x", 1) },
      limit: 99,
      limitPerHost: 99,
      rate: RequestRate(perSecond: 10, burst: 3)
    )
    #expect(started(&queue).count == 3)
    guard case .wait(let until) = queue.next(at: 0) else { Issue.record("no wait"); return }
    #expect(until == 100_000)
    #expect(started(&queue, at: 100_000).count == 1)
    #expect(started(&queue, at: 350_000).count == 2)
    #expect(started(&queue, at: 90_000_000).count == 3)
    // A clock that is set back gives nothing.
    #expect(started(&queue, at: 0).isEmpty)
  }

  @Test func eachHostHasItsOwnLimitAndOrder() {
    var queue = queue(
      [("a1", "a", 0), ("a2", "a", 0), ("a3", "a", 0), ("b1", "b", 0)],
      limitPerHost: 1,
      order: .roundRobin
    )
    #expect(started(&queue) == ["a1", "b1"])
    queue.leave("a")
    #expect(started(&queue) == ["a2"])
    queue.leave("a")
    #expect(started(&queue) == ["a3"])
  }

  @Test func hostsTakeTurnsWhenTheLimitInAllIsReached() {
    var queue = queue(
      [("a1", "a", 0), ("a2", "a", 0), ("a3", "a", 0), ("b1", "b", 0), ("b2", "b", 0)],
      limit: 1,
      limitPerHost: 5,
      order: .roundRobin
    )
    var order = started(&queue)
    for _ in 0..<4 {
      queue.leave(order.last.map { String($0.prefix(1)) } ?? "")
      order += started(&queue)
    }
    #expect(order == ["a1", "b1", "a2", "b2", "a3"])
  }

  @Test func aHostThatWasServedComesAfterOneThatWaited() {
    var queue = queue([("a1", "a", 0)], limit: 1, order: .roundRobin)
    #expect(started(&queue) == ["a1"])
    for id in 2...4 { queue.enqueue("a\(id)", id: UInt64(id), host: "a") }
    queue.enqueue("b1", id: 5, host: "b")
    queue.leave("a")
    #expect(started(&queue) == ["a2"])
    queue.leave("a")
    #expect(started(&queue) == ["b1"])
  }

  @Test func aHostThatSharesItsConnectionGetsMore() {
    var queue = queue((1...4).map { ("\($0)", "a", 0) }, limitPerHost: 1, order: .roundRobin)
    #expect(started(&queue) == ["1"])
    queue.leave("a", newLimit: 2)
    #expect(started(&queue) == ["2", "3"])
    queue.leave("a")
    #expect(started(&queue) == ["4"])
    // An idle host is forgotten, and its limit with it.
    queue.leave("a")
    queue.leave("a")
    queue.enqueue("5", id: 5, host: "a")
    queue.enqueue("6", id: 6, host: "a")
    #expect(started(&queue) == ["5"])
  }

  @Test func aHostWhoseWaitingElementsWereAllWithdrawnStartsAgain() {
    var queue = queue([("a", "x", 0), ("b", "x", 0)], limitPerHost: 1, order: .roundRobin)
    #expect(started(&queue) == ["a"])
    #expect(queue.withdraw(2) == "b")
    queue.leave("x")
    #expect(started(&queue).isEmpty)
    queue.enqueue("c", id: 3, host: "x")
    queue.enqueue("d", id: 4, host: "x")
    #expect(started(&queue) == ["c"])
    #expect(queue.withdrawAll() == ["d"])
    #expect(queue.waiting == 0)
  }

  @Test func aHostWithNoneRunningCannotLeave() {
    var queue = queue([("a", "x", 0)], limit: 1)
    queue.leave("x")
    queue.leave("y")
    #expect(queue.running == 0)
    #expect(started(&queue) == ["a"])
  }

  /// Compares with a model that searches a list.
  @Test(arguments: [TransferQueue<UInt64>.Order.firstInFirstOut, .lastInFirstOut])
  func aRandomHistoryStartsWhatAListWould(_ order: TransferQueue<UInt64>.Order) {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var queue = TransferQueue<UInt64>(limit: 5, limitPerHost: 2, order: order)
    var waiting: [(id: UInt64, host: String, priority: Int)] = []
    var running: [String] = []
    for id in 1...UInt64(Rounds.fewer(20_000)) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let host = "\(Int.random(in: 0..<4, using: &random))"
        let priority = Int.random(in: 0..<3, using: &random)
        queue.enqueue(id, id: id, host: host, priority: priority)
        waiting.append((id, host, priority))
      case 2 where !waiting.isEmpty:
        let index = Int.random(in: 0..<waiting.count, using: &random)
        waiting[index].priority = Int.random(in: 0..<3, using: &random)
        queue.move(waiting[index].id, to: waiting[index].priority)
      case 3 where waiting.count > 20:
        let index = Int.random(in: 0..<waiting.count, using: &random)
        #expect(queue.withdraw(waiting[index].id) == waiting[index].id)
        waiting.remove(at: index)
      case 4 where !running.isEmpty:
        queue.leave(running.remove(at: Int.random(in: 0..<running.count, using: &random)))
      default:
        let possible = waiting.filter { element in
          running.count < 5 && running.count(where: { $0 == element.host }) < 2
        }
        let expected = possible.min {
          guard $0.priority == $1.priority else { return $0.priority > $1.priority }
          return order == .lastInFirstOut ? $0.id > $1.id : $0.id < $1.id
        }
        guard case .start(let next) = queue.next() else {
          #expect(expected == nil)
          continue
        }
        #expect(next == expected?.id)
        running += waiting.filter { $0.id == next }.map(\.host)
        waiting.removeAll { $0.id == next }
      }
      #expect(queue.waiting == waiting.count && queue.running == running.count)
    }
  }
}

/// Hosts that send nothing.
struct SilentHostTests {
  typealias Queue = TransferQueue<String>

  private func queue(_ waiting: [String], limit: Int, limitPerHost: Int = 2) -> Queue {
    var queue = Queue(
      limit: limit,
      limitPerHost: limitPerHost,
      order: .firstInFirstOut,
      maximumSilence: 10
    )
    for (number, name) in waiting.enumerated() {
      queue.enqueue(name, id: UInt64(number + 1), host: String(name.prefix(1)))
    }
    return queue
  }

  private func started(_ queue: inout Queue, at now: Int64) -> [String] {
    var names: [String] = []
    while case .start(let name) = queue.next(at: now) { names.append(name) }
    return names
  }

  private func wait(_ queue: inout Queue, at now: Int64) -> Int64? {
    if case .wait(let until) = queue.next(at: now) { until } else { nil }
  }

  @Test func aSilentHostGivesUpItsPlacesInTheTotal() {
    var queue = queue(["a1", "a2", "a3", "b1", "b2"], limit: 2)
    #expect(started(&queue, at: 0) == ["a1", "a2"])
    #expect(wait(&queue, at: 5) == 10)
    #expect(started(&queue, at: 9).isEmpty)
    #expect(started(&queue, at: 10) == ["b1", "b2"])
    // There are as many places for them as in all, no more.
    queue.enqueue("c1", id: 7, host: "c")
    #expect(started(&queue, at: 20) == [])
    queue.leave("b")
    #expect(started(&queue, at: 20) == ["c1"])
  }

  @Test func aSilentHostStartsOneAtATimeUntilItIsHeard() {
    var queue = queue((1...9).map { "a\($0)" }, limit: 9, limitPerHost: 4)
    #expect(started(&queue, at: 0) == ["a1", "a2", "a3", "a4"])
    #expect(started(&queue, at: 10).isEmpty)
    for _ in 0..<3 { queue.leave("a") }
    #expect(started(&queue, at: 30) == ["a5"])
    #expect(wait(&queue, at: 31) == 40)
    #expect(started(&queue, at: 40) == ["a6"])
    queue.receiveFirstByte(from: "a", at: 41)
    #expect(started(&queue, at: 41) == ["a7"])
    #expect(queue.running == 4)
  }

  @Test func aSlowHostThatAnswersHasAllItsPlaces() {
    var queue = queue((1...9).map { "a\($0)" }, limit: 9, limitPerHost: 3)
    var count = started(&queue, at: 0).count
    for round in 1...2 {
      let now = Int64(round) * 30
      #expect(started(&queue, at: now).isEmpty)
      for _ in 0..<3 {
        queue.receiveFirstByte(from: "a", at: now)
        queue.leave("a", ending: .responded)
      }
      count += started(&queue, at: now).count
    }
    #expect(count == 9)
  }

  @Test func aTurnThatIsNotUsedLetsTheNextOneStart() {
    var queue = queue((1...9).map { "a\($0)" }, limit: 9, limitPerHost: 2)
    #expect(started(&queue, at: 0) == ["a1", "a2"])
    queue.leave("a")
    #expect(started(&queue, at: 10) == ["a3"])
    queue.leave("a", ending: .unused)
    #expect(started(&queue, at: 10) == ["a4"])
  }

  @Test func anUnusedTurnGivesItsTokenBack() {
    var queue = Queue(
      limit: 9,
      limitPerHost: 9,
      order: .firstInFirstOut,
      rate: RequestRate(perSecond: 1, burst: 1)
    )
    for id in 1...3 { queue.enqueue("\(id)", id: UInt64(id), host: "a") }
    #expect(started(&queue, at: 0) == ["1"])
    queue.leave("a", ending: .unused)
    #expect(started(&queue, at: 0) == ["2"])
    queue.leave("a")
    #expect(started(&queue, at: 0).isEmpty)
  }

  @Test func whateverHostsDoTheLimitsHoldAndAllStart() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.fewer(200) {
      var queue = queue([], limit: 3)
      var running: [(host: String, isHeard: Bool)] = []
      var (left, now, id) = (40, Int64(0), UInt64(0))
      while left > 0 || !running.isEmpty {
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where left > 0:
          (left, id) = (left - 1, id + 1)
          let host = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
          queue.enqueue(host, id: id, host: host)
        case 1:
          let unheard = running.indices.filter { !running[$0].isHeard }
          if let index = unheard.randomElement(using: &random) {
            running[index].isHeard = true
            queue.receiveFirstByte(from: running[index].host, at: now)
          }
        case 2:
          if let index = running.indices.randomElement(using: &random) {
            let (host, isHeard) = running.remove(at: index)
            let isUnused = Bool.random(using: &random)
            queue.leave(host, ending: isHeard ? .responded : isUnused ? .unused : .silent)
          }
        default: now += Int64.random(in: 0...6, using: &random)
        }
        for host in started(&queue, at: now) { running.append((host, false)) }
        #expect(running.count <= 6 && queue.running == running.count)
        let most = ["a", "b", "c", "d"].map { host in running.count { $0.host == host } }.max()
        #expect(most ?? 0 <= 2)
      }
      #expect(queue.waiting == 0)
    }
  }
}
