import IkranSystem

/// The requests that wait, first come first served, and those under way, which are few.
final class PrefetchQueue: Sendable {
  /// One request of a list.
  struct Job: Sendable {
    let id: UInt64
    let list: PrefetchList
    let request: ImageRequest
    /// The source, the style and the scale.
    let key: StyledKey
  }

  private struct State {
    var lastID: UInt64 = 0
    /// Those that wait have no task.
    var jobs: [UInt64: (job: Job, task: Task<Void, Never>?)] = [:]
    var queue = JobQueue<UInt64>()
    var running = 0
    var isPaused = false
  }

  private let limit: Int
  private let work: @Sendable (ImageRequest) async -> PrefetchList.Outcome
  private let state = Guarded(State())

  init(limit: Int, _ work: @escaping @Sendable (ImageRequest) async -> PrefetchList.Outcome) {
    self.limit = max(1, limit)
    self.work = work
  }

  /// Whether nothing new begins.
  var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      state.withLock { $0.isPaused = newValue }
      begin()
    }
  }

  /// The number of requests that wait or are under way.
  var count: Int { state.withLock { $0.jobs.count } }

  /// The number of requests under way.
  var running: Int { state.withLock { $0.running } }

  func add(_ requests: [(request: ImageRequest, key: StyledKey)], of list: PrefetchList) {
    state.withLock { state in
      for (request, key) in requests {
        state.lastID += 1
        let job = Job(id: state.lastID, list: list, request: request, key: key)
        state.jobs[job.id] = (job, nil)
        state.queue.add(job.id, id: job.id, priority: 0)
      }
    }
    begin()
  }

  /// Drops the jobs that match: each gets its outcome now.
  func cancel(_ matches: (Job) -> Bool) {
    let dropped = state.withLock { state in
      // Under the lock: `matches` compares what a job has.
      let dropped = state.jobs.values.filter { matches($0.job) }
      for (job, task) in dropped {
        state.jobs[job.id] = nil
        if task == nil { _ = state.queue.remove(job.id) } else { state.running -= 1 }
      }
      return dropped
    }
    for (job, task) in dropped.sorted(by: { $0.job.id < $1.job.id }) {
      task?.cancel()
      job.list.add(.cancelled)
    }
    begin()
  }

  /// Begins as many jobs as there is room for.
  private func begin() {
    state.withLock { state in
      while !state.isPaused, state.running < limit, let id = state.queue.next() {
        guard let job = state.jobs[id]?.job else { continue }
        state.running += 1
        state.jobs[id]?.task = Task { await self.run(job) }
      }
    }
  }

  @concurrent
  private func run(_ job: Job) async {
    let outcome = await work(job.request)
    let isListed = state.withLock { state in
      guard state.jobs.removeValue(forKey: job.id) != nil else { return false }
      state.running -= 1
      return true
    }
    // A job that was cancelled has had its outcome.
    guard isListed else { return }
    job.list.add(outcome)
    begin()
  }
}
