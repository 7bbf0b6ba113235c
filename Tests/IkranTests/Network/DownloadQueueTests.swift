import Support
import Testing

@testable import Ikran

struct DownloadTurnsTests {
  private func begun(_ turns: inout DownloadTurns<String>, at now: Int64 = 0) -> [String] {
    var names: [String] = []
    while case .begin(let name) = turns.next(at: now) { names.append(name) }
    return names
  }

  private func turns(
    _ options: QueueOptions,
    _ waiters: [(name: String, host: String, priority: Int)]
  ) -> DownloadTurns<String> {
    var turns = DownloadTurns<String>(options)
    for (number, waiter) in waiters.enumerated() {
      turns.enter(
        waiter.name,
        id: UInt64(number + 1),
        host: waiter.host,
        priority: waiter.priority
      )
    }
    return turns
  }

  @Test func theMostUrgentBeginsFirstThenWhoeverCameFirst() {
    var turns = turns(
      QueueOptions(maximumConcurrent: 9, maximumPerHost: 9),
      [("a", "x", 1), ("b", "y", 2), ("c", "x", 2), ("d", "y", 0), ("e", "x", 1)]
    )
    #expect(begun(&turns) == ["b", "c", "a", "e", "d"])
    #expect(turns.running == 5 && turns.waiting == 0)
  }

  @Test func theLastMayBeginFirst() {
    let options = QueueOptions(
      maximumConcurrent: 9,
      maximumPerHost: 9,
      order: .lastInFirstOut
    )
    var turns = turns(options, [("a", "x", 1), ("b", "y", 1), ("c", "x", 0), ("d", "x", 1)])
    #expect(begun(&turns) == ["d", "b", "a", "c"])
  }

  @Test func aHostThatIsFullHoldsUpNoOther() {
    let options = QueueOptions(maximumConcurrent: 3, maximumPerHost: 1)
    var turns = turns(options, [("a", "x", 2), ("b", "x", 2), ("c", "y", 0), ("d", "z", 0)])
    #expect(begun(&turns) == ["a", "c", "d"])
    turns.leave("y")
    #expect(begun(&turns).isEmpty)
    turns.leave("x")
    #expect(begun(&turns) == ["b"])
  }

  @Test func aRaisedOneGoesFirstAndAWithdrawnOneNever() {
    for order in [QueueOptions.Order.firstInFirstOut, .lastInFirstOut] {
      let options = QueueOptions(maximumConcurrent: 9, maximumPerHost: 9, order: order)
      var turns = turns(options, [("a", "x", 1), ("b", "x", 1), ("c", "x", 1)])
      turns.move(2, to: 2)
      #expect(turns.withdraw(3) == "c")
      #expect(turns.withdraw(3) == nil)
      #expect(begun(&turns) == ["b", "a"])
    }
  }

  @Test func whileSuspendedNoneBegins() {
    var turns = turns(QueueOptions(), [("a", "x", 1)])
    turns.isSuspended = true
    #expect(begun(&turns).isEmpty)
    turns.isSuspended = false
    #expect(begun(&turns) == ["a"])
  }

  @Test func aBurstIsFollowedByTheRate() {
    let options = QueueOptions(
      maximumConcurrent: 99,
      maximumPerHost: 99,
      rate: RequestRate(perSecond: 10, burst: 3)
    )
    var turns = turns(options, (0..<9).map { ("\($0)", "x", 1) })
    #expect(begun(&turns).count == 3)
    guard case .pause(let until) = turns.next(at: 0) else { Issue.record("no pause"); return }
    #expect(until == 100_000)
    #expect(begun(&turns, at: 100_000).count == 1)
    #expect(begun(&turns, at: 350_000).count == 2)
    #expect(begun(&turns, at: 90_000_000).count == 3)
    // A clock that is set back gives nothing.
    #expect(begun(&turns, at: 0).isEmpty)
  }
}

@Suite(.timeLimit(.minutes(10)))
struct DownloadQueueTests {
  private let clock = ManualClock()

  @Test func aRaisedLimitLetsWaitingOnesIn() async throws {
    let queue = DownloadQueue(QueueOptions(maximumConcurrent: 1), clock.pipelineClock)
    let latch = Latch()
    let callers = (0..<4).map { _ in
      Task {
        try await queue.pass(host: "x", Interest(.normal)) { () async throws(ImageError) in
          _ = await latch.wait()
        }
      }
    }
    try await until { queue.waiting == 3 && queue.running == 1 }
    queue.maximumConcurrent = 3
    await latch.arrivals(3)
    #expect(queue.waiting == 1)
    latch.open()
    for caller in callers { _ = await caller.result }
    #expect(queue.running == 0)
  }

  @Test func aCancelledCallerLeavesTheLine() async throws {
    let queue = DownloadQueue(QueueOptions(), clock.pipelineClock)
    queue.isSuspended = true
    let caller = Task {
      try await queue.pass(host: "x", Interest(.normal)) { () async throws(ImageError) in }
    }
    try await until { queue.waiting == 1 }
    caller.cancel()
    await #expect(throws: ImageError.cancelled) { try await caller.value }
    #expect(queue.waiting == 0)
  }

  @Test func whoeverWaitsForATokenBeginsWhenItIsThere() async throws {
    let options = QueueOptions(rate: RequestRate(perSecond: 1, burst: 1))
    let queue = DownloadQueue(options, clock.pipelineClock)
    let order = Recorder<Int>()
    let callers = (0..<3).map { number in
      Task {
        try await queue.pass(host: "x", Interest(.normal)) { () async throws(ImageError) in
          order.add(number)
        }
      }
    }
    for count in 1...3 {
      try await until { order.items.count == count && (count == 3 || clock.sleepers == 1) }
      clock.advance(by: .seconds(1))
    }
    for caller in callers { _ = await caller.result }
  }
}
