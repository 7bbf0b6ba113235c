public import IkranFoundation
public import IkranCodecs
public import IkranPixels
public import IkranStores
import IkranTransport
import Synchronization

public import struct IkranPixels.Style

/// Gets images from URLs, styled, and the second time without downloading, decoding or styling.
///
/// ```swift
/// let face = try await ImagePipeline.shared.image(from: url, style: .circle(48))
/// ```
/// A pipeline may be used from any thread and any task. Requests for one source share one download;
/// requests that need the same pixels share one decode.
public final class ImagePipeline: Sendable {
  /// A pipeline made from the defaults, with its image tables and its disk cache in the user's
  /// cache folder.
  public static let shared = ImagePipeline(options: .standard())

  /// The caches, the network and the threads, and the loads under way.
  let context: PipelineContext
  let loader: SourceLoader
  /// Revalidations that no caller waits for.
  let background = BackgroundTasks()
  /// Made with the first image: a program that only finds things needs none.
  let pressure = Guarded<PressureWatch?>(nil)
  let isWatchingPressure = Atomic(false)
  let lowData = Guarded(LowDataMode.automatic)
  let metered: MeteredNetwork
  /// Variables of the process's environment by their names.
  let environment: @Sendable (String) -> String?
  /// Called with the key and the bytes of every image that is looked up in memory.
  let onLookUp: (@Sendable (_ key: String, _ bytes: Int) -> Void)?

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - options: Limits and behaviour of every stage.
  ///   - transport: Where bytes come from.
  ///   - codecs: The formats that can be decoded.
  ///   - memoryCache: A store of your own for styled images, or a ``/IkranCaches/CacheChain`` of
  ///     several, in place of the one that `options.memory` describes. It is called on the caller's
  ///     thread and must not wait.
  ///   - diskCache: A store of your own in place of the one that `options.disk` describes.
  ///   - onEvent: Called with the end of each request, with downloads, decodes and stylings, and
  ///     with caches that fail, on the thread where they happen; keep it short.
  public convenience init(
    options: PipelineOptions = PipelineOptions(),
    transport: any Transport = SchemeTransport(),
    codecs: CodecList = .standard,
    memoryCache: (any MemoryCaching<StyledKey, CachedImage>)? = nil,
    diskCache: (any DataCaching)? = nil,
    onEvent: (@Sendable (PipelineEvent) -> Void)? = nil
  ) {
    self.init(
      options: options,
      transport: transport,
      codecs: codecs,
      memoryCache: memoryCache,
      diskCache: diskCache,
      onEvent: onEvent,
      clock: .system
    )
  }

  /// Creates a pipeline with an injected clock, metered-network source and environment.
  package init(
    options: PipelineOptions = PipelineOptions(),
    transport: any Transport,
    codecs: CodecList = .standard,
    memoryCache: (any MemoryCaching<StyledKey, CachedImage>)? = nil,
    diskCache: (any DataCaching)? = nil,
    onEvent: (@Sendable (PipelineEvent) -> Void)? = nil,
    clock: PipelineClock,
    metered: MeteredNetwork? = nil,
    environment: @escaping @Sendable (String) -> String? = {
      ProcessInfo.processInfo.environment[$0]
    },
    onLookUp: (@Sendable (_ key: String, _ bytes: Int) -> Void)? = nil
  ) {
    self.environment = environment
    self.onLookUp = onLookUp
    self.metered = metered ?? MeteredNetwork(now: clock.now)
    context = PipelineContext(
      options,
      transport: transport,
      codecs: codecs,
      memoryCache: memoryCache,
      diskCache: diskCache,
      onEvent: onEvent,
      clock: clock
    )
    loader = SourceLoader(context)
  }

  // What waits holds the stages, and these hold what waits.
  deinit { resume() }

  /// The image that memory or a table holds for `request`, or nil; it never waits.
  ///
  /// It may be called on any thread, the main one included; a hit takes about a microsecond. A
  /// table's image is the table's own memory, mapped from its file: where the system has not read
  /// that part of the file yet, the first reader of the pixels waits for the disk.
  public func cached(for request: ImageRequest) -> Bitmap? {
    // A request is copied only for the hook: that takes as long as finding the image.
    if let prepare = context.options.hooks.prepare { return found(for: prepare(request)) }
    return found(for: request)
  }

  private func found(for request: ImageRequest) -> Bitmap? {
    guard let image = hit(for: request) else { return nil }
    if onLookUp != nil { traceLookUp(of: image, of: finalVisit(request).source) }
    report(.success(image.source), of: request, metrics: RequestMetrics())
    return image.cached.image
  }

