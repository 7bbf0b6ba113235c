import Support
import Testing

@testable import Ikran

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
