import IkranStores
import IkranTransport
import Synchronization

/// One try of a download that has its turn, in the order in which it happens: it is sent, with new
/// credentials again if the first ones are refused; what arrives passes the program's hooks and
/// becomes a reply.
struct Attempt {
  typealias Failure = NetworkStage.Failure
  typealias Reply = NetworkStage.Reply

  let network: NetworkStage
  let download: NetworkStage.Download
  let transfer: RunningTransfer
  let turn: DownloadTurn
  /// Its place among the changes of what is known.
  private let sentAs: ChangeNumber
  /// The beginning that it goes on from; nil when it is for the whole file.
  let partial: PartialBody?
  /// The request; once a response is there, with the fields that the transport has added.
  private(set) var sent: TransportRequest
  /// When it was sent, in microseconds since 1970.
  private(set) var requestTime: Int64 = 0

  init(
    network: NetworkStage,
    download: NetworkStage.Download,
    transfer: RunningTransfer,
    turn: DownloadTurn,
    outgoing: NetworkStage.Outgoing
  ) {
    (self.network, self.download) = (network, download)
    (self.transfer, self.turn, sentAs) = (transfer, turn, transfer.change)
    (sent, partial) = (outgoing.request, outgoing.partial)
  }

  /// The program's closures for it.
  private var hooks: PipelineHooks { network.hooks(for: download.request) }

  /// Sends it, and makes a reply of the response.
  mutating func run() async throws(Failure) -> Reply {
    var response = try await authorizedResponse()
    if response.header("vary") != nil { await network.partials.load(network.secret) }
    if let redirect = try makeRedirect(from: response) {
      if partial != nil { forgetPartial() }
      return .redirected(redirect)
    }
    let context = ErrorContext(response.head)
    response = try await network.passed(
      response,
      through: hooks.didReceive,
      of: download,
      context: context
    )
    // The transfer ended early, unless all of it came nevertheless.
    let prefix = response.isComplete ? nil : transfer.earlyStop?.prefix
    let reply = try makeReply(to: response, prefix: prefix)
    transfer.keep(response.head)
    if let prefix { store(prefix, of: response, reply: reply) }
    return reply
  }

  /// Removes what is kept of an earlier try.
  func forgetPartial() { network.partials.remove("\(download.source.key)") }

  // MARK: - Sending

  /// The response, also to a second request with new credentials.
  private mutating func authorizedResponse() async throws(Failure) -> TransportResponse {
    requestTime = network.clock.now()
    var response = try await exchange()
    let renewal = hooks.unauthorized
    let (credentials, own) = (network.credentials, download.request.hooks?.id)
    if let renewed = await credentials.renewed(sent, after: response, by: renewal, hooks: own) {
      (sent, requestTime) = (renewed, network.clock.now())
      response = try await exchange()
    }
    // `Vary` speaks of the fields that were really sent.
    sent.headers += response.addedFields
    return response
  }

  /// One transfer; what arrives before it breaks off is kept.
  private func exchange() async throws(Failure) -> TransportResponse {
    let (counters, name) = (network.counters, download.name)
    let brokenOff = Guarded<TransportResponse?>(nil)
    let arriving = ArrivingBody(after: partial)
    var sent = watched(arriving)
    sent.onInterruption = { response in brokenOff.withLock { $0 = response } }
    if counters.isObserved { counters.count(.transferBegan(url: name)) }
    do throws(TransportError) {
      let response = try await network.transport.fetch(sent) {
        [network, download, transfer, turn] progress in
        network.noteFirstByte(of: download, in: turn)
        transfer.update(progress: arriving.progress(progress))
      }
      finishExchange(with: response)
      return response
    } catch {
      if let response = brokenOff.withLock({ $0 }) { keep(response) }
      counters.count(.transferEnded(url: name, status: nil, metrics: nil))
      throw failure(error)
    }
  }

