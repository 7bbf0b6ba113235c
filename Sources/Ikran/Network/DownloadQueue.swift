import IkranStores

/// Lets downloads begin: a bounded number in all and per host, most urgent first.
///
/// It can be suspended and its limits can change while downloads wait and run.
final class DownloadQueue: Sendable {
  private struct State {
    var turns: DownloadTurns<CheckedContinuation<Bool, Never>>
    var lastID: UInt64 = 0
    /// Whether somebody will look again when the token bucket has a token.
    var isPaused = false
    /// Callers that wait until no download is under way.
    var finishing: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Guarded<State>
  private let clock: PipelineClock

  init(_ options: QueueOptions, _ clock: PipelineClock) {
    state = Guarded(State(turns: DownloadTurns(options)))
    self.clock = clock
  }

  /// The number of downloads that wait for their turn.
  var waiting: Int { state.withLock { $0.turns.waiting } }
  /// The number of downloads under way.
  var running: Int { state.withLock { $0.turns.running } }
  /// The highest priority among the downloads that wait; nil when none does.
  var urgency: ImagePriority? {
    state.withLock { $0.turns.urgency }.flatMap { ImagePriority(rawValue: $0) }
  }

  /// While true none begins; those under way go on.
  var isSuspended: Bool {
    get { state.withLock { $0.turns.isSuspended } }
    set {
      state.withLock { $0.turns.isSuspended = newValue }
      admit()
    }
  }

  /// The most downloads at once; those under way beyond a lowered limit go on.
  var maximumConcurrent: Int {
    get { state.withLock { $0.turns.options.maximumConcurrent } }
    set {
      state.withLock { $0.turns.options.maximumConcurrent = newValue }
      admit()
    }
  }

  /// Runs `body` when its turn has come.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    host: String,
    _ interest: Interest,
    _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter(host, interest) else { throw .cancelled }
    defer { leave(host) }
    return try await body()
  }

  /// Returns when no download is under way; those that wait for their turn do not count.
  ///
  /// A cancelled caller waits on.
  func finish() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        guard state.turns.running > 0 else { return true }
        state.finishing.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  private func leave(_ host: String) {
    let finishing = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.turns.leave(host)
      guard state.turns.running == 0 else { return [] }
      defer { state.finishing = [] }
      return state.finishing
    }
    for continuation in finishing { continuation.resume() }
    admit()
  }

  private func enter(_ host: String, _ interest: Interest) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let observer = interest.observe { [self] in
      state.withLock { $0.turns.move(id, to: interest.priority.rawValue) }
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        state.withLock { state in
          let priority = interest.priority.rawValue
          state.turns.enter(turn, id: id, host: host, priority: priority)
        }
        if Task.isCancelled { withdraw(id) }
        admit()
      }
    } onCancel: {
      withdraw(id)
    }
    interest.stopObserving(observer)
    return isIn
  }

  private func withdraw(_ id: UInt64) {
    let turn = state.withLock { $0.turns.withdraw(id) }
    turn?.resume(returning: false)
  }

  /// Begins whatever may begin now.
  private func admit() {
    while true {
      let turn = state.withLock { state in
        let turn = state.turns.next(at: clock.now())
        guard case .pause = turn else { return turn }
        defer { state.isPaused = true }
        return state.isPaused ? .none : turn
      }
      switch turn {
      case .begin(let turn): turn.resume(returning: true)
      case .none: return
      case .pause(let moment): return lookAgain(at: moment)
      }
    }
  }

  private func lookAgain(at moment: Int64) {
    let wait = Duration.microseconds(max(1, moment - clock.now()))
    Task { [clock] in
      // Nobody cancels this task: a sleep that ends early only looks early.
      try? await clock.sleep(wait)
      self.state.withLock { $0.isPaused = false }
      self.admit()
    }
  }
}
