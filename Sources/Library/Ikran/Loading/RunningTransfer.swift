import IkranSystem
import IkranTransport
import Synchronization

/// A transfer under way: its priority, how far it is, and its end.
final class RunningTransfer: Sendable {
  /// Those who get the bytes of a transfer while they arrive.
  struct Receivers: Sendable {
    /// The frames that may be shown of it before it ends; nil when none may.
    var animations: AnimationPreviews?
    /// Previews of stills; nil when they are not allowed.
    var stills: StillPreviews?
    /// Ends it when enough has arrived; nil when all of the file is wanted.
    var earlyStop: EarlyStop?
  }

  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    var progress: TransferProgress?
    var metrics = RequestMetrics()
    var response: ResponseHead?
  }

  /// Carries the priority down to the queue.
  let subscription: Subscription
  private let state = Guarded(State())

  private let receivers: Receivers

  var animations: AnimationPreviews? { receivers.animations }
  var stills: StillPreviews? { receivers.stills }
  var earlyStop: EarlyStop? { receivers.earlyStop }

  /// Its place among the changes of what is known (``SourceRecord/change``): from when it was last
  /// sent, or was asked for if it was not sent.
  var change: ChangeNumber { ChangeNumber(value: lastChange.load(ordering: .relaxed)) }
  private let lastChange: Atomic<Int>

  init(
    change: ChangeNumber,
    priority: ImagePriority,
    receivers: Receivers,
    alwaysStores: @escaping @Sendable () -> CacheStages,
    onProgress: @escaping @Sendable (TransferProgress) -> Void
  ) {
    lastChange = Atomic(change.value)
    (self.receivers, self.alwaysStores) = (receivers, alwaysStores)
    subscription = Subscription(priority, onProgress: onProgress)
  }

  /// Sets its place when it is sent: what is stored or removed from now on is newer.
  func noteSent(as change: ChangeNumber) { lastChange.store(change.value, ordering: .relaxed) }

  /// Whether any request listens to its progress.
  let hasListeners = Atomic(false)

  /// The caches from which any request takes a beginning that it goes on from.
  var reads: CacheStages { CacheStages(rawValue: readStages.load(ordering: .acquiring)) }
  private let readStages = Atomic(CacheStages([]).rawValue)

  /// The caches in which any request wants what it brings.
  private var stores: CacheStages { CacheStages(rawValue: storeStages.load(ordering: .acquiring)) }
  private let storeStages = Atomic(CacheStages([]).rawValue)

  /// The caches that may store what it brings whatever the response says: those of requests that
  /// never ask again, and still wait.
  private let alwaysStores: @Sendable () -> CacheStages

  /// The caches in which any request keeps what may be stored so.
  func stores(_ storing: Body.Storing) -> CacheStages {
    switch storing {
    case .allowed: stores
    case .onlyWithoutRevalidation: alwaysStores()
    case .forbidden: []
    }
  }

  /// Takes note of a request that waits for it, and of what it wants.
  func add(_ want: SourceLoad.Want, of subscription: Subscription) {
    if subscription.listens { hasListeners.store(true, ordering: .relaxed) }
    readStages.bitwiseOr(want.reads.rawValue, ordering: .releasing)
    storeStages.bitwiseOr(want.stores.rawValue, ordering: .releasing)
  }

  /// Whether a try of it has left a beginning that the next one goes on from.
  var hasKeptBeginning: Bool { keptBeginning.load(ordering: .acquiring) }
  private let keptBeginning = Atomic(false)

  func noteKeptBeginning() { keptBeginning.store(true, ordering: .releasing) }

  /// Whether a try of it has broken off, and what it has left may be on its way to the disk.
  var hasBrokenOff: Bool { brokenOff.load(ordering: .relaxed) }
  private let brokenOff = Atomic(false)

  func noteBrokenOff() { brokenOff.store(true, ordering: .relaxed) }

  /// What arrived so far, for a request that joins.
  var progress: TransferProgress? { state.withLock { $0.progress } }

  /// Sets what has arrived so far, and reports it to the requests that listen.
  func update(progress: TransferProgress) {
    var progress = progress
    // More than was announced: the length is unknown after all.
    if let expected = progress.expected, progress.received > expected {
      progress = TransferProgress(received: progress.received, expected: nil)
    }
    state.withLock { $0.progress = progress }
    if hasListeners.load(ordering: .relaxed) { subscription.report(progress) }
  }

  /// Whether it is to be given the body so far.
  var hasPreviews: Bool { animations != nil || stills != nil }

  /// Gives the previews the file so far.
  func update(file: borrowing [UInt8]) {
    animations?.update(file: file)
    stills?.update(file: file)
  }

  /// How long it waited for its turns, and what it cost.
  var metrics: RequestMetrics { state.withLock { $0.metrics } }

  /// Adds a wait for its turn.
  func addWait(_ wait: Duration) { state.withLock { $0.metrics.queue += wait } }

  /// Adds what ending early has saved.
  func addSavedBytes(_ savedBytes: Int) { state.withLock { $0.metrics.savedBytes += savedBytes } }

  /// Sets what the last try cost.
  func set(metrics: TransferMetrics?) { state.withLock { $0.metrics.transfer = metrics } }

  /// The response that brought the bytes or confirmed them; nil before it is there.
  var response: ResponseHead? { state.withLock { $0.response } }

  /// Keeps the response that brought the bytes or confirmed them.
  func keep(_ response: ResponseHead) { state.withLock { $0.response = response } }

  /// Hands it the task that does the work.
  func run(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { InlineExecutor.$isInline.withValue(false) { task.cancel() } }
  }

  func cancel() {
    animations?.cancel()
    stills?.cancel()
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    // A handler resumes the task. It must not run before `cancel` has returned, which still reads
    // what the task frees at its end.
    InlineExecutor.$isInline.withValue(false) { task?.cancel() }
  }
}
