import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct DownloadSchedulerTests {
  private let clock = ManualClock()

  private func scheduler(_ options: QueueOptions = QueueOptions()) -> DownloadScheduler {
    DownloadScheduler(options, clock: clock.pipelineClock)
  }

  @Test func aDownloadStartsAtOnceWhenThereIsRoomElseWhenOneLeaves() {
    let scheduler = scheduler(QueueOptions(maximumConcurrent: 1))
    let order = Recorder<String>()
    for name in ["a", "b", "c"] {
      scheduler.enqueue(host: "x", priority: .normal) { order.add(name) }
    }
    #expect(order.items == ["a"])
    #expect(scheduler.running == 1 && scheduler.waiting == 2)
    scheduler.leave("x")
    #expect(order.items == ["a", "b"])
    scheduler.leave("x")
    scheduler.leave("x")
    #expect(order.items == ["a", "b", "c"])
    #expect(scheduler.running == 0 && scheduler.waiting == 0)
  }

  @Test func aMovedDownloadOvertakesAndAWithdrawnOneNeverStarts() {
    let scheduler = scheduler()
    scheduler.isSuspended = true
    let order = Recorder<String>()
    let tickets = ["a", "b", "c", "d"].map { name in
      scheduler.enqueue(host: "x", priority: .low) { order.add(name) }
    }
    scheduler.move(tickets[2], to: { .high })
    #expect(scheduler.urgency == .high)
    #expect(scheduler.withdraw(tickets[1]))
    #expect(!scheduler.withdraw(tickets[1]))
    scheduler.isSuspended = false
    #expect(order.items == ["c", "a", "d"])
    #expect(!scheduler.withdraw(tickets[0]))
  }

  @Test func aSchedulerThatWaitsForAMomentIsFreedWhenNobodyHasIt() async throws {
    func begin() async -> @Sendable () -> Bool {
      let scheduler = scheduler(QueueOptions(maximumConcurrent: 1))
      // The second waits until the first one's host proves to be silent.
      scheduler.enqueue(host: "x", priority: .normal) {}
      scheduler.enqueue(host: "x", priority: .normal) {}
      await clock.waitForSleepers()
      weak let held = scheduler
      return { held != nil }
    }
    let isHeld = await begin()
    try await until { !isHeld() && clock.sleepers == 0 }
  }

  @Test func downloadsThatFailAtOnceDoNotExhaustTheStack() {
    let scheduler = scheduler(QueueOptions(maximumConcurrent: 1))
    scheduler.isSuspended = true
    let order = Recorder<Int>()
    for number in 0..<100_000 {
      scheduler.enqueue(host: "x", priority: .normal) {
        order.add(number)
        scheduler.leave("x")
      }
    }
    scheduler.isSuspended = false
    #expect(order.items == Array(0..<100_000))
    #expect(scheduler.running == 0)
  }

  @Test func inAStormOfCancellationsEachDownloadStartsOrIsWithdrawn() async throws {
    let scheduler = scheduler(QueueOptions(maximumConcurrent: 5, maximumPerHost: 2))
    let (started, withdrawn, tooMany) = (Counter(), Counter(), Counter())
    let perTask = Rounds.fewer(5_000, concurrent: true)
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<perTask {
            let host = "\(number % 4)"
            let ticket = scheduler.enqueue(host: host, priority: .normal) {
              started.add()
              if scheduler.running > 5 { tooMany.add() }
              // Some end within their start, the others on another thread.
              if number % 3 == 0 { return scheduler.leave(host) }
              Task { scheduler.leave(host) }
            }
            if number % 5 == 0 { scheduler.move(ticket, to: { .high }) }
            if (number + task) % 2 == 0, scheduler.withdraw(ticket) { withdrawn.add() }
          }
        }
      }
    }
    try await until { started.count + withdrawn.count == 8 * perTask }
    await scheduler.finish()
    #expect(tooMany.count == 0)
    #expect(scheduler.waiting == 0 && scheduler.running == 0)
  }

  @Test func aRaisedLimitStartsWaitingOnes() {
    let scheduler = scheduler(QueueOptions(maximumConcurrent: 1))
    let started = Counter()
    for _ in 0..<4 { scheduler.enqueue(host: "x", priority: .normal) { started.add() } }
    #expect(scheduler.waiting == 3 && scheduler.running == 1)
    scheduler.maximumConcurrent = 3
    #expect(started.count == 3)
    #expect(scheduler.waiting == 1)
  }

  @Test func whatWaitsForTheRateStartsWhenItPermits() async throws {
    let scheduler = scheduler(
      QueueOptions(rate: RequestRate(perSecond: 1, burst: 1), maximumSilence: nil)
    )
    let order = Recorder<Int>()
    for number in 0..<3 { scheduler.enqueue(host: "x", priority: .normal) { order.add(number) } }
    for count in 1...3 {
      try await until { order.items.count == count && (count == 3 || clock.sleepers == 1) }
      clock.advance(by: .seconds(1))
    }
    #expect(order.items == [0, 1, 2])
    // One sleep for each wait, however many wait.
    #expect(clock.sleeps.count == 2)
  }

  @Test func aByteAfterTheEndOfItsDownloadCountsForNoOther() async throws {
    let scheduler = scheduler(QueueOptions(maximumConcurrent: 1, maximumSilence: .seconds(2)))
    let turn = try await scheduler.pass(
      host: "x",
      Subscription(.normal),
      ticket: scheduler.newTicket()
    ) { (turn) async throws(ImageError) in
      turn.use()
      return turn
    }
    let order = Recorder<String>()
    for host in ["x", "y"] {
      scheduler.enqueue(host: host, priority: .normal) { order.add(host) }
    }
    clock.advance(by: .seconds(1))
    turn.noteFirstByte()
    clock.advance(by: .seconds(1))
    // Has the queue look whether a host is silent.
    scheduler.maximumConcurrent = 1
    #expect(order.items == ["x", "y"])
  }

  @Test func finishingWaitsForThoseThatRunOnly() async throws {
    let scheduler = scheduler(QueueOptions(maximumConcurrent: 1))
    await scheduler.finish()
    for _ in 0..<2 { scheduler.enqueue(host: "x", priority: .normal) {} }
    scheduler.isSuspended = true
    let finished = Task { await scheduler.finish() }
    await Task.yield()
    scheduler.leave("x")
    await finished.value
    #expect(scheduler.waiting == 1)
  }
}