  /// Loads the image at `url`.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func image(
    from url: URL,
    style: Style = .original
  ) async throws(ImageError) -> Bitmap {
    try await image(for: ImageRequest(url, style: style))
  }

  /// Loads an image.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func image(for request: ImageRequest) async throws(ImageError) -> Bitmap {
    let request = prepared(request)
    if let hit = immediateHit(for: request) {
      report(.success(hit.source), of: request, metrics: RequestMetrics())
      return hit.cached.image
    }
    return try await loadedResponse(to: request).image
  }

  /// Loads an image and tells where it came from.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func response(for request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let request = prepared(request)
    if let response = immediateResponse(to: request) { return response }
    return try await loadedResponse(to: request)
  }

  /// What memory or a table has for a prepared request, where that is all there is to do.
  func immediateResponse(to request: ImageRequest) -> ImageResponse? {
    guard let hit = immediateHit(for: request) else { return nil }
    report(.success(hit.source), of: request, metrics: RequestMetrics())
    return hit.response(styledKey(afterRedirects: request), RequestMetrics())
  }

  private func loadedResponse(to request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let subscription = Subscription(request.priority)
    let loaded = try await reportingFailure(of: request, subscription) {
      () async throws(ImageError) in
      try await self.load(request, subscription)
    }
    if request.caching.waitsForStores { await finishStoring() }
    return response(loaded, to: request, subscription)
  }

  /// Starts loading an image and hands out a task whose priority can change while it runs.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(prepared(request), pipeline: self)
  }

  /// Loads an image and tells of its progress.
  ///
  /// The stream ends after ``ImageEvent/finished(_:)`` or ``ImageEvent/failed(_:)``; leaving it
  /// cancels the load. A reader that falls behind misses old progress, never what was cached or the
  /// ending.
  public func events(for request: ImageRequest) -> AsyncStream<ImageEvent> {
    task(for: request).events
  }

  /// Counts since the pipeline was made.
  public var statistics: PipelineStatistics {
    var statistics = context.counters.statistics
    statistics.memoryHits = context.images.hits
    statistics.tableHits = context.tables?.hits ?? 0
    return statistics
  }

  /// While true no download begins; those under way go on.
  public var isSuspended: Bool {
    get { context.network.queue.isSuspended }
    set { context.network.queue.isSuspended = newValue }
  }

  /// While true no transfer begins: what the caches have is shown, however old, and everything else
  /// fails with ``ImageError/offline(url:)``; transfers under way go on.
  ///
  /// A reload fails too, and a refresh shows what is there before it does.
  public var isOffline: Bool {
    get { context.network.isOffline }
    set { context.network.isOffline = newValue }
  }

  /// The most downloads at once; it may change at any time.
  public var maximumConcurrentDownloads: Int {
    get { context.network.queue.maximumConcurrent }
    set { context.network.queue.maximumConcurrent = newValue }
  }

  /// Downloads under way, and downloads that wait for their turn.
  public var downloads: (running: Int, waiting: Int) {
    (context.network.queue.running, context.network.queue.waiting)
  }

  /// Requests that wait for a cache, a download or a decode; 0 when nothing is being loaded.
  public var runningRequests: Int { loader.waiting }

  /// Forgets that a request's source or its host failed, or asked for a pause, so that the next
  /// request asks for it again.
  public func removeFailure(of request: ImageRequest) {
    let request = prepared(request)
    for source in [context.source(of: request), finalVisit(request).source] {
      context.network.forgetFailure(of: source)
    }
  }

  /// Forgets which sources and hosts failed or asked for a pause.
  public func removeAllFailures() { context.network.forgetAllFailures() }

  /// Ends everything that is being loaded: each caller that waits for it gets
  /// ``ImageError/cancelled``, and a decode that has not begun is not done.
  ///
  /// A probe, a styled image that is being read from the disk, and what an avatar's storage does
  /// end by themselves.
  public func cancelAll() {
    loader.cancelAll()
    background.cancelAll()
  }

  /// Returns when every download so far is on the disk and every image in its table, or was given
  /// up, and the disk cache is flushed; at once when the task is cancelled.
  ///
  /// Waits for every background revalidation too, which may take as long as a download's timeouts
  /// and stores what it brings.
  public func finishWriting() async {
    await background.finish()
    await finishStoring()
  }

  /// Returns when every download so far is stored, as ``finishWriting()`` does, without waiting for
  /// background revalidations.
  func finishStoring() async {
    await context.disk.finishWriting()
    await context.network.partials.finishWriting()
    await context.tables?.finishWriting()
  }

  /// Ends everything under way, and returns when what had arrived of it is stored.
  ///
  /// A cancelled caller waits for that, too. Nothing new may be requested until it returns.
  package func cancelAllAndFinishWriting() async {
    cancelAll()
    // In a cancelled task the stages would not wait. This one always ends soon: nothing is left
    // that loads.
    await Task {
      await context.network.queue.finish()
      await finishStoring()
    }.value
  }

  /// The request as the program's own hook and its own `Cache-Control` want it.
  func prepared(_ request: ImageRequest) -> ImageRequest {
    (context.options.hooks.prepare?(request) ?? request).withCacheControl
  }

  /// The response to a request that ends now, named by where its redirects lead.
  func response(
    _ loaded: LoadedImage,
    to request: ImageRequest,
    _ subscription: Subscription
  ) -> ImageResponse {
    let response = cachedResponse(loaded, to: request, subscription)
    report(.success(loaded.source), of: request, metrics: response.metrics)
    return response
  }

  /// The response to a request that goes on, named by where its redirects lead.
  func cachedResponse(
    _ loaded: LoadedImage,
    to request: ImageRequest,
    _ subscription: Subscription
  ) -> ImageResponse {
    let key = styledKey(afterRedirects: request)
    return loaded.response(
      key,
      metrics(subscription, loaded.times),
      origin: subscription.response
    )
  }

  package func styledKey(_ request: ImageRequest) -> StyledKey {
    styledKey(request, of: request.sourceKey(context.options.keys))
  }

  func styledKey(_ source: SourceRequest) -> StyledKey {
    styledKey(source.request, of: source.key)
  }

  private func styledKey(_ request: ImageRequest, of source: SourceKey) -> StyledKey {
    StyledKey(
      source: source,
      style: request.effectiveStyle,
      scale: request.scale ?? context.options.scale,
      colors: context.options.decoding.colors,
      usesThumbnails: context.options.decoding.usesThumbnails,
      decoding: request.ownDecoding
    )
  }
}
