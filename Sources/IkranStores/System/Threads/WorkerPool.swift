import Glibc

/// A fixed number of threads that run queued jobs in the order of priority.
///
/// Blocking calls and long computations run here so that Swift's cooperative threads stay free.
/// Every thread creates one `Local`: scratch memory that jobs reuse without a lock. Idle threads
/// sleep. Releasing the pool lets running jobs end and drops the queued ones.
package final class WorkerPool<Local>: Sendable {
  /// A job; called once, on one of the pool's threads.
  package typealias Job = @Sendable (Local) -> Void

  private let shared: Shared
  private let makeLocal: @Sendable () -> Local
  private let hasThreads: Bool

  /// Starts the threads; they are named `name` in debuggers, and each calls `makeLocal` first.
  ///
  /// If the system cannot start any thread, jobs run on the threads that submit them.
  package init(name: String, threads: Int, makeLocal: @escaping @Sendable () -> Local) {
    shared = Shared()
    self.makeLocal = makeLocal
    let shared = shared
    let started = (0..<max(1, threads)).filter { _ in
      BackgroundThread.start(name: name) { shared.work(makeLocal()) }
    }
    hasThreads = !started.isEmpty
  }

  deinit { shared.stop() }

  /// The number of jobs that wait for a thread.
  package var waiting: Int { shared.waiting }

  /// An id for the next job, to withdraw or move it.
  package func nextID() -> UInt64 { shared.nextID() }

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
    shared.add(Shared.Entry(job: job, dropped: dropped), id: id, priority: priority)
  }

  /// Changes the priority of a queued job; `priority` is called with the lock held.
  package func move(_ id: UInt64, to priority: () -> Int) { shared.move(id, to: priority) }

  /// Removes a job from the queue and calls its `dropped`; a job that has started continues.
  package func withdraw(_ id: UInt64) { shared.withdraw(id) }

  /// The state that the threads retain: the pool itself may be released while they sleep.
  private final class Shared: @unchecked Sendable {  // every access to the vars holds `mutex`
    struct Entry: Sendable {
      let job: Job
      let dropped: @Sendable () -> Void
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var queue = JobQueue<Entry>()
    private var lastID: UInt64 = 0
    private var isStopped = false

    init() {
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    var waiting: Int { locked { queue.count } }

    func nextID() -> UInt64 {
      locked {
        lastID += 1
        return lastID
      }
    }

    func add(_ entry: Entry, id: UInt64, priority: () -> Int) {
      let isQueued = locked {
        guard !isStopped else { return false }
        queue.add(entry, id: id, priority: priority())
        pthread_cond_signal(condition)
        return true
      }
      if !isQueued { entry.dropped() }
    }

    func move(_ id: UInt64, to priority: () -> Int) {
      locked { queue.move(id, to: priority()) }
    }

    func withdraw(_ id: UInt64) { locked { queue.remove(id) }?.dropped() }

    func stop() {
      let left = locked {
        isStopped = true
        pthread_cond_broadcast(condition)
        var left: [Entry] = []
        while let entry = queue.next() { left.append(entry) }
        return left
      }
      for entry in left { entry.dropped() }
    }

    func work(_ local: Local) {
      while let entry = nextEntry() { entry.job(local) }
    }

    private func nextEntry() -> Entry? {
      locked {
        while true {
          if let entry = queue.next() { return entry }
          if isStopped { return nil }
          pthread_cond_wait(condition, mutex)
        }
      }
    }

    private func locked<R>(_ body: () -> R) -> R {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return body()
    }
  }
}
