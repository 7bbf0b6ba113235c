package import Ikran
import IkranSystem

/// A clock that only moves when a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(60)) }
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(60))
/// try await task.value
/// ```
/// Give it to `ImagePipeline.deterministic(transport:clock:folder:configure:)`, and to your own
/// code that takes `some Clock<Duration>`.
public final class ManualClock: Clock {
  /// A moment on the clock.
  public struct Instant: InstantProtocol {
    /// The time since the beginning of 1970, in UTC.
    public let durationSince1970: Swift.Duration

    /// A moment that much later.
    public func advanced(by duration: Swift.Duration) -> Instant {
      Instant(durationSince1970: durationSince1970 + duration)
    }

    /// How much later `other` is.
    public func duration(to other: Instant) -> Swift.Duration {
      other.durationSince1970 - durationSince1970
    }

    /// Whether `left` is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.durationSince1970 < right.durationSince1970
    }
  }

  private typealias Continuation = CheckedContinuation<Bool, Never>

  private struct State {
    var now: Instant
    var lastID = 0
    var sleepers: [Int: (until: Instant, continuation: Continuation)] = [:]
    var watchers: [Int: (count: Int, continuation: Continuation)] = [:]
    var sleeps: [Swift.Duration] = []

    /// Takes out the sleepers whose time has come, in order, and the watchers that have waited for
    /// those that are left.
    mutating func takeReady() -> [Continuation] {
      let due = sleepers.filter { $0.value.until <= now }
      for id in due.keys { sleepers[id] = nil }
      let served = watchers.filter { $0.value.count <= sleepers.count }
      for id in served.keys { watchers[id] = nil }
      return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
        .map(\.value.continuation) + served.values.map(\.continuation)
    }
  }

  private let state: Guarded<State>

  /// Creates a clock that stands at a moment: seconds since 1970.
  public init(seconds: Int64 = 1_800_000_000) {
    state = Guarded(State(now: Instant(durationSince1970: .seconds(seconds))))
  }

  /// The moment at which the clock stands.
  public var now: Instant { state.withLock { $0.now } }

  /// Zero: the clock moves exactly as far as a test moves it.
  public var minimumResolution: Swift.Duration { .zero }

  /// The duration of every sleep so far, in the order in which they began.
  public var sleeps: [Swift.Duration] { state.withLock { $0.sleeps } }

  /// The number of tasks that sleep now.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Moves the time and wakes the tasks whose sleep is over: the one that is due first comes first,
  /// and of those due at the same moment the one that began first.
  ///
  /// The call does not wait until they have run. A task that sleeps again does so from the new
  /// time.
  ///
  /// - Parameter duration: How far; a negative one sets the clock back, and wakes no task.
  public func advance(by duration: Swift.Duration) {
    let ready = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      return state.takeReady()
    }
    for continuation in ready { continuation.resume(returning: true) }
  }

  /// Sleeps until the clock has been moved to `deadline`.
  ///
  /// - Parameters:
  ///   - deadline: When to wake.
  ///   - tolerance: Ignored, as nothing is late here.
  /// - Throws: `CancellationError` at once when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
    try await sleep { _ in deadline }
  }

  /// Sleeps until the clock has been moved that far.
  ///
  /// - Parameters:
  ///   - duration: How far.
  ///   - tolerance: Ignored, as nothing is late here.
  /// - Throws: `CancellationError` at once when the task is cancelled.
  public func sleep(for duration: Swift.Duration, tolerance: Swift.Duration? = nil) async throws {
    // Not by way of `now`: the clock may move between two visits of the lock.
    try await sleep { $0.advanced(by: duration) }
  }

  /// Waits until at least `count` tasks sleep; returns early only when the task is cancelled.
  ///
  /// Wait for the tasks under test before you advance the clock: a task that has not begun to sleep
  /// sleeps from the new time.
  public func waitForSleepers(_ count: Int = 1) async {
    _ = await suspend { state, id, continuation in
      state.watchers[id] = (count, continuation)
    }
  }

  private func sleep(until deadline: @escaping @Sendable (Instant) -> Instant) async throws {
    let isOver = await suspend { state, id, continuation in
      let end = deadline(state.now)
      state.sleeps.append(state.now.duration(to: end))
      state.sleepers[id] = (end, continuation)
    }
    guard isOver else { throw CancellationError() }
  }

  /// Suspends the task until what `enter` puts into the state is ready; false when it was
  /// cancelled.
  private func suspend(
    _ enter: @escaping @Sendable (inout State, Int, Continuation) -> Void
  ) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state in
          enter(&state, id, continuation)
          return state.takeReady()
        }
        for continuation in ready { continuation.resume(returning: true) }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    let continuation = state.withLock { state in
      state.sleepers.removeValue(forKey: id)?.continuation
        ?? state.watchers.removeValue(forKey: id)?.continuation
    }
    continuation?.resume(returning: false)
  }
}

extension ManualClock {
  /// The clock as a pipeline uses it.
  package var pipelineClock: PipelineClock {
    PipelineClock(now: { self.microseconds }, sleep: { try await self.sleep(for: $0) })
  }

  /// Microseconds since 1970, as the caches count them.
  package var microseconds: Int64 {
    now.durationSince1970.microseconds
  }
}
