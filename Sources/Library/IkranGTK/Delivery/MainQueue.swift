import CGTK
import IkranSystem
import IkranViews

/// Closures for the main thread, in the order in which they came.
///
/// One source of the default main context runs them, after what a frame needs (GTK redraws at
/// priority 120) and for a few milliseconds at a time: however many there are, frames are drawn.
final class MainQueue: ViewLoop {
  typealias Job = @MainActor @Sendable () -> Void

  static let shared = MainQueue()

  private struct State {
    var jobs: [Job] = []
    var isScheduled = false
    /// Whether the second source looks after the jobs.
    var isWatched = false
  }

  /// The jobs that were taken from the others at once, on the main thread.
  @MainActor
  private final class Batch {
    var jobs: [Job?] = []
    /// The first one that has not run.
    var next = 0
    /// When jobs ran last, in microseconds.
    var time = 0
  }

  /// Below frames, which GTK draws at 120: a lower number is more urgent.
  static let priority: CInt = 125
  /// How long jobs run before other sources have their turn, in microseconds.
  private static let budget = 4_000
  /// How long frames that take all of the time may hold jobs up, in milliseconds.
  private static let maximumDelay: CUnsignedInt = 50

  private let state = Guarded(State())
  @MainActor private let batch = Batch()
  @MainActor let pendingLoads = PendingLoads()

  /// Adds a job; called on any thread.
  func post(_ job: @escaping Job) {
    let (isFirst, isWatched) = state.withLock { state in
      state.jobs.append(job)
      defer { (state.isScheduled, state.isWatched) = (true, true) }
      return (!state.isScheduled, state.isWatched)
    }
    guard isFirst else { return }
    let source = g_idle_source_new()
    g_source_set_priority(source, Self.priority)
    // A job may run a main loop of its own, for a dialog.
    g_source_set_can_recurse(source, 1)
    g_source_set_callback(source, { _ in MainQueue.shared.run() ? 1 : 0 }, nil, nil)
    g_source_attach(source, nil)
    g_source_unref(source)
    if !isWatched { watch() }
  }

  /// Runs jobs now and then also while frames take all of the time: what waits for a job, such as a
  /// spinner, may be what draws them.
  private func watch() {
    let look: GSourceFunc = { _ in
      MainActor.assumeIsolated {
        let queue = MainQueue.shared
        let wait = g_get_monotonic_time() - queue.batch.time
        if wait > Int(MainQueue.maximumDelay) * 1_000 { _ = queue.run() }
        return queue.state.withLock { state in
          state.isWatched = state.isScheduled
          return state.isWatched ? 1 : 0
        }
      }
    }
    g_timeout_add_full(G_PRIORITY_DEFAULT, Self.maximumDelay, look, nil, nil)
  }

  /// Adds a job after a time.
  func post(afterMilliseconds delay: Int, _ job: @escaping Job) {
    let data = Unmanaged.passRetained(Delayed(job)).toOpaque()
    let run: GSourceFunc = { data in
      guard let data else { return 0 }
      MainQueue.shared.post(Unmanaged<Delayed>.fromOpaque(data).takeUnretainedValue().job)
      return 0
    }
    let delay = CUnsignedInt(clamping: delay)
    g_timeout_add_full(G_PRIORITY_DEFAULT, delay, run, data) { data in
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
      defer { batch.time = g_get_monotonic_time() }
      while let job = next() {
        job()
        if g_get_monotonic_time() >= end { return true }
      }
      return false
    }
  }

  /// The next job; when there is none, the source ends.
  ///
  /// What a job holds is released by the caller: an object's end may post another.
  @MainActor
  private func next() -> Job? {
    if batch.next == batch.jobs.count {
      let more = state.withLock { state in
        defer { state.jobs = [] }
        state.isScheduled = !state.jobs.isEmpty
        return state.jobs
      }
      (batch.jobs, batch.next) = (more, 0)
    }
    guard batch.next < batch.jobs.count else { return nil }
    defer { batch.next += 1 }
    return batch.jobs[batch.next].take()
  }
}
