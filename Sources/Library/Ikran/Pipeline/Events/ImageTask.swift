import IkranSystem
import IkranTransport

/// One load under way: it can be awaited, watched, hurried and cancelled, from any thread.
///
/// Releasing the last reference does not cancel it; ``cancel()`` and leaving ``events`` do.
public final class ImageTask: Sendable {
  /// What is loaded.
  public let request: ImageRequest

  private let subscription: Subscription
  private let running: Task<Result<ImageResponse, ImageError>, Never>
  /// Called without a lock held: a stream's reader may run within the call.
  private let watchers: Serial<Watchers>

  init(_ request: ImageRequest, pipeline: ImagePipeline) {
    let watchers = Serial(Watchers())
    let steps = ProgressSteps(request.transfer.progressStep)
    let subscription = Subscription(
      request.priority,
      onProgress: { progress in
        guard steps.includes(progress) else { return }
        watchers.change { $0.send(.progress(progress)) }
      },
      onPreview: { preview in watchers.change { $0.send(.preview(preview)) } }
    )
    self.request = request
    self.subscription = subscription
    self.watchers = watchers
    running = Task {
      do throws(ImageError) {
        let (loaded, isUnchanged) = try await pipeline.reportingFailure(of: request, subscription) {
          () async throws(ImageError) in
          try await pipeline.loadFromSources(of: request, subscription) { hit in
            let response = pipeline.cachedResponse(hit, to: request, subscription)
            watchers.change { $0.send(.cached(response)) }
          }
        }
        if request.caching.waitsForStores { await pipeline.finishStoring() }
        let response = pipeline.response(loaded, to: request, subscription)
        watchers.change { $0.end(with: isUnchanged ? .unchanged : .finished(response)) }
        return .success(response)
      } catch {
        watchers.change { $0.end(with: .failed(error)) }
        return .failure(error)
      }
    }
  }

  /// How soon the image is wanted; a change reorders work that still waits, at once.
  public var priority: ImagePriority {
    get { subscription.priority }
    set { subscription.change(to: newValue) }
  }

  /// The finished image.
  ///
  /// A caller whose own task is cancelled cancels the load.
  ///
  /// - Throws: ``ImageError``.
  public var response: ImageResponse {
    get async throws(ImageError) {
      let running = running
      let result = await withTaskCancellationHandler {
        await running.value
      } onCancel: {
        running.cancel()
      }
      return try result.get()
    }
  }

  /// Everything that happens from now on, ending with the one ending.
  ///
  /// A reader that falls behind misses old progress, never what was cached or the ending. Leaving
  /// the stream cancels the load.
  public var events: AsyncStream<ImageEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Watcher.limit)) { continuation in
      let running = running
      continuation.onTermination = { reason in
        if case .cancelled = reason { running.cancel() }
      }
      watchers.change { $0.add(continuation) }
    }
  }

  /// Ends the load; callers that await it get ``ImageError/cancelled``, unless it was done already.
  public func cancel() { running.cancel() }

  /// One stream that follows a load.
  private struct Watcher {
    /// The most events that wait for a reader; the oldest make room.
    static let limit = 16

    let stream: AsyncStream<ImageEvent>.Continuation
    /// How many events were sent since what was cached.
    private var steps = 0

    init(_ stream: AsyncStream<ImageEvent>.Continuation) { self.stream = stream }

    /// Sends an event.
    ///
    /// The `cached` event is sent again where it would be the next to make room, and so moves after
    /// progress instead of being lost to it.
    mutating func send(_ event: ImageEvent, after cached: ImageEvent?) {
      let result = stream.yield(event)
      guard let cached else { return }
      if case .cached = event { return steps = 0 }
      steps += 1
      guard steps == Self.limit - 1 else { return }
      switch result {
      case .enqueued(remaining: 0), .dropped: stream.yield(cached)
      // There would be no room if it still waited.
      default: return
      }
      steps = 0
    }
  }

  /// The streams that follow one load, and the events that later ones get.
  private struct Watchers {
    private var streams: [Watcher] = []
    /// The image that a cache held: later streams get it, too, else "unchanged" would mean nothing.
    private var cached: ImageEvent?
    /// The bytes that the last preview was made of.
    private var previewBytes = 0
    private var ending: ImageEvent?

    mutating func add(_ stream: AsyncStream<ImageEvent>.Continuation) {
      if let cached { stream.yield(cached) }
      guard let ending else { return streams.append(Watcher(stream)) }
      stream.yield(ending)
      stream.finish()
    }

    mutating func send(_ event: ImageEvent) {
      if case .cached = event { cached = event }
      if case .preview(let response) = event {
        // Two threads may have made two: one that shows less does not come after one that shows
        // more.
        guard response.encodedBytes >= previewBytes else { return }
        previewBytes = response.encodedBytes
      }
      for index in streams.indices { streams[index].send(event, after: cached) }
    }

    mutating func end(with ending: ImageEvent) {
      self.ending = ending
      for watcher in streams {
        watcher.stream.yield(ending)
        watcher.stream.finish()
      }
      streams = []
    }
  }
}
