import CGTK
import IkranStores

/// Closures for the main thread, in the order in which they came.
///
/// One source of the default main context runs them, after what a frame needs (GTK redraws at
/// priority 120) and for a few milliseconds at a time: however many there are, frames are drawn.
final class MainQueue: Sendable {
  typealias Job = @MainActor @Sendable () -> Void

  static let shared = MainQueue()

  private struct State {
    var jobs: [Job] = []
    /// The number of jobs at the beginning of `jobs` that have run.
    var finished = 0
    var isScheduled = false
  }

  /// Below frames, which GTK draws at 120: a lower number is more urgent.
  static let priority: CInt = 125
  /// How long jobs run before other sources have their turn, in microseconds.
  private static let budget = 4_000

  private let state = Guarded(State())

  /// Adds a job; called on any thread.
  func post(_ job: @escaping Job) {
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    g_idle_add_full(Self.priority, { _ in MainQueue.shared.run() ? 1 : 0 }, nil, nil)
  }

  /// Adds a job after a time.
  func post(afterMilliseconds delay: CUnsignedInt, _ job: @escaping Job) {
    let data = Unmanaged.passRetained(Delayed(job)).toOpaque()
    let run: GSourceFunc = { data in
      guard let data else { return 0 }
      MainQueue.shared.post(Unmanaged<Delayed>.fromOpaque(data).takeUnretainedValue().job)
      return 0
    }
    g_timeout_add_full(Self.priority, delay, run, data) { data in
      if let data { Unmanaged<Delayed>.fromOpaque(data).release() }
    }
  }

  private final class Delayed: Sendable {
    let job: Job
    init(_ job: @escaping Job) { self.job = job }
  }

  /// Runs jobs for a turn, on the main thread; returns whether there are more.
  private func run() -> Bool {
    MainActor.assumeIsolated {
      let end = g_get_monotonic_time() + Self.budget
      while let job = next() {
        job()
        if g_get_monotonic_time() >= end { return true }
      }
      return false
    }
  }

  /// The next job; when there is none, the source ends.
  private func next() -> Job? {
    state.withLock { state in
      guard state.finished < state.jobs.count else {
        state.jobs.removeAll(keepingCapacity: state.jobs.capacity < 1 << 12)
        state.finished = 0
        state.isScheduled = false
        return nil
      }
      defer { state.finished += 1 }
      return state.jobs[state.finished]
    }
  }
}
