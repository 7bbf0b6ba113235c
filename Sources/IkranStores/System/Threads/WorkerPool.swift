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
    var lastID: UInt64 = 0
    var isStopped = false
  }

  /// The threads retain it: the pool itself may be released while they sleep.
  private let shared = Monitor(State())
  private let makeLocal: @Sendable () -> Local
  private let hasThreads: Bool

  /// Starts the threads; they are named `name` in debuggers, and each calls `makeLocal` first.
  ///
  /// If the system cannot start any thread, jobs run on the threads that submit them.
  package init(name: String, threads: Int, makeLocal: @escaping @Sendable () -> Local) {
    self.makeLocal = makeLocal
    let shared = shared
    let started = (0..<max(1, threads)).filter { _ in
      BackgroundThread.start(name: name) {
        let local = makeLocal()
        // Nil sleeps on; an optional that holds nil ends the thread.
        while let entry = shared.wait(for: { state -> Entry?? in
          if let entry = state.queue.next() { return .some(entry) }
          return state.isStopped ? .some(nil) : nil
        }) {
          entry.job(local)
        }
      }
    }
    hasThreads = !started.isEmpty
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

  /// An id for the next job, to withdraw or move it.
  package func nextID() -> UInt64 {
    shared.withLock { state in
      state.lastID += 1
      return state.lastID
    }
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
    guard hasThreads else { return job(makeLocal()) }
    shared.withLock {
      $0.queue.add(Entry(job: job, dropped: dropped), id: id, priority: priority())
    }
    shared.wakeOne()
  }

  /// Changes the priority of a queued job; `priority` is called with the lock held.
  package func move(_ id: UInt64, to priority: () -> Int) {
    shared.withLock { $0.queue.move(id, to: priority()) }
  }

  /// Removes a job from the queue and calls its `dropped`; a job that has started continues.
  package func withdraw(_ id: UInt64) { shared.withLock { $0.queue.remove(id) }?.dropped() }
}
