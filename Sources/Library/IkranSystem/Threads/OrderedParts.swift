import IkranPixels

/// A pool whose idle threads may help with one job.
protocol IdleThreadPool: IdleThreads {
  /// Runs `job` on a thread that is idle now, or drops it when the pool ends first; false when
  /// every thread is busy.
  func runIfIdle(_ job: @escaping @Sendable () -> Void) -> Bool
  /// Whether the pool has more jobs than idle threads.
  var hasWaitingJobs: Bool { get }
}

extension IdleThreadPool {
  package func begin(
    _ count: Int,
    ahead: Int,
    _ prepare: @escaping @Sendable (Int) -> Void
  ) -> (any PartsAhead)? {
    let parts = OrderedParts(count, ahead: ahead, pool: self, prepare)
    return parts.useIdleThread() ? parts : nil
  }
}

/// The numbered parts of one job: one thread takes them in order, idle threads of a pool prepare
/// some before.
///
/// No thread sleeps but the one that takes the parts, and that one only while another thread is at
/// work on the part that it needs: where all others are busy, it prepares every part itself.
private final class OrderedParts: PartsAhead, Sendable {
  private struct State {
    let count, ahead: Int
    /// The first part that no thread has begun.
    var next = 0
    /// How many parts were taken; the last of them is in use.
    var taken = 0
    /// Parts that are prepared and not taken.
    var prepared: Set<Int> = []
    /// Threads of the pool that assist, and those of them that prepare a part.
    var assisting = 0
    var preparing = 0
    var hasEnded = false

    /// Whether a part may be begun: there is one, and memory for it.
    var hasWork: Bool { !hasEnded && next < min(count, max(taken - 1, 0) + ahead) }

    /// The part to prepare; nil when there is none.
    mutating func begin() -> Int? {
      guard hasWork else { return nil }
      next += 1
      return next - 1
    }
  }

  private let pool: any IdleThreadPool
  private let prepare: @Sendable (Int) -> Void
  private let state: Monitor<State>

  init(
    _ count: Int,
    ahead: Int,
    pool: any IdleThreadPool,
    _ prepare: @escaping @Sendable (Int) -> Void
  ) {
    state = Monitor(State(count: count, ahead: ahead))
    (self.pool, self.prepare) = (pool, prepare)
  }

  /// Uses one idle thread more if there is work for it; false when none is idle.
  @discardableResult
  func useIdleThread() -> Bool {
    let isUseful = state.withLock { state in
      guard state.hasWork, state.assisting < state.ahead - 1 else { return false }
      state.assisting += 1
      return true
    }
    guard isUseful, !pool.runIfIdle({ self.assist() }) else { return true }
    state.withLock { $0.assisting -= 1 }
    return false
  }

  func next() -> Bool {
    let part = state.withLock { state in
      state.taken += 1
      return state.taken - 1
    }
    useIdleThread()
    while true {
      let step = state.wait { (state) -> Step? in
        if part >= state.count || state.hasEnded { return .stop }
        if state.prepared.remove(part) != nil { return .use }
        return state.begin().map { .prepare($0) }
      }
      switch step {
      case .use: return true
      case .stop: return false
      case .prepare(let own):
        prepare(own)
        state.withLock { _ = $0.prepared.insert(own) }
      }
    }
  }

  /// What the thread that takes the parts does next.
  private enum Step {
    case use, stop
    case prepare(Int)
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    state.wait { $0.preparing == 0 ? () : nil }
  }

  /// Prepares parts on a thread of the pool.
  private func assist() {
    while !pool.hasWaitingJobs,
      let part = state.withLock({ state in
        let part = state.begin()
        if part != nil { state.preparing += 1 }
        return part
      })
    {
      prepare(part)
      state.withLock { state in
        state.preparing -= 1
        state.prepared.insert(part)
      }
      // Only the thread that takes the parts waits.
      state.wakeOne()
    }
    state.withLock { $0.assisting -= 1 }
  }
}
