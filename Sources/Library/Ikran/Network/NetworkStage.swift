import IkranFoundation
import IkranStores
import IkranTransport
import Synchronization

/// Downloads: in their turn, tried again when that can help, resumed when they broke off, and as
/// revalidations of stored responses.
///
/// ``fetch(_:_:)`` is the whole way; each ``Attempt`` on it is sent and judged once.
/// ``PartialStage`` keeps what a broken transfer brought, and ``SplitTransport`` fetches a large
/// body in parts. A source that failed permanently is left alone for a while (``FailureMemory``),
/// and so is a host that cannot be reached (``UnreachableHosts``) or asks for a pause
/// (``RetryTimes``).
final class NetworkStage: Sendable {
  /// A source to be downloaded, and how.
  struct Download: Sendable {
    let source: SourceRequest
    let url: String
    /// The stored response, to be revalidated; nil downloads the source whatever is stored.
    var kept: StoredResponse?
    /// Finds the beginning of the file that memory has.
    var beginning: @Sendable () -> PartialBody? = { nil }
    /// Whether it is tried again when it fails.
    var mayRetry = true
    /// Whether nothing that was known before is used: no stored bytes, and no failure of a moment
    /// ago.
    var isReload = false
    /// The longest time of the transfer.
    var timeout: Duration
    /// When it was requested, among the changes of what is known.
    var requestedAs = ChangeNumber.none
    /// Called when the transfer has left the queue.
    var onBegin: @Sendable () -> Void = {}
    /// Called with a response before its body, on the transport's thread.
    var onHead: @Sendable (TransportResponse) -> Void = { _ in }
    /// Whether what arrives may still be kept: nothing was removed since it was sent, as this
    /// change.
    var mayKeep: @Sendable (ChangeNumber) -> Bool = { _ in true }
    /// The URL's scheme, host and port.
    var host = ""
    /// How long it waits before it is tried again if it fails now; nil for the last try.
    var retryDelay: Duration?

    /// Whether it is not tried again if it fails now.
    var isLastTry: Bool { retryDelay == nil }

    var request: ImageRequest { source.request }

    /// Whether what the caches had when it was requested was removed since.
    var isOutdated: Bool { !mayKeep(requestedAs) }

    /// The URL without its secrets.
    var name: String { source.displayName }

    /// The error for a status that brings no image.
    func error(of response: TransportResponse) -> ImageError {
      .status(response.status, url: name, ErrorContext(response.head))
    }
  }

  /// The result of a download that did not fail.
  enum Reply: Sendable {
    /// The stored response is still valid; these are its fields now.
    case notModified(StoredResponse)
    /// A body has arrived; `prefix` describes it when it is the beginning of the file.
    case body([UInt8], StoredResponse, storing: Body.Storing, prefix: BodyPrefix?)
    /// The source is elsewhere.
    case redirected(Redirect)
  }

  struct Failure: Error {
    let error: ImageError
    var retryAfter: Duration?
    /// Whether to begin again at once, without what was kept or had arrived.
    var restartsAtOnce = false
    /// Whether the response must not be stored, and so not be remembered as a failure.
    var isNoStore = false
  }

  let queue: DownloadScheduler
  let failures: FailureMemory
  let speed = SpeedMeter()
  /// Bodies that wait for the decoder, and what waits to be written: transfers keep their places in
  /// the queue while that is too much.
  let backlog: Backlog
  /// Why hosts could not be reached a moment ago.
  let unreachableHosts = UnreachableHosts()
  /// Until when servers have asked to be left alone.
  let retryTimes = RetryTimes()
  let partials: PartialStage
  /// Asks the program for new credentials.
  let credentials = CredentialRenewal()
  let options: NetworkOptions
  let bodyLimit: Int
  let hooks: PipelineHooks
  let transport: SplitTransport
  /// Whether what a redirect to another origin brings may differ from what a direct request brings,
  /// which may carry a credential.
  let isolatesRedirects: Bool
  let clock: PipelineClock
  let counters: PipelineCounters
  /// The key of digests that stand for secrets on the disk.
  let secret: FolderSecret
  private let offline = Atomic(false)