/// A caller that waits for its turn in a task.
@Suite(.timeLimit(.minutes(10)))
struct DownloadSchedulerPassTests {
  private let clock = ManualClock()

  private func scheduler(limit: Int) -> DownloadScheduler {
    let options = QueueOptions(maximumConcurrent: limit, maximumPerHost: limit)
    return DownloadScheduler(options, clock: clock.pipelineClock)
  }

  /// Passes, and waits for the latch inside.
  private func hold(_ scheduler: DownloadScheduler, _ latch: Latch) -> Task<Void, any Error> {
    Task {
      try await scheduler.pass(host: "", Subscription(.normal)) { () async throws(ImageError) in
        _ = await latch.wait()
      }
    }
  }

  @Test func noMoreThanTheLimitAreInside() async throws {
    let (scheduler, latch) = (scheduler(limit: 3), Latch())
    let callers = (0..<10).map { _ in hold(scheduler, latch) }
    await latch.arrivals(3)
    try await until { scheduler.waiting == 7 }
    #expect(scheduler.running == 3)
    latch.open()
    for caller in callers { try await caller.value }
    #expect(scheduler.running == 0)
  }

  @Test func theMostUrgentGoesFirstEvenWhenItBecameSoWhileWaiting() async throws {
    let (scheduler, latch) = (scheduler(limit: 1), Latch())
    let first = hold(scheduler, latch)
    await latch.arrivals(1)
    let order = Recorder<String>()
    let raised = Subscription(.low)
    var callers = [first]
    for (name, subscription) in [
      ("normal", Subscription(.normal)), ("raised", raised), ("low", Subscription(.low)),
    ] {
      callers.append(
        Task {
          try await scheduler.pass(host: "", subscription) { () async throws(ImageError) in
            order.add(name)
          }
        }
      )
      try await until { scheduler.waiting == callers.count - 1 }
    }
    raised.change(to: .high)
    latch.open()
    for caller in callers { try await caller.value }
    #expect(order.items == ["raised", "normal", "low"])
  }

  @Test func aCancelledCallerStopsWaitingAndTakesNoPlace() async throws {
    let (scheduler, latch) = (scheduler(limit: 1), Latch())
    let first = hold(scheduler, latch)
    await latch.arrivals(1)
    let caller = hold(scheduler, latch)
    try await until { scheduler.waiting == 1 }
    caller.cancel()
    await #expect(throws: ImageError.cancelled) { try await caller.value }
    #expect(scheduler.waiting == 0 && scheduler.running == 1)
    latch.open()
    try await first.value
    try await hold(scheduler, latch).value
  }

  @Test func inAStormOfCancellationsEveryCallerReturns() async throws {
    let (scheduler, inside) = (scheduler(limit: 3), Counter())
    let callers = (0..<Rounds.fewer(5_000, concurrent: true)).map { number in
      Task {
        try await scheduler.pass(host: "\(number % 2)", Subscription(.normal)) {
          () async throws(ImageError) in
          inside.add()
          await Task.yield()
        }
      }
    }
    for (number, caller) in callers.enumerated() where number % 2 == 0 { caller.cancel() }
    var cancelled = 0
    for caller in callers {
      if case .failure(let error) = await caller.result {
        #expect(error as? ImageError == .cancelled)
        cancelled += 1
      }
    }
    #expect(inside.count + cancelled == callers.count)
    #expect(scheduler.running == 0 && scheduler.waiting == 0)
  }
}

extension DownloadScheduler {
  /// Enqueues a download under a new ticket.
  @discardableResult
  fileprivate func enqueue(
    host: String,
    priority: ImagePriority,
    _ start: @escaping Start
  ) -> Ticket {
    let ticket = newTicket()
    enqueue(ticket, host: host, priority: priority, start)
    return ticket
  }
}
