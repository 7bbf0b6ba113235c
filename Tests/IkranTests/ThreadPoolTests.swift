import IkranPixels
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct ThreadPoolTests {
  @Test(arguments: [(1, false), (2, true)])
  func aJobMayUseThePoolsIdleThreads(_ threads: Int, _ isAnyIdle: Bool) async throws {
    let pool = ThreadPool(name: "test", threads: threads)
    let found = try await pool.run(Subscription(.normal)) { (workspace) throws(ImageError) in
      workspace.idleThreads?.isAnyIdle
    }
    #expect(found == isAnyIdle)
  }

  @Test func workThatIsCancelledBeforeItsTurnNeverRuns() async throws {
    let pool = ThreadPool(name: "test", threads: 1)
    let (entered, release) = (Latch(), ThreadLatch())
    let running = Task {
      try await pool.perform {
        entered.open()
        release.wait()
      }
    }
    #expect(await entered.wait())
    let ran = Counter()
    let waiting = Task { try await pool.perform { ran.add() } }
    try await until { pool.waiting >= 1 }
    waiting.cancel()
    await #expect(throws: ImageError.cancelled) { try await waiting.value }
    release.open()
    _ = await running.result
    #expect(ran.count == 0)
  }

  @Test func workThatFinishesGoesBeforeEquallyUrgentWorkThatBegins() async throws {
    let pool = ThreadPool(name: "test", threads: 1)
    let (entered, release) = (Latch(), ThreadLatch())
    let order = Recorder<String>()
    let running = Task {
      try await pool.perform {
        entered.open()
        release.wait()
      }
    }
    #expect(await entered.wait())
    var callers: [Task<Void, any Error>] = []
    for (name, finishes) in [("begins", false), ("finishes", true)] {
      callers.append(
        Task {
          try await pool.run(Subscription(.normal), finishes: finishes) { (_) throws(ImageError) in
            order.add(name)
          }
        }
      )
      try await until { pool.waiting >= callers.count }
    }
    release.open()
    for caller in callers + [running] { _ = await caller.result }
    #expect(order.items == ["finishes", "begins"])
  }

  @Test func urgentWorkOvertakesWhatWaits() async throws {
    let pool = ThreadPool(name: "test", threads: 1)
    let (entered, release) = (Latch(), ThreadLatch())
    let order = Recorder<String>()
    let running = Task {
      try await pool.perform {
        entered.open()
        release.wait()
      }
    }
    #expect(await entered.wait())
    var callers: [Task<Void, any Error>] = []
    for (name, priority) in [("low", ImagePriority.low), ("high", .high), ("normal", .normal)] {
      callers.append(
        Task {
          try await pool.run(Subscription(priority)) { (_) throws(ImageError) in order.add(name) }
        }
      )
      try await until { pool.waiting >= callers.count }
    }
    release.open()
    for caller in callers + [running] { _ = await caller.result }
    #expect(order.items == ["high", "normal", "low"])
  }
}
