import IkranTesting
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ManualClockTests {
  private let clock = ManualClock()

  @Test func sleepersWakeWhenTheyAreDue() async throws {
    let woken = Recorder<Int>()
    var tasks: [Task<Void, any Error>] = []
    for seconds in [30, 10, 20, 10] {
      let number = tasks.count
      tasks.append(
        Task {
          try await clock.sleep(for: .seconds(seconds))
          woken.add(number)
        }
      )
      await clock.waitForSleepers(tasks.count)
    }
    for due in [[1, 3], [2], [0]] {
      clock.advance(by: .seconds(10))
      for number in due { try await tasks[number].value }
      #expect(woken.items.suffix(due.count).sorted() == due)
    }
    #expect(woken.items.count == 4)
    #expect(clock.sleeps == [30, 10, 20, 10].map { .seconds($0) })
  }

  @Test func aSleeperWhoseTimeHasNotComeSleepsOn() async throws {
    let task = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(59))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    #expect(clock.sleepers == 0)
    try await task.value
  }

  @Test func aClockThatIsSetBackWakesNoTask() async throws {
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(-60))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(61))
    try await task.value
  }

  @Test func aSleepUntilAPastMomentEndsAtOnce() async throws {
    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .zero)
    #expect(clock.sleepers == 0)
  }

  @Test func aCancelledSleepThrowsAtOnce() async {
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers == 0)
  }

  @Test func aCancelledWaitForSleepersReturns() async {
    let task = Task { await clock.waitForSleepers(3) }
    task.cancel()
    await task.value
  }

  @Test func codeThatTakesAnyClockMayUseIt() async throws {
    func start(on clock: some Clock<Duration>) async throws -> Duration {
      let began = clock.now
      try await clock.sleep(until: began.advanced(by: .seconds(5)), tolerance: nil)
      return began.duration(to: clock.now)
    }
    let task = Task { try await start(on: clock) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(7))
    #expect(try await task.value == .seconds(7))
  }
}
