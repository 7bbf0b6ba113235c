import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct GateTests {
  @Test func noMoreThanTheLimitAreInside() async throws {
    let gate = Gate(limit: 3)
    let latch = Latch()
    let inside = Recorder<Int>()
    let callers = (0..<10).map { number in
      Task {
        try await gate.pass(Interest(.normal)) { () async throws(ImageError) in
          inside.add(number)
          _ = await latch.wait()
        }
      }
    }
    await latch.arrivals(3)
    try await until { gate.waiting >= 7 }
    #expect(inside.items.count == 3)
    latch.open()
    for caller in callers { _ = await caller.result }
    #expect(inside.items.count == 10)
  }

  @Test func theMostUrgentGoesFirstEvenWhenItBecameSoWhileWaiting() async throws {
    let gate = Gate(limit: 1)
    let latch = Latch()
    let order = Recorder<String>()
    let first = Task {
      try await gate.pass(Interest(.normal)) { () async throws(ImageError) in
        _ = await latch.wait()
      }
    }
    await latch.arrivals(1)
    let raised = Interest(.low)
    var callers: [Task<Void, any Error>] = []
    for (name, interest) in [
      ("normal", Interest(.normal)), ("raised", raised), ("low", Interest(.low)),
    ] {
      let waiting = callers.count
      callers.append(
        Task {
          try await gate.pass(interest) { () async throws(ImageError) in order.add(name) }
        }
      )
      try await until { gate.waiting != waiting }
    }
    raised.change(to: .high)
    latch.open()
    for caller in callers + [first] { _ = await caller.result }
    #expect(order.items == ["raised", "normal", "low"])
  }

  @Test func aCancelledCallerStopsWaitingAndTakesNoPlace() async throws {
    let gate = Gate(limit: 1)
    let latch = Latch()
    let first = Task {
      try await gate.pass(Interest(.normal)) { () async throws(ImageError) in
        _ = await latch.wait()
      }
    }
    await latch.arrivals(1)
    let caller = Task {
      try await gate.pass(Interest(.normal)) { () async throws(ImageError) in }
    }
    try await until { gate.waiting >= 1 }
    caller.cancel()
    await #expect(throws: ImageError.cancelled) { try await caller.value }
    #expect(gate.waiting == 0)
    latch.open()
    _ = await first.result
    await #expect(throws: Never.self) {
      try await gate.pass(Interest(.normal)) { () async throws(ImageError) in }
    }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct LaneTests {
  @Test func workThatIsCancelledBeforeItsTurnNeverRuns() async throws {
    let lane = Lane(name: "test", threads: 1)
    let (entered, release) = (Latch(), ThreadLatch())
    let running = Task {
      try await lane.perform {
        entered.open()
        release.wait()
      }
    }
    #expect(await entered.wait())
    let ran = Counter()
    let waiting = Task { try await lane.perform { ran.add() } }
    try await until { lane.waiting >= 1 }
    waiting.cancel()
    await #expect(throws: ImageError.cancelled) { try await waiting.value }
    release.open()
    _ = await running.result
    #expect(ran.count == 0)
  }

  @Test func workThatFinishesGoesBeforeEquallyUrgentWorkThatBegins() async throws {
    let lane = Lane(name: "test", threads: 1)
    let (entered, release) = (Latch(), ThreadLatch())
    let order = Recorder<String>()
    let running = Task {
      try await lane.perform {
        entered.open()
        release.wait()
      }
    }
    #expect(await entered.wait())
    var callers: [Task<Void, any Error>] = []
    for (name, finishes) in [("begins", false), ("finishes", true)] {
      callers.append(
        Task {
          try await lane.run(Interest(.normal), finishes: finishes) { (_) throws(ImageError) in
            order.add(name)
          }
        }
      )
      try await until { lane.waiting >= callers.count }
    }
    release.open()
    for caller in callers + [running] { _ = await caller.result }
    #expect(order.items == ["finishes", "begins"])
  }

  @Test func urgentWorkOvertakesWhatWaits() async throws {
    let lane = Lane(name: "test", threads: 1)
    let (entered, release) = (Latch(), ThreadLatch())
    let order = Recorder<String>()
    let running = Task {
      try await lane.perform {
        entered.open()
        release.wait()
      }
    }
    #expect(await entered.wait())
    var callers: [Task<Void, any Error>] = []
    for (name, priority) in [("low", ImagePriority.low), ("high", .high), ("normal", .normal)] {
      callers.append(
        Task {
          try await lane.run(Interest(priority)) { (_) throws(ImageError) in order.add(name) }
        }
      )
      try await until { lane.waiting >= callers.count }
    }
    release.open()
    for caller in callers + [running] { _ = await caller.result }
    #expect(order.items == ["high", "normal", "low"])
  }
}
