import IkranFoundation
import IkranCodecs
import IkranSystem
import IkranTransport

/// When the header of a file that arrives is read again.
private struct HeaderReading {
  /// Once frames may follow, nothing but the end of the file is enough.
  var wantsAll = false
  private var last = 0

  /// Whether a fifth more has arrived since the last time: each reading begins at the first byte.
  mutating func isDue(at byteCount: Int) -> Bool {
    // Another transfer has begun.
    if byteCount < last { self = HeaderReading() }
    guard !wantsAll, byteCount >= last + last / 5 else { return false }
    last = byteCount
    return true
  }
}

extension NetworkStage {
  /// A response with the first bytes of a body: as many as the header of an image takes and up to a
  /// fifth more, and its metadata if that is wanted.
  ///
  /// - Throws: ``ImageError``.
  func fetchHeader(
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
    return try await untilSent(download, subscription) { current in
      await outgoing(sending: request, of: current)
    } send: { current, outgoing, turn, _ -> TurnResult<TransportResponse> in
      let result = await firstBytes(
        of: current,
        sending: outgoing.request,
        for: subscription,
        in: turn
      )
      var failure: Failure?
      if case .failure(let reason) = result { failure = reason }
      updateHost(of: current, after: failure, in: turn)
      return TurnResult(result)
    }
  }

  /// A request whose transfer ends when the header of the image has arrived, and the metadata if
  /// that is wanted.
  private func probingRequest(
    of download: Download,
    with codecs: CodecList,
    wantsMetadata: Bool
  ) -> TransportRequest {
    var request = makeRequest(for: download, priority: download.request.priority)
    let format = download.request.format
    let reading = Guarded(HeaderReading())
    request.shouldStop = { bytes in
      // This thread serves all transfers: it waits for no other process.
      guard reading.withLock({ $0.isDue(at: bytes.count) }),
        codecs.probesHere(bytes.span, as: format),
        let info = try? codecs.probe(bytes.span, as: format)
      else { return false }
      let mayHaveMore = info.mayHaveMoreFrames(after: bytes.span)
      if mayHaveMore { reading.withLock { $0.wantsAll = true } }
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
    let hooks = download.request.isDownload ? self.hooks(for: download.request) : PipelineHooks()
    let progress: @Sendable (TransferProgress) -> Void = { progress in
      if let turn { self.noteFirstByte(of: download, in: turn) }
      subscription.report(progress)
    }
    do throws(Failure) {
      var response: TransportResponse
      do throws(TransportError) {
        response = try await transport.fetch(sent, progress: progress)
        let (renewal, own) = (hooks.unauthorized, download.request.hooks?.id)
        let renewed = await credentials.renewed(sent, after: response, by: renewal, hooks: own)
        if let renewed { response = try await transport.fetch(renewed, progress: progress) }
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