  init(
    _ options: PipelineOptions,
    transport: any Transport,
    in context: StageContext
  ) {
    self.options = options.network
    (counters, backlog) = (context.counters, context.backlog)
    (secret, clock) = (context.secret, context.clock)
    let hasCredential = transport.identifying?.hasCredential ?? false
    let hooks = options.hooks
    isolatesRedirects = hooks.willSend != nil || hooks.unauthorized != nil || hasCredential
    self.transport = SplitTransport(transport, options: options.network, clock: clock)
    self.hooks = hooks
    bodyLimit = min(options.network.maximumBodyBytes, options.decoding.limits.maximumBytes)
    queue = DownloadScheduler(options.network.queue, clock: clock)
    failures = FailureMemory(options.network.failures, lifetime: options.hooks.remembers)
    var resumption = options.network.resumption
    // Files that are to be encrypted on disk are not left there in clear.
    let directory = options.disk.flatMap { disk in
      disk.encryptionKey == nil ? disk.directory + "/partial" : nil
    }
    if directory == nil {
      resumption.byteLimit = min(resumption.byteLimit ?? .max, options.memory.fileByteLimit)
    }
    partials = PartialStage(resumption, directory: directory, in: context)
  }

  /// While true no transfer begins; those under way go on.
  var isOffline: Bool {
    get { offline.load(ordering: .relaxed) }
    set { offline.store(newValue, ordering: .relaxed) }
  }

  /// The program's hooks for a request.
  func hooks(for request: ImageRequest) -> PipelineHooks { hooks.around(request.hooks) }

  /// Whether the steps of a request's transfer may run on the transport's own thread: none of them
  /// is the program's.
  func isInline(for request: ImageRequest) -> Bool {
    guard transport.isBuiltIn, request.hooks == nil else { return false }
    return hooks.willSend == nil && hooks.unauthorized == nil
      && hooks.didReceive == nil && hooks.decrypt == nil
  }

  /// Downloads; the place in the queue is free as soon as there is room for the body.
  ///
  /// - Returns: The reply, and the room of a body.
  /// - Throws: ``ImageError``.
  func fetch(
    _ download: Download,
    _ transfer: RunningTransfer
  ) async throws(ImageError) -> (reply: Reply, room: Backlog.Reservation?) {
    try await untilSent(download, transfer.subscription) { current in
      var request = makeRequest(for: current, priority: transfer.subscription.priority)
      request.reportsRedirects = current.request.isPlainGet
      return await outgoing(sending: request, of: current)
    } send: {
      current,
      outgoing,
      turn,
      waited -> TurnResult<(reply: Reply, room: Backlog.Reservation?)> in
      transfer.addWait(waited)
      return await outcome(of: current, sending: outgoing, for: transfer, in: turn)
    }
  }

  /// The outcome of one try, and the room of a body.
  private func outcome(
    of download: Download,
    sending outgoing: Outgoing,
    for transfer: RunningTransfer,
    in turn: DownloadTurn
  ) async -> TurnResult<(reply: Reply, room: Backlog.Reservation?)> {
    var attempt = Attempt(
      network: self,
      download: download,
      transfer: transfer,
      turn: turn,
      outgoing: await resuming(outgoing, of: download, for: transfer)
    )
    do throws(Failure) {
      let reply = try await attempt.run()
      // Before the place is free: the next one in the queue must know.
      updateHost(of: download, after: nil, in: turn)
      guard case .body(let bytes, _, _, _) = reply else { return .sent((reply, nil)) }
      return .sent((reply, await backlog.reserve(bytes.count)))
    } catch {
      updateHost(of: download, after: error, in: turn)
      return .failed(error)
    }
  }

  /// The longest time that a request waits for one transfer.
  func timeout(of request: ImageRequest) -> Duration { request.transfer.timeout ?? options.timeout }

