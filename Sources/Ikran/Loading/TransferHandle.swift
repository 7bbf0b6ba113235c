import IkranStores
import IkranTransport

/// A transfer under way: its priority, how far it is, and its end.
final class TransferHandle: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    var progress: TransferProgress?
    var metrics = RequestMetrics()
  }

  /// Carries the priority down to the queue.
  let subscription: Subscription
  private let state = Guarded(State())

  init(_ priority: ImagePriority, _ listener: @escaping @Sendable (TransferProgress) -> Void) {
    subscription = Subscription(priority, onProgress: listener)
  }

  /// What arrived so far, for a request that joins.
  var progress: TransferProgress? { state.withLock { $0.progress } }

  func note(_ progress: TransferProgress) {
    state.withLock { $0.progress = progress }
    subscription.report(progress)
  }

  /// How long it waited for its turns, and what it cost.
  var metrics: RequestMetrics { state.withLock { $0.metrics } }

  /// Adds a wait for its turn.
  func note(wait: Duration) { state.withLock { $0.metrics.queue += wait } }

  /// Takes note of what the last try cost.
  func note(_ metrics: TransferMetrics?) { state.withLock { $0.metrics.transfer = metrics } }

  /// Hands it the task that does the work.
  func run(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}

/// Runs a task's steps on the thread that makes them ready, such as the network's: a step that only
/// hands work on is not worth waking another thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
