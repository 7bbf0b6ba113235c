import IkranSystem

/// The requests of one call of ``Prefetcher/start(_:)``: to be watched and cancelled, from any
/// thread.
///
/// Releasing it changes nothing.
public final class PrefetchList: Sendable {
  /// The end of one request.
  enum Outcome: Sendable {
    case fetched, skipped, cancelled
    case failed(ImageError)
  }

  /// The streams that follow the list, and the progress that they have.
  private struct Readers {
    private var progress: PrefetchProgress
    private var streams: [AsyncStream<PrefetchProgress>.Continuation] = []

    init(_ progress: PrefetchProgress) { self.progress = progress }

    mutating func add(_ stream: AsyncStream<PrefetchProgress>.Continuation) {
      guard progress.isFinished else { return streams.append(stream) }
      stream.yield(progress)
      stream.finish()
    }

    mutating func send(_ outcome: Outcome) {
      progress.add(outcome)
      for stream in streams { stream.yield(progress) }
      guard progress.isFinished else { return }
      for stream in streams { stream.finish() }
      streams = []
    }
  }

  private let state: Guarded<PrefetchProgress>
  /// Called without a lock held: a stream's reader may run within the call.
  private let readers: Serial<Readers>
  private let queue: PrefetchQueue

  init(count: Int, in queue: PrefetchQueue) {
    state = Guarded(PrefetchProgress(total: count))
    readers = Serial(Readers(PrefetchProgress(total: count)))
    self.queue = queue
  }

  /// What became of the requests so far.
  public var progress: PrefetchProgress { state.withLock { $0 } }

  /// The progress with each request from now on; the last one ``PrefetchProgress/isFinished``.
  ///
  /// A reader that falls behind misses old progress, never the last. Leaving the stream cancels
  /// nothing.
  public var updates: AsyncStream<PrefetchProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { stream in
      readers.change { $0.add(stream) }
    }
  }

  /// Waits for the last request; at once when the task is cancelled, which cancels nothing else.
  ///
  /// - Returns: What became of the requests until then.
  public func wait() async -> PrefetchProgress {
    for await _ in updates {}
    return progress
  }

  /// Cancels what is not done with; what is under way ends as soon as no other caller waits for it.
  public func cancel() { queue.cancel { $0.list === self } }

  /// Adds the outcome of one more request, and sends the progress to the readers in order.
  func add(_ outcome: Outcome) {
    state.withLock { $0.add(outcome) }
    readers.change { $0.send(outcome) }
  }
}

extension PrefetchProgress {
  fileprivate mutating func add(_ outcome: PrefetchList.Outcome) {
    switch outcome {
    case .fetched: fetched += 1
    case .skipped: skipped += 1
    case .failed(let error): add(error)
    case .cancelled: cancelled += 1
    }
  }
}
