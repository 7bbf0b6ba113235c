import IkranSystem
import IkranTransport
import Synchronization

/// Starts downloads: a bounded number in all and for each host, the most urgent first.
///
/// It has no thread: a download starts on the thread that enqueues it, or on the one that makes
/// room for it, so that a transport's thread goes from one transfer to the next by itself. It can
/// be suspended and its limit can change while downloads wait and run.
final class DownloadScheduler: Sendable {
  /// A download that was enqueued; later ones have greater numbers.
  typealias Ticket = UInt64
  typealias Start = @Sendable () -> Void

  /// So many `start` calls within each other, and the next one is left to the outermost: downloads
  /// that fail as soon as they start must not exhaust the stack.
  private static let maximumNesting = 16

  private struct State {
    var queue: TransferQueue<Start>
    /// The number of `start` calls that have not returned.
    var nesting = 0
    /// When a task tries again to start one, in microseconds; nil when none waits for that.
    var timer: Int64?
    /// The task that does.
    var timerTask: Task<Void, Never>?
    /// Callers that wait until no download runs.
    var finishing: [CheckedContinuation<Void, Never>] = []

    /// The next thing to do, marked as begun.
    mutating func next(_ clock: PipelineClock) -> TransferQueue<Start>.Next {
      guard nesting < DownloadScheduler.maximumNesting else { return .none }
      let next = queue.next(at: clock.now())
      switch next {
      case .start: nesting += 1
      case .wait(let moment):
        if let timer, timer <= moment { return .none }
        timer = moment
      case .none: break
      }
      return next
    }
  }

  private let state: Guarded<State>
  let clock: PipelineClock
  private let lastTicket = Atomic<Ticket>(0)

  init(_ options: QueueOptions, clock: PipelineClock) {
    let queue = TransferQueue<Start>(
      limit: options.maximumConcurrent,
      limitPerHost: options.maximumPerHost,
      order: options.order == .lastInFirstOut ? .lastInFirstOut : .firstInFirstOut,
      rate: options.rate,
      maximumSilence: options.maximumSilence?.microseconds
    )
    state = Guarded(State(queue: queue))
    self.clock = clock
  }

  deinit { state.withLock { $0.timerTask }?.cancel() }

  /// The number of downloads that wait for their turn.
  var waiting: Int { state.withLock { $0.queue.waiting } }
  /// The number of downloads that run.
  var running: Int { state.withLock { $0.queue.running } }
  /// The highest priority among the downloads that wait; nil when none does.
  var urgency: ImagePriority? {
    state.withLock { $0.queue.highestPriority }.flatMap { ImagePriority(rawValue: $0) }
  }

  /// While true none starts; those that run go on.
  var isSuspended: Bool {
    get { state.withLock { $0.queue.isSuspended } }
    set { update { $0.queue.isSuspended = newValue } }
  }

  /// The most downloads at once; those that run beyond a lowered limit go on.
  var maximumConcurrent: Int {
    get { state.withLock { $0.queue.limit } }
    set { update { $0.queue.limit = newValue } }
  }

  /// Changes the priority of a download; one that started is ignored.
  ///
  /// `priority` is called with the lock held: of two changes at once the last one counts.
  func move(_ ticket: Ticket, to priority: () -> ImagePriority) {
    // Under the lock: see above.
    state.withLock { $0.queue.move(ticket, to: priority().rawValue) }
  }

  /// Takes a download out of the queue.
  ///
  /// - Returns: True when it waited: its `start` will never be called. False when it started, or
  ///   was withdrawn before.
  func withdraw(_ ticket: Ticket) -> Bool {
    state.withLock { $0.queue.withdraw(ticket) } != nil
  }

  /// Marks that the first byte of a started download has arrived: call it once for a download.
  func noteFirstByte(from host: String) {
    update { [clock] in $0.queue.receiveFirstByte(from: host, at: clock.now()) }
  }

  /// Ends a started download of a host, and starts those that there is room for now, on this
  /// thread.
  func leave(_ host: String, ending: TransferQueue<Start>.Ending = .silent) {
    let finishing = update { state -> [CheckedContinuation<Void, Never>] in
      state.queue.leave(host, ending: ending)
      guard state.queue.running == 0 else { return [] }
      defer { state.finishing = [] }
      return state.finishing
    }
    for continuation in finishing { continuation.resume() }
  }

