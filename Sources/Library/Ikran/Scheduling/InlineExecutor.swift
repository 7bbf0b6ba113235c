// Decision 36: what a cold image costs.
/// Runs a task's steps on the thread that makes them ready, such as the network's: a step that only
/// hands work on is not worth waking another thread.
///
/// Between the socket and the pixels of such a transfer only a decoder's thread is woken.
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()
  /// Whether a step that is made ready now runs at once.
  @TaskLocal static var isInline = true

  func enqueue(_ job: consuming ExecutorJob) {
    guard Self.isInline else { return globalConcurrentExecutor.enqueue(job) }
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
