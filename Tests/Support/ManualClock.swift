package import Ikran
import IkranStores

/// A time that only moves when a test moves it.
public final class ManualClock: Sendable {
  private struct State {
    var now: Int64
    var last = 0
    var sleepers: [Int: (until: Int64, continuation: CheckedContinuation<Bool, Never>)] = [:]
    var sleeps: [Duration] = []
  }

  private let state: Guarded<State>

  /// Creates a clock that stands at a moment: seconds since 1970.
  public init(seconds: Int64 = 1_800_000_000) { state = Guarded(State(now: seconds * 1_000_000)) }

  /// The moment it stands at: microseconds since 1970.
  public var now: Int64 { state.withLock { $0.now } }

  /// Every wait asked for so far.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// The number of tasks that wait now.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Moves the time, backwards too, and wakes those whose wait is over.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let step = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let woken = state.withLock { state in
      state.now += step
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for sleeper in woken { sleeper.resume(returning: true) }
  }

  /// Waits until the time has moved so far.
  ///
  /// - Throws: `CancellationError`.
  public func sleep(_ duration: Duration) async throws {
    let id = state.withLock { state in
      state.last += 1
      state.sleeps.append(duration)
      return state.last
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          let (seconds, attoseconds) = duration.components
          let until = state.now + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
          if until > state.now { state.sleepers[id] = (until, continuation) }
          return until <= state.now
        }
        if isDue { return continuation.resume(returning: true) }
        if Task.isCancelled { wake(id) }
      }
    } onCancel: {
      wake(id)
    }
    guard isOver else { throw CancellationError() }
  }

  /// The clock as a pipeline wants it.
  package var pipelineClock: PipelineClock {
    PipelineClock(now: { self.now }, sleep: { try await self.sleep($0) })
  }

  private func wake(_ id: Int) {
    state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: false)
  }
}