  /// How long what is kept of a request's source is used without asking.
  func expiry(of request: ImageRequest) -> ResponseOptions.Expiry {
    request.caching.expiry ?? options.responses.expiry
  }

  // MARK: - One try

  /// A request of a download, as the program's hook makes it.
  func outgoing(
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

  /// The request that goes on from what arrived earlier, unless a hook has asked for a range.
  ///
  /// That is loaded only when the request is sent: after a hook, many may wait for their places.
  private func resuming(
    _ outgoing: Outgoing,
    of download: Download,
    for transfer: RunningTransfer
  ) async -> Outgoing {
    var request = outgoing.request
    guard !request.headers.contains(where: { $0.name.lowercased() == "range" }),
      let partial = await beginning(of: download, for: transfer)
    else { return outgoing }
    request.maximumBodyBytes = max(0, request.maximumBodyBytes - partial.bytes.count)
    request.headers += [
      HeaderField("Range", "bytes=\(partial.bytes.count)-"),
      HeaderField("If-Range", partial.validator),
    ]
    return Outgoing(request: request, partial: partial)
  }

  /// The bytes that a transfer goes on from: those in memory, or more of the same version from the
  /// disk.
  private func beginning(
    of download: Download,
    for transfer: RunningTransfer
  ) async -> PartialBody? {
    guard download.kept == nil, download.request.isPlainGet else { return nil }
    let beginning = download.isOutdated ? nil : download.beginning()
    let mayRead = transfer.reads.contains(.disk) && !download.isReload
    // A reload, too, goes on from what it has brought itself; whether that is there is known once
    // what is being kept has been waited for.
    guard mayRead || transfer.hasBrokenOff,
      let stored = await partials.body(for: "\(download.source.key)"),
      mayRead || transfer.hasKeptBeginning
    else { return beginning }
    guard let recent = beginning,
      !recent.validator.hasSameBytes(as: stored.validator)
        || recent.bytes.count >= stored.bytes.count
    else { return stored }
    return recent
  }

  /// The request of a download, before the program's hook has seen it.
  func makeRequest(for download: Download, priority: ImagePriority) -> TransportRequest {
    var request = TransportRequest(
      url: download.url,
      headers: download.request.transfer.headers,
      connectTimeout: options.connectTimeout,
      timeout: download.timeout,
      maximumBodyBytes: bodyLimit
    )
    request.apply(download.request.redirectChain)
    request.isForLowData = download.request.isForLowData
    request.method = download.request.transfer.method
    request.body = download.request.transfer.body
    request.headers += download.isOutdated ? [] : download.kept?.conditions ?? []
    if let urgency = priority.urgency,
      !request.headers.contains(where: { $0.name.lowercased() == "priority" })
    {
      request.headers.append(HeaderField("Priority", "u=\(urgency)"))
    }
    return request
  }

  /// Applies `willSend` to a request.
  ///
  /// Once a redirect has left the first origin, the fields that must not leave it are removed
  /// again: the hook may have added a token.
  func applyingWillSend(
    to request: TransportRequest,
    of download: Download
  ) async throws(Failure) -> TransportRequest {
    guard let willSend = hooks(for: download.request).willSend else { return request }
    return try await passed(request, through: willSend, of: download).continuing(request)
  }

  /// A request or a response of a download, as a hook returns it.
  func passed<Passed: Sendable>(
    _ value: Passed,
    through hook: (@Sendable (Passed) async throws -> Passed?)?,
    of download: Download,
    context: ErrorContext = ErrorContext()
  ) async throws(Failure) -> Passed {
    guard let hook else { return value }
    let url = download.name
    do {
      if let passed = try await hook(value) { return passed }
    } catch is CancellationError {
      throw Failure(error: .cancelled)
    } catch {
      throw Failure(error: .refused("\(error)", url: url, context))
    }
    throw Failure(error: .refused("a hook of the program's said no", url: url, context))
  }
}
