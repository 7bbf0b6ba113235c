import IkranStores

/// The requests of one call of ``Prefetcher/start(_:)``: to be watched and cancelled, from any
/// thread.
///
/// Releasing it changes nothing.
public final class PrefetchList: Sendable {
  /// What became of one request.
  enum Outcome {
    case fetched, skipped, cancelled
    case failed(ImageError)
  }

  private struct State {
    var progress: PrefetchProgress
    var streams: [Stream] = []
    /// What the readers are still to get, in order, and whether a thread sends it.
    var unsent: [(PrefetchProgress, [Stream])] = []
    var isSending = false

    /// The next progress to send, if no other thread sends.
    mutating func beginSending() -> (PrefetchProgress, [Stream])? {
      guard !isSending else { return nil }
      isSending = true
      return next()
    }

    mutating func next() -> (PrefetchProgress, [Stream])? {
      guard !unsent.isEmpty else {
        isSending = false
        return nil
      }
      return unsent.removeFirst()
    }
  }
  private typealias Stream = AsyncStream<PrefetchProgress>.Continuation

  private let state: Guarded<State>
  private let queue: PrefetchQueue

  init(count: Int, _ queue: PrefetchQueue) {
    state = Guarded(State(progress: PrefetchProgress(total: count)))
    self.queue = queue
  }

  /// What became of the requests so far.
  public var progress: PrefetchProgress { state.withLock { $0.progress } }

  /// The progress with each request from now on; the last one ``PrefetchProgress/isFinished``.
  ///
  /// A reader that falls behind misses old progress, never the last. Leaving the stream cancels
  /// nothing.
  public var updates: AsyncStream<PrefetchProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(16)) { stream in
      state.withLock { state in
        guard state.progress.isFinished else { return state.streams.append(stream) }
        state.unsent.append((state.progress, [stream]))
      }
      send()
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

  /// Takes note of what became of one more request, and tells the readers in order.
  func note(_ outcome: Outcome) {
    state.withLock { state in
      switch outcome {
      case .fetched: state.progress.fetched += 1
      case .skipped: state.progress.skipped += 1
      case .failed(let error): state.progress.note(error)
      case .cancelled: state.progress.cancelled += 1
      }
      guard !state.streams.isEmpty else { return }
      state.unsent.append((state.progress, state.streams))
      if state.progress.isFinished { state.streams = [] }
    }
    send()
  }

  /// Sends the readers what is unsent, outside the lock; a thread that finds another one at it
  /// leaves it to that.
  private func send() {
    var next = state.withLock { $0.beginSending() }
    while let (progress, streams) = next {
      for stream in streams {
        stream.yield(progress)
        if progress.isFinished { stream.finish() }
      }
      next = state.withLock { $0.next() }
    }
  }
}
