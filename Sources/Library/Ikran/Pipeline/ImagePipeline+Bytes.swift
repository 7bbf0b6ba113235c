public import IkranFoundation
public import IkranCodecs
import IkranSystem
import IkranTransport

// A source's bytes, and what they say, without making an image of them.

extension ImagePipeline {
  /// The bytes of a request's image file as its source has them, not decoded; its style does not
  /// matter.
  ///
  /// They come from memory, the disk or the network, by the request's cache policy.
  /// `CodecList.transcode` writes them in another format, with colours that a bitmap does not keep.
  ///
  /// - Parameters:
  ///   - request: What to ask for, and how.
  ///   - onProgress: Called with what has arrived of a download, on the thread that receives it.
  /// - Returns: The file.
  /// - Throws: ``ImageError``; ``ImageError/decode(_:url:_:)`` for a download that is no image, and
  ///   ``ImageError/cancelled`` at once when the task is cancelled.
  public func data(
    for request: ImageRequest,
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
  ) async throws(ImageError) -> [UInt8] {
    let request = prepared(request)
    let subscription = Subscription(request.priority, onProgress: onProgress)
    let body = try await reportingFailure(of: request, subscription) {
      () async throws(ImageError) in
      try await self.withSources(of: request) { (chosen) async throws(ImageError) -> Body in
        try await self.loadBody(chosen, subscription, demand: self.demand(of: chosen))
      }
    }
    if request.caching.waitsForStores { await finishStoring() }
    report(.success(body.source), of: request, metrics: metrics(subscription, body))
    return body.bytes
  }

  /// Reads what the header of the image at `url` says, and no more of the image than that takes.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func probe(_ url: URL) async throws(ImageError) -> ImageInfo {
    try await probe(ImageRequest(url))
  }

  /// Reads what the header of a request's image says, and no more of the image than that takes.
  ///
  /// The frames of GIF, animated PNG and WebP are spread over the file: all of it is read then. So
  /// it is of JPEG XL and SVG where they are decoded in another process.
  ///
  /// A file that memory or the disk has is used as a load would use it: without the network unless
  /// it is stale, and by the request's cache policy. A download waits for its turn like any other,
  /// passes the hooks except ``PipelineHooks/decrypt``, is retried like any other, ends as soon as
  /// the header has arrived, and is stored nowhere. Neither the request's style nor its other
  /// sources matter.
  ///
  /// - Parameters:
  ///   - request: The image to read, and how.
  ///   - onProgress: Called with what has arrived of a download, on the thread that receives it.
  /// - Returns: What the header says.
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func probe(
    _ request: ImageRequest,
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
  ) async throws(ImageError) -> ImageInfo {
    try await probe(request, wantsMetadata: false, onProgress).info
  }

  /// Reads what the header of a request's image says and the metadata of its file, and no more of
  /// the image than that takes.
  ///
  /// It is done as ``probe(_:onProgress:)`` does it. A download ends when the pixels begin; of a
  /// WebP file whose header announces metadata all of it is read. PNG chunks after the pixels are
  /// not waited for.
  ///
  /// - Parameters:
  ///   - request: The image to read, and how.
  ///   - onProgress: Called with what has arrived of a download, on the thread that receives it.
  /// - Returns: What the header says, and the metadata.
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func inspect(
    _ request: ImageRequest,
    onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
  ) async throws(ImageError) -> (info: ImageInfo, metadata: ImageMetadata) {
    let (info, bytes) = try await probe(request, wantsMetadata: true, onProgress)
    return (info, ImageMetadata(of: bytes))
  }

  private func probe(
    _ request: ImageRequest,
    wantsMetadata: Bool,
    _ onProgress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(ImageError) -> (info: ImageInfo, bytes: [UInt8]) {
    let request = prepared(request)
    let subscription = Subscription(request.priority, onProgress: onProgress)
    let (info, bytes, source) = try await reportingFailure(of: request, subscription) {
      () async throws(ImageError) in
      let (bytes, source, response) = try await self.header(
        of: request,
        wantsMetadata: wantsMetadata,
        for: subscription
      )
      let found = try await self.info(in: bytes, of: request, from: response, subscription)
      return (found, bytes, source)
    }
    report(.success(source), of: request, metrics: metrics(subscription))
    return (info, bytes)
  }

  /// The bytes of a file that has its header, where they come from, and the response with them.
  private func header(
    of request: ImageRequest,
    wantsMetadata: Bool,
    for subscription: Subscription
  ) async throws(ImageError) -> ([UInt8], ImageSource, ResponseHead?) {
    guard case .url(let location) = request.source else {
      return (try await request.ownBody(request.sourceKey).bytes, request.origin, nil)
    }
    if request.caching.policy == .standard || request.caching.policy == .onlyCached {
      if let body = try await cachedBody(of: request, for: subscription) {
        return (body.bytes, body.source, nil)
      }
      if request.isDownload, request.caching.policy == .onlyCached {
        throw .offline(url: request.displayName)
      }
    }
    let download = NetworkStage.Download(
      source: context.source(of: request),
      url: location,
      isReload: request.caching.policy == .reload,
      timeout: context.network.timeout(of: request)
    )
    subscription.startWaiting(at: context.clock.now())
    let response = try await context.network.fetchHeader(
      of: download,
      for: subscription,
      with: context.codecs,
      wantsMetadata: wantsMetadata
    )
    return (response.body, request.origin, request.isDownload ? response.head : nil)
  }

  /// A file that memory or the disk has, revalidated if it is stale.
  private func cachedBody(
    of request: ImageRequest,
    for subscription: Subscription
  ) async throws(ImageError) -> Body? {
    guard request.isDownload else { return nil }
    do throws(ImageError) {
      let body = try await loadBody(request, subscription, demand: .cached)
      guard request.caching.policy == .standard else { return body }
      return try await loadBody(request, subscription, demand: demand(of: request))
    } catch .offline {
      return nil
    }
  }

  /// What a header says; one that another process reads is waited for on a decoding thread, and no
  /// longer once the task is cancelled.
  private func info(
    in bytes: [UInt8],
    of request: ImageRequest,
    from response: ResponseHead?,
    _ subscription: Subscription
  ) async throws(ImageError) -> ImageInfo {
    let (codecs, cancellation) = (context.codecs, JobCancellation())
    let read: @Sendable () -> Result<ImageInfo, ImageError> = {
      do throws(DecodeError) {
        if let page = request.decoding.page, page != 0 {
          return .success(try codecs.probe(bytes.span, as: request.format, page: page))
        }
        return .success(try codecs.probe(bytes.span, as: request.format, until: cancellation))
      } catch {
        return .failure(.decode(error, url: request.displayName, ErrorContext(response)))
      }
    }
    if codecs.probesHere(bytes.span, as: request.format) { return try read().get() }
    let computing = context.computing
    let result: Result<ImageInfo, ImageError> = await withTaskCancellationHandler {
      do throws(ImageError) {
        return .success(
          try await computing.run(subscription) { (_) throws(ImageError) in try read().get() }
        )
      } catch { return .failure(error) }
    } onCancel: {
      cancellation.cancel()
    }
    if Task.isCancelled { throw .cancelled }
    return try result.get()
  }
}
