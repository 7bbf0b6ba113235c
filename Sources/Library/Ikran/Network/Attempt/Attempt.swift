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

  /// Sends it, and makes a reply of the response.
  mutating func run() async throws(Failure) -> Reply {
    var response = try await authorizedResponse()
    if response.header("vary") != nil { await network.partials.load(network.secret) }
    if let redirect = try makeRedirect(from: response) {
      if partial != nil { forgetPartial() }
      return .redirected(redirect)
    }
    let (hook, context) = (network.hooks.didReceive, ErrorContext(response.head))
    response = try await network.passed(
      response,
      through: hook,
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
    let renewal = network.hooks.unauthorized
    if let renewed = await network.credentials.renewed(sent, after: response, by: renewal) {
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
    let isNoStore = CacheControl(response.headers).noStore
    let storing = isNoStore ? Body.Storing.onlyForThoseWhoNeverAsk : .allowed
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
    sent.onHead = { [partial, onHead = download.onHead, theirs = sent.onHead] head in
      theirs?(head)
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
