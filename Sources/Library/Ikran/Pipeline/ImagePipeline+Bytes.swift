public import FoundationEssentials
public import IkranCodecs
import IkranSystem
import IkranTransport

// What a source's bytes say without making an image of them.

extension ImagePipeline {
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
      return (try self.info(in: bytes, of: request, from: response), bytes, source)
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
      return (try request.inlineBody(request.sourceKey).bytes, request.origin, nil)
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
      ignoresFailures: request.caching.policy == .reload,
      timeout: request.transfer.timeout ?? context.options.network.timeout
    )
    subscription.startWaiting(at: context.clock.now())
    let response = try await context.network.beginning(
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

  private func info(
    in bytes: [UInt8],
    of request: ImageRequest,
    from response: ResponseHead?
  ) throws(ImageError) -> ImageInfo {
    do throws(DecodeError) { return try context.codecs.probe(bytes.span, as: request.format) } catch
    {
      throw .decode(error, url: request.displayName, ErrorContext(response))
    }
  }
}

extension NetworkStage {
  /// A response with the first bytes of a body: as many as the header of an image takes, and its
  /// metadata if that is wanted.
  ///
  /// - Throws: ``ImageError``.
  func beginning(
    of download: Download,
    for subscription: Subscription,
    with codecs: CodecList,
    wantsMetadata: Bool
  ) async throws(ImageError) -> TransportResponse {
    let request = probingRequest(of: download, with: codecs, wantsMetadata: wantsMetadata)
    guard download.request.isDownload else {
      switch await firstBytes(of: download, sending: request, for: subscription) {
      case .success(let response): return response
      case .failure(let failure): throw failure.error
      }
    }
    var download = try admitted(download)
    var (retries, pauses) = (0, 0)
    while true {
      download.isLastTry = wait(before: retries + 1, of: download) == nil
      let current = download
      try await waitForPermission(of: current, &pauses)
      let result = try await inTurn(of: current, subscription) {
        await outgoing(sending: request, of: current)
      } body: { outgoing, turn, _ -> Result<TransportResponse, Failure> in
        let result = await firstBytes(
          of: current,
          sending: outgoing.request,
          for: subscription,
          in: turn
        )
        var failure: Failure?
        if case .failure(let reason) = result { failure = reason }
        updateHost(of: current, after: failure, in: turn)
        return result
      }
      switch result {
      case nil: continue
      case .success(let response):
        failures.remove(download.source.failureKey)
        return response
      case .failure(let failure):
        retries += 1
        try await wait(after: failure, of: current, before: retries)
      }
    }
  }

  private func outgoing(
    sending request: TransportRequest,
    of download: Download
  ) async -> Result<Outgoing, Failure> {
    do throws(Failure) {
      let sent = try await applyingWillSend(to: request, of: download)
      return .success(Outgoing(request: sent, partial: nil))
    } catch {
      return .failure(error)
    }
  }

  /// A request whose transfer ends when the header of the image has arrived, and the metadata if
  /// that is wanted.
  private func probingRequest(
    of download: Download,
    with codecs: CodecList,
    wantsMetadata: Bool
  ) -> TransportRequest {
    var request = makeRequest(for: download)
    let format = download.request.format
    // Once frames may follow, nothing but the end of the file is enough.
    let wantsAll = Guarded(false)
    request.shouldStop = { bytes in
      // This thread serves all transfers: it waits for no other process.
      guard !wantsAll.withLock({ $0 }), codecs.probesHere(bytes.span, as: format),
        let info = try? codecs.probe(bytes.span, as: format)
      else { return false }
      let mayHaveMore = info.mayHaveMoreFrames(after: bytes.span)
      wantsAll.withLock { $0 = mayHaveMore }
      return !mayHaveMore && !(wantsMetadata && ImageMetadata.mayFollow(bytes.span))
    }
    return request
  }

  private func firstBytes(
    of download: Download,
    sending sent: TransportRequest,
    for subscription: Subscription,
    in turn: DownloadTurn? = nil
  ) async -> Result<TransportResponse, Failure> {
    // Local files and inline data pass no hooks.
    let hooks = download.request.isDownload ? self.hooks : PipelineHooks()
    let progress: @Sendable (TransferProgress) -> Void = { progress in
      if let turn { self.noteFirstByte(of: download, in: turn) }
      subscription.report(progress)
    }
    do throws(Failure) {
      var response: TransportResponse
      do throws(TransportError) {
        response = try await transport.fetch(sent, progress: progress)
        if let renewed = await credentials.renewed(sent, after: response, by: hooks.unauthorized) {
          response = try await transport.fetch(renewed, progress: progress)
        }
      } catch {
        throw Failure(error, of: download)
      }
      if let turn { noteFirstByte(of: download, in: turn) }
      let context = ErrorContext(response.head)
      response = try await passed(
        response,
        through: hooks.didReceive,
        of: download,
        context: context
      )
      guard options.responses.statuses.contains(response.status) else {
        throw Failure(
          error: download.error(of: response),
          retryAfter: retryAfter(response, now: clock.now()),
          isNoStore: CacheControl(response.headers).noStore
        )
      }
      return .success(response)
    } catch {
      return .failure(error)
    }
  }
}
