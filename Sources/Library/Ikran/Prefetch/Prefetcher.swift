import IkranPixels
import IkranStores

/// Loads images before they are requested, a few at a time and after all other work.
///
/// ```swift
/// let prefetcher = Prefetcher(pipeline)
/// let list = prefetcher.start(urls.map { ImageRequest($0, style: .circle(48)) })
/// for await update in list.updates { … }
/// ```
/// Work is shared with all requests of the same pipeline for the same image: a view's request
/// raises its priority, and cancelling here leaves it to that. Releasing the prefetcher cancels
/// nothing; ``cancelAll()`` does.
public final class Prefetcher: Sendable {
  /// How it works.
  public let options: PrefetchOptions

  private let pipeline: ImagePipeline
  let queue: PrefetchQueue

  /// Creates a prefetcher; it does nothing until it is given requests.
  public init(_ pipeline: ImagePipeline, options: PrefetchOptions = PrefetchOptions()) {
    self.pipeline = pipeline
    self.options = options
    queue = PrefetchQueue(limit: options.maximumConcurrent) { request in
      do throws(ImageError) {
        return try await pipeline.prefetch(request, by: options) ? .fetched : .skipped
      } catch .cancelled {
        return .cancelled
      } catch {
        return .failed(error)
      }
    }
  }

  /// Queues requests after those queued before, and begins with what there is room for.
  ///
  /// - Returns: The list to watch and to cancel these requests by.
  @discardableResult
  public func start(_ requests: [ImageRequest]) -> PrefetchList {
    let list = PrefetchList(count: requests.count, in: queue)
    queue.add(
      requests.map { request in
        let request = pipeline.prepared(request)
        return (request, pipeline.styledKey(request))
      },
      of: list
    )
    return list
  }

  /// Cancels the requests for the same images, in all lists, such as those of rows that left a
  /// view; others go on.
  public func cancel(_ requests: [ImageRequest]) {
    let keys = Set(requests.map { pipeline.styledKey(pipeline.prepared($0)) })
    queue.cancel { keys.contains($0.key) }
  }

  /// Cancels everything that is not done with.
  public func cancelAll() { queue.cancel { _ in true } }

  /// Whether nothing new begins; what is under way goes on.
  public var isPaused: Bool {
    get { queue.isPaused }
    set { queue.isPaused = newValue }
  }
}

extension ImagePipeline {
  /// Brings an image where it is wanted; false when it was there.
  fileprivate func prefetch(
    _ request: ImageRequest,
    by options: PrefetchOptions
  ) async throws(ImageError) -> Bool {
    var request = request
    request.priority = options.priority
    if case .disk = options.destination {
      return context.disk.isAbsent ? false : try await fetchToDisk(request)
    }
    let subscription = Subscription(options.priority)
    let wasInMemory = context.images.contains(styledKey(afterRedirects: request))
    let loaded = try await reportingFailure(of: request, subscription) {
      [request] () async throws(ImageError) in
      try await self.load(request, subscription)
    }
    report(.success(loaded.source), of: request, metrics: metrics(subscription, loaded.times))
    switch loaded.source {
    case .memory where wasInMemory: return false
    // No cache keeps it.
    case .hook: return false
    case .table:
      try await preheat(loaded.cached.image, subscription)
      return false
    default:
      if case .table = options.destination, !wasInMemory { await leaveToTable(request) }
      return true
    }
  }

  /// Takes an image out of memory once a table has it.
  private func leaveToTable(_ request: ImageRequest) async {
    await context.tables?.finishWriting()
    let visit = finalVisit(request)
    let key = styledKey(visit.source)
    guard let tables = context.tables, let size = (try? fitting(of: key))?.fixedSize,
      let body = visit.record?.body,
      tables.image(for: key, size: size, version: body) != nil
    else { return }
    context.images.remove(key)
  }

  /// Reads a mapped image's pages, so that a view that shows it does not wait for the disk.
  private func preheat(_ image: Bitmap, _ subscription: Subscription) async throws(ImageError) {
    try await context.computing.run(subscription) { (_) throws(ImageError) in
      let sum = image.withBytes { bytes in
        stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 &+ Int(bytes[$1]) }
      }
      // The optimiser would remove a sum without use.
      withExtendedLifetime(String(sum)) {}
    }
  }
}
