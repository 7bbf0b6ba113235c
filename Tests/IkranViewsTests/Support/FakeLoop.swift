import IkranSystem
import IkranViews
import Support

/// A main loop whose time a test moves, and the frames of its windows: one every 16 ms.
final class FakeLoop: ViewLoop {
  typealias Job = @MainActor @Sendable () -> Void

  private struct Timer {
    let time: Int
    let job: Job
  }

  private struct State {
    var jobs: [Job] = []
    var timers: [Timer] = []
    /// In milliseconds.
    var now = 0
  }

  @MainActor
  private final class Follower: FrameCallback {
    var body: ((Int) -> Bool)?

    init(_ body: @escaping @MainActor (Int) -> Bool) { self.body = body }

    func cancel() { body = nil }
  }

  @MainActor let pendingLoads = PendingLoads()
  @MainActor private var followers: [Follower] = []
  private let state = Guarded(State())

  /// In microseconds.
  var time: Int { state.withLock { $0.now } * 1000 }

  /// How many views wait for frames.
  @MainActor var followerCount: Int { followers.count { $0.body != nil } }

  /// Whether a job waits that another thread has posted.
  var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

  func post(_ job: @escaping Job) { state.withLock { $0.jobs.append(job) } }

  func post(afterMilliseconds delay: Int, _ job: @escaping Job) {
    state.withLock { $0.timers.append(Timer(time: $0.now + delay, job: job)) }
  }

  /// Calls a closure at each frame, until it returns false.
  @MainActor
  func follow(_ body: @escaping @MainActor (Int) -> Bool) -> any FrameCallback {
    let follower = Follower(body)
    followers.append(follower)
    return follower
  }

  /// Moves the time on, and runs what is due.
  @MainActor
  func advance(milliseconds: Int) {
    runJobs()
    for _ in 0..<milliseconds {
      let (now, due) = state.withLock { state in
        state.now += 1
        let due = state.timers.filter { $0.time <= state.now }
        state.timers.removeAll { $0.time <= state.now }
        return (state.now, due)
      }
      for timer in due { timer.job() }
      if now % 16 == 0 { drawFrame(now * 1000) }
      runJobs()
    }
  }

  /// Runs what other threads post, without a step of time, until a condition holds.
  @MainActor
  func run(until condition: () -> Bool) async throws {
    try await until {
      runJobs()
      return condition()
    }
  }

  @MainActor
  private func runJobs() {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        return state.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
  }

  @MainActor
  private func drawFrame(_ time: Int) {
    for follower in followers where follower.body?(time) == false { follower.cancel() }
    followers.removeAll { $0.body == nil }
  }
}
