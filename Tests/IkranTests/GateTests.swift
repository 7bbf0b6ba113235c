import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(1)))
struct GateTests {
  @Test func noMoreThanTheLimitAreInside() async {
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
    while gate.waiting < 7 { await Task.yield() }
    #expect(inside.items.count == 3)
    latch.open()
    for caller in callers { _ = await caller.result }
    #expect(inside.items.count == 10)
  }

  @Test func theMostUrgentGoesFirstEvenWhenItBecameSoWhileWaiting() async {
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
      while gate.waiting == waiting { await Task.yield() }
    }
    raised.change(to: .high)
    latch.open()
    for caller in callers + [first] { _ = await caller.result }
    #expect(order.items == ["raised", "normal", "low"])
  }

  @Test func aCancelledCallerStopsWaitingAndTakesNoPlace() async {
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
    while gate.waiting < 1 { await Task.yield() }
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

@Suite(.timeLimit(.minutes(1)))
struct LaneTests {
  @Test func workThatIsCancelledBeforeItsTurnNeverRuns() async {
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
    while lane.waiting < 1 { await Task.yield() }
    waiting.cancel()
    await #expect(throws: ImageError.cancelled) { try await waiting.value }
    release.open()
    _ = await running.result
    #expect(ran.count == 0)
  }

  @Test func urgentWorkOvertakesWhatWaits() async {
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
      while lane.waiting < callers.count { await Task.yield() }
    }
    release.open()
    for caller in callers + [running] { _ = await caller.result }
    #expect(order.items == ["high", "normal", "low"])
  }
}
