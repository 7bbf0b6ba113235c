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
        throw Failure(error: Self.error(of: response, download), restartsAtOnce: true)
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
        throw Failure(error: Self.error(of: response, download), restartsAtOnce: true)
      }
      body = whole
    default: try refuseMislabelled(response, of: download, after: partial)
    }
    let isWhole = response.status != 206 || partial != nil
    guard options.responses.statuses.contains(response.status), response.status != 204, isWhole
    else {
      throw Failure(
        error: Self.error(of: response, download),
        retryAfter: retryAfter(response, now: received),
        isNoStore: CacheControl(response.headers).noStore
      )
    }
    guard options.responses.accepts(contentType: response.header("content-type")) else {
      let type = response.header("content-type") ?? "none"
      let context = ErrorContext(response.head)
      throw Failure(error: .contentType(type, url: download.name, context))
    }
    if response.status != 206, partial != nil { partials.remove("\(download.source)") }
    return try reply(response, body, prefix, sent, download, requested, received)
  }

  /// What a status that brings no image is reported as.
  static func error(of response: TransportResponse, _ download: Download) -> ImageError {
    .status(response.status, url: download.name, ErrorContext(response.head))
  }

  /// Refuses a range whose status says that it is the whole file.
  ///
  /// Where a range was requested, the file is requested again whole. Where none was, a body that is
  /// as long as its range and shorter than the file is only a part of it.
  private func refuseMislabelled(
    _ response: TransportResponse,
    of download: Download,
    after partial: PartialBody?
  ) throws(Failure) {
    guard response.isMislabelledPart else { return }
    let reason = "its status is \(response.status), and its Content-Range names a part"
    let error = ImageError.transport(.invalidResponse(reason), url: download.name)
    if partial != nil {
      partials.remove("\(download.source)")
      throw Failure(error: error, restartsAtOnce: true)
    }
    guard let range = response.header("content-range").flatMap({ ContentRange($0) }),
      range.range?.count == response.body.count, range.total ?? .max > response.body.count
    else { return }
    throw Failure(error: error)
  }

  /// Keeps the beginning of a file, so that a larger picture goes on from there, and counts what
  /// ending early has saved.
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

  /// What a redirect says.
  ///
  /// - Parameters:
  ///   - response: What arrived.
  ///   - sent: What was sent for it.
  ///   - download: What is downloaded.
  ///   - requested: When it was sent, in microseconds since 1970.
  ///   - number: The transfer's.
  /// - Returns: The redirect; nil for other responses.
  /// - Throws: A failure where it leads to what is no `http:` or `https:` URL.
  func redirect(
    _ response: TransportResponse,
    to sent: TransportRequest,
    of download: Download,
    requested: Int64,
    number: Int
  ) throws(Failure) -> Redirect? {
    guard sent.reportsRedirects, HTTPHop.isRedirect(response.status),
      let location = response.redirectTarget ?? response.header("location"), !location.isEmpty
    else { return nil }
    // The one that a transport reports is absolute already.
    let target =
      response.redirectTarget ?? (try? HTTPAddress(sent.url))?.url(ofLocation: location)
    guard let target, (try? HTTPAddress(target)) != nil else {
      let error = TransportError.forbiddenRedirect(redacted(target ?? location))
      throw Failure(error: .transport(error, url: download.name))
    }
    var stored = StoredResponse(
      response,
      to: sent.headers,
      secret: secret,
      requested: requested,
      received: clock.now()
    )
    stored.headers.append(HeaderField("location", target))
    return Redirect(location: target, sentURL: sent.url, number: number, response: stored)
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
        let (reason, context) = ("decrypting failed: \(error)", ErrorContext(response.head))
        throw Failure(error: .refused(reason, url: download.name, context))
      }
    }
    var stored = StoredResponse(
      response,
      to: sent.headers,
      secret: secret,
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