  /// Keeps what has arrived of a body that broke off, if any request wants that and may.
  private func keep(_ response: TransportResponse) {
    // What the disk may keep is for the request's own hook to say, and it sees whole files.
    guard download.request.hooks?.willStore == nil else { return }
    let isNoStore = CacheControl(response.headers).noStore
    let storing = isNoStore ? Body.Storing.onlyWithoutRevalidation : .allowed
    guard transfer.stores(storing).contains(.disk),
      let beginning = PartialBody(response, after: partial)
    else { return }
    transfer.noteBrokenOff()
    network.partials.keepBrokenOff(beginning, for: "\(download.source.key)") {
      [download, sentAs] in
      download.mayKeep(sentAs)
    } onKept: { [transfer] in
      transfer.noteKeptBeginning()
    }
  }

  private func finishExchange(with response: TransportResponse) {
    network.noteFirstByte(of: download, in: turn)
    let (status, metrics) = (response.status, response.metrics)
    transfer.set(metrics: metrics)
    if let metrics {
      let duration = metrics.total - metrics.firstByte
      network.speed.addSample(bytes: response.body.count, in: duration)
    }
    guard network.counters.isObserved else { return }
    network.counters.count(.transferEnded(url: download.name, status: status, metrics: metrics))
  }

  /// The request with closures that report what has arrived: to the download, the previews and the
  /// early stop.
  private func watched(_ arriving: ArrivingBody) -> TransportRequest {
    var sent = sent
    let stop = transfer.earlyStop
    let (counters, name) = (network.counters, download.name)
    sent.onHead = { [partial, onHead = download.onHead, theirs = sent.onHead] head in
      theirs?(head)
      if counters.isObserved { counters.count(.responseBegan(url: name, head: head.head)) }
      onHead(head)
      arriving.begin(head)
      stop?.begin(head, after: partial)
    }
    if let stop { sent.shouldStop = { arriving.withFile($0, stop.shouldStop) ?? false } }
    guard transfer.hasPreviews else { return sent }
    sent.onBytes = { [transfer] body in
      guard transfer.hasListeners.load(ordering: .relaxed) else { return }
      _ = arriving.withFile(body) { transfer.update(file: $0) }
    }
    return sent
  }

  /// The failure of a transfer, and whether to begin again without what arrived earlier.
  private func failure(_ error: TransportError) -> Failure {
    var failure = Failure(error, of: download)
    switch error {
    case .bodyTooLarge where partial != nil, .contentEncoding where partial != nil:
      // The limit left room for the remainder only, and this may have been the whole; or the origin
      // encodes now what it did not encode before.
      forgetPartial()
      failure.restartsAtOnce = true
    default: break
    }
    return failure
  }

  /// Keeps the beginning of a file, so that a larger picture goes on from there, and counts what
  /// ending early has saved.
  private func store(_ prefix: BodyPrefix, of response: TransportResponse, reply: Reply) {
    guard case .body(let bytes, _, let storing, _) = reply else { return }
    let saved = prefix.total.map { max(0, $0 - bytes.count) } ?? 0
    transfer.addSavedBytes(saved)
    network.counters.count(.stoppedEarly(savedBytes: saved))
    guard transfer.stores(storing).contains(.disk),
      let beginning = PartialBody(response, after: partial)
    else { return }
    network.partials.keep(beginning, for: "\(download.source.key)") { [download, sentAs] in
      download.mayKeep(sentAs)
    }
  }
}

extension NetworkStage.Failure {
  /// A transfer that failed.
  init(_ error: TransportError, of download: NetworkStage.Download) {
    self.init(error: error == .cancelled ? .cancelled : .transport(error, url: download.name))
  }
}

// MARK: - From a response to a reply

extension Attempt {
  /// Makes the redirect that a response asks for; nil for other responses.
  ///
  /// - Throws: A failure where it leads to what is no `http:` or `https:` URL.
  func makeRedirect(from response: TransportResponse) throws(Failure) -> Redirect? {
    guard sent.reportsRedirects, HTTPHop.isRedirect(response.status),
      let location = response.redirectTarget ?? response.header("location"), !location.isEmpty
    else { return nil }
    // The one that a transport reports is absolute already.
    let target =
      response.redirectTarget ?? (try? HTTPAddress(sent.url))?.url(ofLocation: location)
    guard let target, (try? HTTPAddress(target)) != nil else {
      throw Failure(.forbiddenRedirect(redacted(target ?? location)), of: download)
    }
    var stored = storedResponse(response, received: network.clock.now())
    stored.headers.append(HeaderField("location", target))
    stored.setSentOrigin(sent.url, insteadOf: download.url)
    return Redirect(
      location: target,
      sentURL: sent.url,
      change: transfer.change,
      response: stored
    )
  }

