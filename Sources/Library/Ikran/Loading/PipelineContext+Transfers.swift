import IkranCodecs
import IkranIsolation
import IkranStores
import IkranTransport

extension PipelineContext {
  /// Transfers a source; what it comes to.
  func transfer(
    _ order: SourceLoad.TransferOrder,
    of source: SourceRequest,
    _ transfer: RunningTransfer,
    onBegin: @escaping @Sendable () -> Void
  ) async -> SourceLoad.Event {
    do throws(ImageError) {
      // A download begins when its turn has come.
      if !source.isDownload { onBegin() }
      if let storage = source.storage {
        guard let bytes = await storage() else { return .missing(order.transfer.number) }
        let id = Checksum.wide(bytes)
        var body = Body(bytes: bytes, source: .avatar, id: id, sourceKey: source.key)
        body.since = transfer.change
        return .received(order.transfer.number, body)
      }
      guard let url = source.url else {
        var body = try await source.request.ownBody(source.key)
        body.since = transfer.change
        return .received(order.transfer.number, body)
      }
      guard source.isDownload else {
        var body = try await local(url, of: source, transfer)
        body.since = transfer.change
        return .received(order.transfer.number, body)
      }
      return try await download(order, from: url, of: source, transfer, onBegin: onBegin)
    } catch {
      transfer.animations?.end(isWhole: false)
      return .failed(order.transfer.number, error)
    }
  }

  /// Reads a local file, or the body in a `data:` URL.
  private func local(
    _ url: String,
    of source: SourceRequest,
    _ transfer: RunningTransfer
  ) async throws(ImageError) -> Body {
    let limit = min(options.network.maximumBodyBytes, options.decoding.limits.maximumBytes)
    // Before it is read: a file that changes during the read is read again by the next request.
    let (id, kind) = (source.localID, source.request.origin)
    do throws(TransportError) {
      let response = try await transport.fetch(
        TransportRequest(url: url, maximumBodyBytes: limit)
      ) { transfer.update(progress: $0) }
      return Body(bytes: response.body, source: kind, id: id, sourceKey: source.key)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .transport(error, url: source.displayName)
    }
  }

  private func download(
    _ order: SourceLoad.TransferOrder,
    from url: String,
    of source: SourceRequest,
    _ transfer: RunningTransfer,
    onBegin: @escaping @Sendable () -> Void
  ) async throws(ImageError) -> SourceLoad.Event {
    var download = makeDownload(order, from: url, of: source, for: transfer)
    download.mayKeep = { [records, key = source.key] in records.mayKeep(sentAs: $0, of: key) }
    download.onBegin = { [records] in
      transfer.noteSent(as: records.nextChange())
      onBegin()
    }
    download.onHead = { [codecs] head in
      if head.status / 100 == 2 { codecs.expectFile(of: head.mediaType) }
    }
    let isSafe = HTTPMethod.isSafe(source.request.transfer.method)
    let start = clock.now()
    let (reply, room): (NetworkStage.Reply, Backlog.Reservation?)
    do throws(ImageError) {
      (reply, room) = try await network.fetch(download, transfer)
    } catch {
      if !isSafe, error.isAfterSuccess { invalidateGet(of: source) }
      if isSafe, error.isGone { invalidate(source.key, as: transfer.change) }
      throw error
    }
    if !isSafe { invalidateGet(of: source) }
    switch reply {
    case .redirected(let redirect): return .redirected(order.transfer.number, redirect)
    case .notModified(let response):
      return confirm(response, of: source, by: transfer, order.transfer.number)
    case .body(let bytes, let response, let storing, let prefix):
      let duration = Duration.microseconds(clock.now() - start)
      counters.count(.downloaded(bytes: bytes.count, duration: duration))
      var body = Body(bytes: bytes, source: .network, id: nil, sourceKey: source.key)
      body.arrival = Body.Arrival(
        response: response,
        sentFor: source,
        order: order,
        transfer: transfer,
        room: room
      )
      (body.storing, body.prefix, body.since) = (storing, prefix, transfer.change)
      return .received(order.transfer.number, body)
    }
  }

  private func makeDownload(
    _ order: SourceLoad.TransferOrder,
    from url: String,
    of source: SourceRequest,
    for transfer: RunningTransfer
  ) -> NetworkStage.Download {
    var download = NetworkStage.Download(source: source, url: url, timeout: order.transfer.timeout)
    (download.kept, download.mayRetry) = (order.validators, order.transfer.mayRetry)
    (download.requestedAs, download.isReload) = (records.nextChange(), order.transfer.isReload)
    if !order.transfer.isReload {
      download.beginning = { [self] in beginning(of: source, for: transfer) }
    }
    return download
  }

  /// Takes note of a 304; what it confirms is forgotten where it must not be kept, or has been
  /// replaced.
  ///
  /// It changes the source's record alone: files and images stay as they are.
  private func confirm(
    _ response: StoredResponse,
    of source: SourceRequest,
    by transfer: RunningTransfer,
    _ number: SourceLoad.TransferNumber
  ) -> SourceLoad.Event {
    let storing = Body.Storing(response, method: "GET")
    let stores = transfer.stores(storing)
    guard storing == .allowed || !stores.isEmpty else {
      invalidate(source.key, as: transfer.change)
      return .forgotten(number)
    }
    counters.count(.confirmed)
    var found = SourceLoad.KnownSource(
      nil,
      id: response.body ?? source.key.id,
      validators: nil,
      validity: .fresh
    )
    if !stores.isEmpty {
      var confirmed = record(by: response)
      confirmed.change = transfer.change
      guard records.set(confirmed, of: source.key, isConfirmation: true) else {
        return .forgotten(number)
      }
      disk.extend(response, for: "\(source.key)")
      found.validators = response
    }
    return .notModified(number, found)
  }

  /// Invalidates the GET responses of a URL that an unsafe method has succeeded on (RFC 9111,
  /// section 4.4).
  private func invalidateGet(of source: SourceRequest) {
    records.invalidate(location: source.location, at: clock.now())
    var read = source.request
    (read.transfer.method, read.transfer.body) = ("GET", nil)
    var plain = read
    plain.transfer.headers = []
    for key in Set([read, plain].map { self.source(of: $0).key }) { invalidate(key) }
    // Clears all sources: an extra request is harmless.
    network.failures.removeAll()
  }
}
