import FoundationEssentials
import IkranStores
import IkranTransport

// From a response to a reply.

extension NetworkStage {
  /// Maps a response to a reply, or throws why it brings no image.
  func evaluate(
    _ response: TransportResponse,
    to sent: TransportRequest,
    _ download: Download,
    _ partial: PartialBody?,
    _ prefix: BodyPrefix?,
    _ requested: Int64
  ) throws(Failure) -> Reply {
    let received = clock.now()
    var body = response.body
    switch response.status {
    case 304:
      guard let kept = download.kept else { break }
      guard kept.isConfirmed(by: response) else {
        throw Failure(error: .status(304, url: download.name), restartsAtOnce: true)
      }
      return .notModified(kept.refreshed(by: response, requested: requested, received: received))
    case 206, 416:
      guard let partial else { break }
      partials.remove("\(download.source)")
      if response.status == 206, prefix != nil, partial.isContinued(by: response) {
        body = partial.bytes + response.body
        break
      }
      guard response.status == 206, let whole = partial.completed(by: response) else {
        let error = ImageError.status(response.status, url: download.name)
        throw Failure(error: error, restartsAtOnce: true)
      }
      body = whole
    default: break
    }
    let isWhole = response.status != 206 || partial != nil
    guard options.responses.statuses.contains(response.status), response.status != 204, isWhole
    else {
      throw Failure(
        error: .status(response.status, url: download.name),
        retryAfter: retryAfter(response, now: received),
        isNoStore: CacheControl(response.headers).noStore
      )
    }
    guard options.responses.accepts(contentType: response.header("content-type")) else {
      let type = response.header("content-type") ?? "none"
      throw Failure(error: .contentType(type, url: download.name))
    }
    if response.status != 206, partial != nil { partials.remove("\(download.source)") }
    return try reply(response, body, prefix, sent, download, requested, received)
  }

  /// Keeps the beginning of a file, so that a larger picture goes on from there, and counts what ending
  /// early has saved.
  func storePrefix(
    _ reply: Reply,
    _ prefix: BodyPrefix,
    _ response: TransportResponse,
    _ download: Download,
    _ partial: PartialBody?,
    _ transfer: TransferHandle
  ) {
    guard case .body(let bytes, _, let mayStore, _) = reply else { return }
    let saved = prefix.total.map { max(0, $0 - bytes.count) } ?? 0
    transfer.note(savedBytes: saved)
    counters.record(.stoppedEarly(savedBytes: saved))
    guard mayStore, download.request.caching.stores.contains(.disk),
      let beginning = PartialBody(response, after: partial)
    else { return }
    partials.keep(beginning, for: "\(download.source)")
  }

  /// What a redirect says, and the request for its target; nil for other responses.
  func redirect(
    _ response: TransportResponse,
    to sent: TransportRequest,
    _ download: Download,
    _ requested: Int64
  ) throws(Failure) -> Redirect? {
    guard sent.reportsRedirects, HTTPHop.isRedirect(response.status),
      let location = response.redirectTarget ?? response.header("location"), !location.isEmpty
    else { return nil }
    let target = URL(string: location, relativeTo: URL(string: sent.url))?.absoluteString
    let next = target.flatMap {
      download.request.redirected(to: $0, from: sent.url, isIsolated: isolatesRedirects)
    }
    guard let target, let next else {
      let error = TransportError.forbiddenRedirect(redacted(target ?? location))
      throw Failure(error: .transport(error, url: download.name))
    }
    var stored = StoredResponse(
      response,
      to: sent.headers,
      requested: requested,
      received: clock.now()
    )
    stored.headers.append(HeaderField("location", target))
    return Redirect(
      request: download.request,
      source: download.source,
      response: stored,
      mayStore: !stored.cacheControl.noStore || expiry(of: download.request) == .never,
      target: next
    )
  }

  private func reply(
    _ response: TransportResponse,
    _ body: [UInt8],
    _ prefix: BodyPrefix?,
    _ sent: TransportRequest,
    _ download: Download,
    _ requested: Int64,
    _ received: Int64
  ) throws(Failure) -> Reply {
    var body = body
    if let decrypt = hooks.decrypt {
      do { body = try decrypt(body) } catch {
        throw Failure(error: .refused("decrypting failed: \(error)", url: download.name))
      }
    }
    var stored = StoredResponse(
      response,
      to: sent.headers,
      requested: requested,
      received: received
    )
    // The stored part and this range are joined (with a prefix, still not the whole file): a 200.
    if response.status == 206 { stored.status = 200 }
    let mayStore =
      expiry(of: download.request) == .never
      ? sent.method == "GET" : stored.mayStore(method: sent.method)
    return .body(body, stored, mayStore: mayStore, prefix: prefix)
  }
}