  /// Makes the reply of a response, or throws why it brings no image; `prefix` describes a body
  /// that ended early.
  func makeReply(to response: TransportResponse, prefix: BodyPrefix?) throws(Failure) -> Reply {
    let received = network.clock.now()
    if response.status == 304, let kept = download.kept {
      guard kept.isConfirmed(by: response) else { throw restart(after: response) }
      return .notModified(kept.refreshed(by: response, requested: requestTime, received: received))
    }
    let body = try makeBody(of: response, prefix: prefix)
    try check(response, received: received)
    if response.status != 206, partial != nil { forgetPartial() }
    var stored = storedResponse(response, received: received)
    // The stored part and this range are joined (with a prefix, still not the whole file): a 200.
    if response.status == 206 { stored.status = 200 }
    let storing = Body.Storing(stored, method: sent.method)
    let file = try decrypted(body, of: response)
    return .body(file, stored, storing: storing, prefix: prefix)
  }

  /// Makes the body, with what was there before it where it goes on from that.
  private func makeBody(
    of response: TransportResponse,
    prefix: BodyPrefix?
  ) throws(Failure) -> [UInt8] {
    switch response.status {
    case 206, 416:
      guard let partial else { return response.body }
      forgetPartial()
      if response.status == 206, prefix != nil, partial.isContinued(by: response) {
        return partial.bytes + response.body
      }
      guard response.status == 206, let whole = partial.completed(by: response) else {
        throw restart(after: response)
      }
      return whole
    case 304: return response.body
    default:
      try refuseMislabelled(response)
      return response.body
    }
  }

  private func restart(after response: TransportResponse) -> Failure {
    Failure(error: download.error(of: response), restartsAtOnce: true)
  }

  /// Refuses a range whose status says that it is the whole file.
  ///
  /// Where a range was requested, the file is requested again whole. Where none was, a body that is
  /// as long as its range and shorter than the file is only a part of it.
  private func refuseMislabelled(_ response: TransportResponse) throws(Failure) {
    guard response.isMislabelledPart else { return }
    let reason = "its status is \(response.status), and its Content-Range names a part"
    var failure = Failure(.invalidResponse(reason), of: download)
    if partial != nil {
      forgetPartial()
      failure.restartsAtOnce = true
      throw failure
    }
    guard let range = response.header("content-range").flatMap({ ContentRange($0) }),
      range.range?.count == response.body.count, range.total ?? .max > response.body.count
    else { return }
    throw failure
  }

  /// Throws where status or content type say that it is no image.
  private func check(_ response: TransportResponse, received: Int64) throws(Failure) {
    let rules = network.options.responses
    let isWhole = response.status != 206 || partial != nil
    guard rules.statuses.contains(response.status), response.status != 204, isWhole else {
      throw Failure(
        error: download.error(of: response),
        retryAfter: retryAfter(response, now: received),
        isNoStore: CacheControl(response.headers).noStore
      )
    }
    guard rules.accepts(mediaType: response.mediaType) else {
      let type = response.header("content-type") ?? "none"
      let context = ErrorContext(response.head)
      throw Failure(error: .contentType(type, url: download.name, context))
    }
  }

  private func decrypted(
    _ body: [UInt8],
    of response: TransportResponse
  ) throws(Failure) -> [UInt8] {
    guard let decrypt = hooks.decrypt else { return body }
    do { return try decrypt(body) } catch {
      let (reason, context) = ("decrypting failed: \(error)", ErrorContext(response.head))
      throw Failure(error: .refused(reason, url: download.name, context))
    }
  }

  private func storedResponse(
    _ response: TransportResponse,
    received: Int64
  ) -> StoredResponse {
    StoredResponse(
      response,
      to: sent.headers,
      secret: network.secret,
      requested: requestTime,
      received: received
    )
  }
}
