public import IkranPixels

extension Workspace {
  /// A workspace whose renders may use up to `spareThreads` other threads for a large picture.
  ///
  /// A picture has the same pixels with any number of threads. The threads start with the first
  /// picture that is large enough, sleep in between, and end with the workspace. Image pipelines
  /// need no such workspace: their decoding threads work for each other when they are idle.
  ///
  /// - Parameter spareThreads: How many other threads; one fewer than the machine has cores is
  ///   enough. With less than 1 there are none.
  public convenience init(spareThreads: Int) {
    self.init(idleThreads: spareThreads < 1 ? nil : SpareThreads(count: spareThreads))
  }
}

/// Threads that start when they are needed.
private final class SpareThreads: IdleThreads {
  private let pool: Guarded<WorkerPool<Void>?> = Guarded(nil)
  private let count: Int

  init(count: Int) { self.count = count }

  var isAnyIdle: Bool { threads.isAnyIdle }

  func begin(
    _ count: Int,
    ahead: Int,
    _ prepare: @escaping @Sendable (Int) -> Void
  ) -> (any PartsAhead)? {
    threads.begin(count, ahead: ahead, prepare)
  }

  private var threads: any IdleThreads {
    let started = pool.withLock { pool in
      let started = pool ?? WorkerPool(name: "ikran-spare", threads: count) { _ in }
      pool = started
      return started
    }
    return started.idleThreads
  }
}
