import IkranSystem
import Support
import Testing

@testable import IkranService

@Suite("Work that is counted", .timeLimit(.minutes(1))) struct WorkLimitTests {
  /// Work that goes on, cancelled or not, until its gate opens.
  private final class Gate: Sendable {
    private let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)

    var isReached: Bool { waiting.withLock { $0 != nil } }

    func pass() async {
      await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
    }

    func open() { waiting.withLock { $0.take() }?.resume() }
  }

  private func work(_ limit: WorkLimit, _ gate: Gate) -> Task<Void, Never> {
    Task {
      await limit.counting { work in
        work.begin()
        await gate.pass()
        work.end()
      }
    }
  }

  @Test func workThatOutlivesItsRequestIsCountedUntilItEnds() async throws {
    let (limit, gate) = (WorkLimit(1), Gate())
    #expect(limit.enter())
    let work = work(limit, gate)
    try await until { gate.isReached }
    work.cancel()
    limit.leave()
    #expect(!limit.enter())
    gate.open()
    await work.value
    #expect(limit.enter())
  }

  @Test func workIsNotCountedWhileItsRequestIs() async throws {
    let (limit, gate) = (WorkLimit(2), Gate())
    #expect(limit.enter())
    let work = work(limit, gate)
    try await until { gate.isReached }
    #expect(limit.enter() && !limit.enter())
    gate.open()
    await work.value
    limit.leave()
    #expect(limit.enter() && !limit.enter())
  }
}
