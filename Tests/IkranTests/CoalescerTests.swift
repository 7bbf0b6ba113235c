import Glibc
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct CoalescerTests {
  private typealias Numbers = Coalescer<String, Int>

  @Test func oneWorkServesFiftyCallers() async throws {
    let loads = Numbers()
    let latch = Latch()
    let runs = Counter()
    let callers = (0..<50).map { _ in
      Task {
        try await loads.value(for: "a", subscription: Subscription(.normal)) {
          (_) async throws(ImageError) in
          runs.add()
          _ = await latch.wait()
          return 7
        }
      }
    }
    await latch.arrivals(1)
    try await until { loads.waiting(for: "a") >= 50 }
    latch.open()
    for caller in callers { #expect(await (try? caller.value) == 7) }
    #expect(runs.count == 1)
    #expect(loads.count == 0)
  }

  private func thisThread() -> UInt { UInt(pthread_self()) }

  @Test func workBeginsOnItsCallersThread() async throws {
    let loads = Coalescer<String, UInt>()
    let caller = thisThread()
    let worker = try await loads.value(for: "a", subscription: Subscription(.normal)) {
      (_) async throws(ImageError) in thisThread()
    }
    #expect(worker == caller)
  }

  @MainActor @Test func whatTheMainActorAsksForRunsElsewhere() async throws {
    let loads = Coalescer<String, UInt>()
    let main = thisThread()
    let worker = try await loads.value(for: "a", subscription: Subscription(.normal)) {
      (_) async throws(ImageError) in thisThread()
    }
    #expect(worker != main)
  }

  @Test func aCancelledCallerReturnsWhileTheWorkGoesOn() async throws {
    let loads = Numbers()
    let latch = Latch()
    let work: Numbers.Work = { (_) async throws(ImageError) in
      guard await latch.wait() else { throw .cancelled }
      return 7
    }
    let stays = Task { try await loads.value(for: "a", subscription: Subscription(.normal), work) }
    let leaves = Task { try await loads.value(for: "a", subscription: Subscription(.normal), work) }
    try await until { loads.waiting(for: "a") >= 2 }
    leaves.cancel()
    await #expect(throws: ImageError.cancelled) { try await leaves.value }
    #expect(loads.count == 1)
    latch.open()
    #expect(await (try? stays.value) == 7)
  }

  @Test func theLastCallerToLeaveCancelsTheWork() async {
    let loads = Numbers()
    let latch = Latch()
    let wasCancelled = Latch()
    let caller = Task {
      try await loads.value(for: "a", subscription: Subscription(.normal)) {
        (_) async throws(ImageError) in
        if await !latch.wait() { wasCancelled.open() }
        throw .cancelled
      }
    }
    await latch.arrivals(1)
    caller.cancel()
    await #expect(throws: ImageError.cancelled) { try await caller.value }
    #expect(await wasCancelled.wait())
  }

  @Test func anErrorReachesEveryCallerOnce() async throws {
    let loads = Numbers()
    let latch = Latch()
    let callers = (0..<8).map { _ in
      Task {
        try await loads.value(for: "a", subscription: Subscription(.normal)) {
          (_) async throws(ImageError) in
          _ = await latch.wait()
          throw .status(404, url: "x")
        }
      }
    }
    try await until { loads.waiting(for: "a") >= 8 }
    latch.open()
    for caller in callers {
      await #expect(throws: ImageError.status(404, url: "x")) { try await caller.value }
    }
  }

  @Test func aMoreUrgentCallerRaisesTheWorkAndItsLeavingLowersIt() async throws {
    let loads = Numbers()
    let latch = Latch()
    let seen = Recorder<Subscription>()
    let work: Numbers.Work = { (subscription) async throws(ImageError) in
      seen.add(subscription)
      guard await latch.wait() else { throw .cancelled }
      return 1
    }
    let low = Task { try await loads.value(for: "a", subscription: Subscription(.low), work) }
    await latch.arrivals(1)
    #expect(seen.items.first?.priority == .low)
    let high = Task { try await loads.value(for: "a", subscription: Subscription(.high), work) }
    try await until { seen.items.first?.priority == .high }
    high.cancel()
    _ = await high.result
    #expect(seen.items.first?.priority == .low)
    latch.open()
    #expect(await (try? low.value) == 1)
  }

  @Test func aWaitersOwnChangeOfPriorityReachesTheWork() async {
    let loads = Numbers()
    let latch = Latch()
    let seen = Recorder<Subscription>()
    let subscription = Subscription(.low)
    let caller = Task {
      try await loads.value(for: "a", subscription: subscription) {
        (inner) async throws(ImageError) in
        seen.add(inner)
        _ = await latch.wait()
        return 1
      }
    }
    await latch.arrivals(1)
    subscription.change(to: .high)
    #expect(seen.items.first?.priority == .high)
    latch.open()
    _ = await caller.result
  }

  @Test func progressReachesEveryWaiterAndLateOnesAtOnce() async throws {
    let loads = Numbers()
    let latch = Latch()
    let first = Recorder<TransferProgress>()
    let late = Recorder<TransferProgress>()
    let report = TransferProgress(received: 5, expected: 10)
    let work: Numbers.Work = { (subscription) async throws(ImageError) in
      subscription.report(report)
      _ = await latch.wait()
      return 1
    }
    let one = Task {
      try await loads.value(for: "a", subscription: Subscription(.low) { first.add($0) }, work)
    }
    await latch.arrivals(1)
    let two = Task {
      try await loads.value(for: "a", subscription: Subscription(.low) { late.add($0) }, work)
    }
    try await until { loads.waiting(for: "a") >= 2 }
    latch.open()
    _ = await (one.result, two.result)
    #expect(first.items == [report])
    #expect(late.items == [report])
  }

  @Test func cancelAllEndsEveryCaller() async throws {
    let loads = Numbers()
    let latch = Latch()
    let callers = ["a", "b", "b"].map { key in
      Task {
        try await loads.value(for: key, subscription: Subscription(.normal)) {
          (_) async throws(ImageError) in
          guard await latch.wait() else { throw .cancelled }
          return 1
        }
      }
    }
    try await until { loads.waiting(for: "a") + loads.waiting(for: "b") >= 3 }
    loads.cancelAll()
    for caller in callers {
      await #expect(throws: ImageError.cancelled) { try await caller.value }
    }
  }

  @Test func randomCancelsLeaveEveryCallerWithOneEnding() async {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let loads = Numbers()
    var callers: [Task<Int, any Error>] = []
    for _ in 0..<500 {
      let key = String(Int.random(in: 0..<20, using: &random))
      let caller = Task {
        try await loads.value(for: key, subscription: Subscription(.normal)) {
          (_) async throws(ImageError) in
          await Task.yield()
          if Task.isCancelled { throw .cancelled }
          return 1
        } as Int
      }
      if Bool.random(using: &random) { caller.cancel() }
      callers.append(caller)
    }
    var endings = 0
    for caller in callers {
      switch await caller.result {
      case .success(let value): #expect(value == 1)
      case .failure(let error): #expect(error as? ImageError == .cancelled)
      }
      endings += 1
    }
    #expect(endings == 500)
    #expect(loads.count == 0)
  }
}