  /// Returns when no download runs; those that wait for their turn do not count.
  ///
  /// A cancelled caller waits on.
  func finish() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        guard state.queue.running > 0 else { return true }
        state.finishing.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// A ticket to enqueue with, for callers that must know it before `start` can run.
  func newTicket() -> Ticket { lastTicket.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Calls `start` exactly once, unless withdrawn, without a lock: on this thread at once when
  /// there is room, else later on the thread that makes room.
  ///
  /// Each call of `start` is followed by one of ``leave(_:)``, from any thread, also from within
  /// `start`. `start` may run before this function returns, and must return quickly. The ticket is
  /// one of ``newTicket()``.
  func enqueue(
    _ ticket: Ticket,
    host: String,
    priority: ImagePriority,
    _ start: @escaping Start
  ) {
    update { $0.queue.enqueue(start, id: ticket, host: host, priority: priority.rawValue) }
  }

  /// Changes the state, then starts what may start now.
  @discardableResult
  private func update<Value: Sendable>(
    _ change: @Sendable (inout State) -> Value
  ) -> Value {
    var (value, next) = state.withLock { state in
      let value = change(&state)
      return (value, state.next(clock))
    }
    while case .start(let start) = next {
      start()
      next = state.withLock { state in
        state.nesting -= 1
        return state.next(clock)
      }
    }
    if case .wait(let moment) = next { startTimer(until: moment) }
    return value
  }

  private func startTimer(until moment: Int64) {
    let wait = Duration.microseconds(max(1, moment - clock.now()))
    let task = Task { [weak self, clock] in
      guard (try? await clock.sleep(wait)) != nil else { return }
      self?.update { state in
        // An earlier one may have been set since.
        if state.timer == moment { state.timer = nil }
      }
    }
    let needless = state.withLock { state -> Task<Void, Never>? in
      guard state.timer == moment else { return task }
      defer { state.timerTask = task }
      return state.timerTask
    }
    needless?.cancel()
  }
}

/// The place of a download that has its turn.
final class DownloadTurn: Sendable {
  /// How long the download waited for it.
  let waited: Duration
  private let host: String
  private let scheduler: DownloadScheduler
  private let responded = Atomic(false)
  private let isUsed = Atomic(false)

  fileprivate init(_ scheduler: DownloadScheduler, host: String, waited: Duration) {
    (self.scheduler, self.host, self.waited) = (scheduler, host, waited)
  }

  /// Marks that the host has sent something; later calls do nothing.
  func noteFirstByte() {
    guard !responded.exchange(true, ordering: .relaxed) else { return }
    scheduler.noteFirstByte(from: host)
  }

  /// Whether the host has sent something.
  var hasResponded: Bool { responded.load(ordering: .relaxed) }

  /// Marks that a request is sent in this turn.
  func use() { isUsed.store(true, ordering: .relaxed) }

  /// Ends the turn: a byte that arrives later counts for no other download of the host.
  fileprivate func end() -> TransferQueue<DownloadScheduler.Start>.Ending {
    if responded.exchange(true, ordering: .relaxed) { return .responded }
    return isUsed.load(ordering: .relaxed) ? .silent : .unused
  }
}

extension DownloadScheduler {
  /// Runs `body` when its turn has come.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    host: String,
    _ subscription: Subscription,
    _ body: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await pass(host: host, subscription, ticket: newTicket()) {
      (turn) async throws(ImageError) in
      turn.use()
      return try await body()
    }
  }

  /// Runs `body` when the turn of a ticket has come: an earlier ticket's comes first.
  ///
  /// - Throws: What `body` throws, or ``ImageError/cancelled`` when the task is cancelled while it
  ///   waits.
  func pass<Value: Sendable>(
    host: String,
    _ subscription: Subscription,
    ticket: Ticket,
    _ body: (DownloadTurn) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let queued = clock.now()
    guard await enter(host, subscription, ticket: ticket) else { throw .cancelled }
    let waited = Duration.microseconds(max(0, clock.now() - queued))
    let turn = DownloadTurn(self, host: host, waited: waited)
    defer { leave(host, ending: turn.end()) }
    return try await body(turn)
  }

  private func enter(
    _ host: String,
    _ subscription: Subscription,
    ticket: Ticket
  ) async -> Bool {
    let waiting = Guarded<CheckedContinuation<Bool, Never>?>(nil)
    let observer = subscription.observe { self.move(ticket, to: { subscription.priority }) }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0 = continuation }
        enqueue(ticket, host: host, priority: subscription.priority) {
          continuation.resume(returning: true)
        }
        // The priority may have changed, or the task have been cancelled, before it was enqueued.
        move(ticket, to: { subscription.priority })
        if Task.isCancelled, withdraw(ticket) { continuation.resume(returning: false) }
      }
    } onCancel: {
      if withdraw(ticket) { waiting.withLock { $0 }?.resume(returning: false) }
    }
    subscription.stopObserving(observer)
    return isIn
  }
}
