import IkranPixels
import IkranSystem

/// Threads for work that blocks or computes: off Swift's cooperative threads, bounded, most
/// urgent first.
///
/// Its threads start with the first job.
struct ThreadPool: Sendable {
  private let pool: Lazy<WorkerPool<Workspace>>
  /// Whether its threads begin with a pause.
  private let beginsPaused = Guarded(false)

  init(name: String, threads: @escaping @autoclosure @Sendable () -> Int) {
    pool = Lazy { [beginsPaused] in
      let pool = WorkerPool(name: name, threads: threads()) { Workspace(idleThreads: $0) }
      if beginsPaused.withLock({ $0 }) { pool.isPaused = true }
      return pool
    }
  }

  /// Whether there has been a job.
  var hasStarted: Bool { pool.existing != nil }

  /// Whether jobs wait until it is false again; running ones go on.
  var isPaused: Bool {
    get { pool.existing?.isPaused ?? beginsPaused.withLock { $0 } }
    nonmutating set { if !setIfUnused(newValue) { pool.existing?.isPaused = newValue } }
  }

  /// Has the jobs wait, unless there has been one; then it is false.
  func pauseIfUnused() -> Bool { setIfUnused(true) }

  private func setIfUnused(_ isPaused: Bool) -> Bool {
    pool.ifMissing { beginsPaused.withLock { $0 = isPaused } }
  }

  /// Waits on the caller's thread until no job runs; for a pool that is paused.
  func waitUntilIdle() { pool.existing?.waitUntilIdle() }

  /// The number of jobs that wait for a thread.
  var waiting: Int { pool.existing?.waiting ?? 0 }

  /// Does `work` on one of the pool's threads.
  ///
  /// While it waits its turn it follows the priority of `subscription`, and leaves the queue when
  /// the caller's task is cancelled. Once started it runs to its end. Work that `finishes` a
  /// request goes before equally urgent work that begins one: else the first image of many would
  /// come after the last decode.
  ///
  /// - Throws: What `work` throws, or ``ImageError/cancelled``.
  func run<Value: Sendable>(
    _ subscription: Subscription,
    finishes: Bool = false,
    _ work: @escaping @Sendable (Workspace) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let pool = pool.value
    let id = pool.nextID()
    let rank: @Sendable () -> Int = { 2 * subscription.priority.rawValue + (finishes ? 1 : 0) }
    let observer = subscription.observe { pool.move(id, to: rank) }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (done: CheckedContinuation<Result<Value, ImageError>, Never>) in
        pool.submit(id: id, priority: rank) { workspace in
          done.resume(returning: Result { () throws(ImageError) in try work(workspace) })
        } dropped: {
          done.resume(returning: .failure(.cancelled))
        }
        if Task.isCancelled { pool.withdraw(id) }
      }
    } onCancel: {
      pool.withdraw(id)
    }
    subscription.stopObserving(observer)
    return try result.get()
  }

  /// A number for the next job, to move or withdraw it by.
  func nextJob() -> UInt64 { pool.value.nextID() }

  /// Does `work` in its turn; the caller goes on.
  ///
  /// `dropped` is called in place of `work` when the job leaves the queue without its turn.
  ///
  /// `priority` is called under the pool's lock, here and in ``move(_:to:)``: a change that comes
  /// before the job is queued is not lost.
  func submit(
    _ job: UInt64,
    priority: () -> ImagePriority,
    _ work: @escaping @Sendable (Workspace) -> Void,
    dropped: @escaping @Sendable () -> Void = {}
  ) {
    pool.value.submit(id: job, priority: { 2 * priority().rawValue }, job: work, dropped: dropped)
  }

  /// Changes the priority of a job that still waits.
  func move(_ job: UInt64, to priority: () -> ImagePriority) {
    pool.value.move(job, to: { 2 * priority().rawValue })
  }

  /// Takes a job out of the queue; one that has started goes on.
  func withdraw(_ job: UInt64) { pool.value.withdraw(job) }

  /// Does `work` in its turn, as urgent as any other.
  ///
  /// - Throws: What `work` throws, or ``ImageError/cancelled``.
  func perform<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await run(Subscription(.normal)) { (_) throws(ImageError) in Result { try work() } }.get()
  }

  /// Does `work` in its turn, as urgent as any other; no caller waits for it.
  func later(_ work: @escaping @Sendable () -> Void) { later { (_: Workspace) in work() } }

  /// Does `work` in its turn with a thread's working memory; no caller waits for it.
  func later(_ work: @escaping @Sendable (Workspace) -> Void) {
    let pool = pool.value
    pool.submit(id: pool.nextID(), priority: { 2 * ImagePriority.normal.rawValue }) { workspace in
      work(workspace)
    } dropped: {
    }
  }
}
