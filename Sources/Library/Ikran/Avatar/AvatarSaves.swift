import IkranSystem

/// Saves of avatars: a few at a time, on threads of their own, and the rest in a queue that is
/// bounded in bytes.
///
/// What one storage is given of one source is saved in order. A `save` that blocks its thread holds
/// up other saves only.
final class AvatarSaves: Sendable {
  typealias Save = @Sendable () async -> Void

  /// What of a storage a save changes.
  struct Target: Hashable {
    let storageID: String
    let source: SourceKey
  }

  private struct Job {
    let id: Int
    let target: Target
    /// What the image and the file take.
    let bytes: Int
    let save: Save
  }

  private struct State {
    var last = 0
    var running: [Target: Int] = [:]
    var queued: [Job] = []
    var queuedBytes = 0
    var waiting: [(last: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// The oldest save that is not done.
    var oldest: Int { min(running.values.min() ?? .max, queued.first?.id ?? .max) }

    /// Takes out the first save that may start.
    mutating func next(limit: Int) -> Job? {
      guard running.count < limit,
        let index = queued.firstIndex(where: { running[$0.target] == nil })
      else { return nil }
      let job = queued.remove(at: index)
      queuedBytes -= job.bytes
      running[job.target] = job.id
      return job
    }
  }

  private let limit: Int
  private let byteLimit: Int
  private let state = Guarded(State())
  private let executor: SaveExecutor

  init(limit: Int = 4, byteLimit: Int = 64 << 20) {
    (self.limit, self.byteLimit) = (limit, byteLimit)
    executor = SaveExecutor(threads: limit)
  }

  /// The saves that run, and those that wait for them.
  var counts: (running: Int, queued: Int) {
    state.withLock { ($0.running.count, $0.queued.count) }
  }

  /// Does a save in its turn.
  ///
  /// - Returns: False when too many bytes wait already; the save is then not done.
  func add(_ target: Target, bytes: Int, _ save: @escaping Save) -> Bool {
    let (isAdded, next) = state.withLock { state -> (Bool, Job?) in
      // One that is larger than the queue is saved when the queue is empty.
      guard state.queued.isEmpty || state.queuedBytes + bytes <= byteLimit else {
        return (false, nil)
      }
      state.last += 1
      state.queued.append(Job(id: state.last, target: target, bytes: bytes, save: save))
      state.queuedBytes += bytes
      return (true, state.next(limit: limit))
    }
    if let next { start(next) }
    return isAdded
  }

  /// Returns when every save so far is done.
  func finish() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isDone = state.withLock { state in
        guard state.oldest <= state.last else { return true }
        state.waiting.append((state.last, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  private func start(_ job: Job) {
    // Runs to its end; `finish` waits for it.
    Task(executorPreference: executor) {
      await job.save()
      self.end(job)
    }
  }

  private func end(_ job: Job) {
    let (next, done) = state.withLock { state in
      state.running[job.target] = nil
      let next = state.next(limit: limit)
      let oldest = state.oldest
      let done = state.waiting.filter { $0.last < oldest }
      state.waiting.removeAll { $0.last < oldest }
      return (next, done)
    }
    if let next { start(next) }
    for waiter in done { waiter.continuation.resume() }
  }
}

/// Runs tasks on threads of its own.
private final class SaveExecutor: TaskExecutor {
  private let threads: ThreadPool

  init(threads: Int) { self.threads = ThreadPool(name: "ikran-save", threads: threads) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    threads.later { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
