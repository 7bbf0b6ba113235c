package import IkranPixels
import Synchronization

// Decision 4: dedicated threads for disk and decoding.
/// A fixed number of threads that run queued jobs in the order of priority.
///
/// Blocking calls and long computations run here so that Swift's cooperative threads stay free.
/// Every thread creates one `Local`: scratch memory that jobs reuse without a lock. Idle threads
/// sleep. Releasing the pool lets running jobs end and drops the queued ones.
package final class WorkerPool<Local>: Sendable {
  /// A job; called once, on one of the pool's threads.
  package typealias Job = @Sendable (Local) -> Void

  private struct Entry: Sendable {
    let job: Job
    let dropped: @Sendable () -> Void
  }

  private struct State {
    var queue = JobQueue<Entry>()
    var threads = 0
    /// Jobs that threads are doing.
    var running = 0
    /// Jobs for idle threads so far; their ids have the highest bit.
    var idleJobs: UInt64 = 0
    var isStopped = false
    /// Whether queued jobs wait.
    var isPaused = false

    var isAnyIdle: Bool { running + queue.count < threads && !isStopped && !isPaused }
  }

  /// The threads retain it: the pool itself may be released while they sleep.
  private let shared = Monitor(State())
  private let lastID = Atomic<UInt64>(0)
  private let makeLocal: @Sendable (any IdleThreads) -> Local
  private let hasThreads: Bool

  /// Starts the threads; they are named `name` in debuggers, and each calls `makeLocal` first.
  ///
  /// `makeLocal` gets the pool's threads, for jobs with parts that idle threads can prepare.
  ///
  /// If the system cannot start any thread, jobs run on the threads that submit them.
  package init(
    name: String,
    threads: Int,
    makeLocal: @escaping @Sendable (any IdleThreads) -> Local
  ) {
    self.makeLocal = makeLocal
    let shared = shared
    let started = (0..<max(1, threads)).filter { _ in
      BackgroundThread.start(name: name) {
        let local = makeLocal(IdleWorkers(shared: shared))
        var isRunning = false
        // Nil sleeps on; an optional that holds nil ends the thread.
        while let entry = shared.wait(for: { state -> Entry?? in
          if isRunning {
            state.running -= 1
            if state.isPaused && state.running == 0 { shared.wakeAll() }
          }
          let next = state.isPaused ? nil : state.queue.next()
          isRunning = next != nil
          if isRunning { state.running += 1 }
          return next != nil || state.isStopped ? .some(next) : nil
        }) {
          entry.job(local)
        }
      }
    }
    hasThreads = !started.isEmpty
    shared.withLock { $0.threads = started.count }
  }

  deinit {
    let left = shared.withLock { state in
      state.isStopped = true
      var left: [Entry] = []
      while let entry = state.queue.next() { left.append(entry) }
      return left
    }
    shared.wakeAll()
    for entry in left { entry.dropped() }
  }

  /// The number of jobs that wait for a thread.
  package var waiting: Int { shared.withLock { $0.queue.count } }

  /// Whether queued jobs wait; running ones go on.
  ///
  /// Where the system could start no thread, jobs run on the threads that submit them all the same.
  package var isPaused: Bool {
    get { shared.withLock { $0.isPaused } }
    set {
      shared.withLock { $0.isPaused = newValue }
      shared.wakeAll()
    }
  }

  /// Sleeps until no job runs; only while the pool is paused does none begin after that.
  package func waitUntilIdle() {
    shared.wait { $0.running == 0 || !$0.isPaused ? () : nil }
  }

  /// An id for the next job, to withdraw or move it.
  package func nextID() -> UInt64 {
    lastID.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Queues a job under an id from ``nextID()``.
  ///
  /// `dropped` is called instead of `job` when the job leaves the queue without running. `priority`
  /// is called with the lock held, so that a concurrent change is not lost: this call or ``move``
  /// sees it.
  package func submit(
    id: UInt64,
    priority: () -> Int,
    job: @escaping Job,
    dropped: @escaping @Sendable () -> Void
  ) {
    guard hasThreads else { return job(makeLocal(idleThreads)) }
    shared.withLock {
      // Under the lock: see above.
      $0.queue.add(Entry(job: job, dropped: dropped), id: id, priority: priority())
    }
    shared.wakeOne()
  }

  /// Changes the priority of a queued job; `priority` is called with the lock held.
  package func move(_ id: UInt64, to priority: () -> Int) {
    // Under the lock: see `submit`.
    shared.withLock { $0.queue.move(id, to: priority()) }
  }

  /// Removes a job from the queue and calls its `dropped`; a job that has started continues.
  package func withdraw(_ id: UInt64) { shared.withLock { $0.queue.remove(id) }?.dropped() }

  /// The threads, for jobs with parts that idle ones can prepare; it does not retain the pool.
  package var idleThreads: any IdleThreads { IdleWorkers(shared: shared) }

  private struct IdleWorkers: IdleThreadPool {
    let shared: Monitor<State>

    var isAnyIdle: Bool { shared.withLock { $0.isAnyIdle } }

    func runIfIdle(_ job: @escaping @Sendable () -> Void) -> Bool {
      let entry = Entry(job: { _ in job() }, dropped: {})
      let isIdle = shared.withLock { state in
        guard state.isAnyIdle else { return false }
        state.idleJobs += 1
        // Any other job goes first.
        state.queue.add(entry, id: 1 << 63 | state.idleJobs, priority: .min)
        return true
      }
      if isIdle { shared.wakeOne() }
      return isIdle
    }

    var hasWaitingJobs: Bool {
      shared.withLock { $0.queue.count > $0.threads - $0.running }
    }
  }
}
