import IkranFoundation
import IkranStores
import IkranTransport

// When a download is sent: its turn in the queue, pauses that servers have asked for, hosts that
// cannot be reached (decision 59).

extension NetworkStage {
  /// The request that is sent, and the partial body that its response continues.
  struct Outgoing: Sendable {
    let request: TransportRequest
    let partial: PartialBody?
  }

  /// What comes of a download's turn.
  enum TurnResult<Value: Sendable>: Sendable {
    case sent(Value)
    case failed(Failure)
    /// Nothing was sent: the host or the source asked for a pause while the download waited.
    case paused

    init(_ result: Result<Value, Failure>) {
      switch result {
      case .success(let value): self = .sent(value)
      case .failure(let failure): self = .failed(failure)
      }
    }
  }

  // MARK: - Tries

  /// Tries a download until it succeeds, or may not be tried again.
  ///
  /// - Parameters:
  ///   - download: The download, as its caller wants it.
  ///   - subscription: Its priority.
  ///   - prepare: Makes the request of a try.
  ///   - send: Gets the request, the turn and the time that was spent waiting.
  /// - Returns: What `send` brings.
  /// - Throws: ``ImageError``.
  func untilSent<Value: Sendable>(
    _ download: Download,
    _ subscription: Subscription,
    prepare: (Download) async -> Result<Outgoing, Failure>,
    send: (Download, Outgoing, DownloadTurn, Duration) async -> TurnResult<Value>
  ) async throws(ImageError) -> Value {
    var download = try admitted(download)
    var (retries, restarts, pauses) = (0, 0, 0)
    download.retryDelay = retryDelay(before: 1, of: download)
    while true {
      let current = download
      try await waitForPermission(of: current, &pauses)
      let result = try await inTurn(of: current, subscription) {
        await prepare(current)
      } send: { outgoing, turn, waited in
        await send(current, outgoing, turn, waited)
      }
      switch result {
      case .paused: continue
      case .sent(let value):
        failures.remove(download.source.failureKey)
        return value
      case .failed(let failure) where failure.restartsAtOnce && restarts < 3:
        (download.kept, download.beginning) = (nil, { nil })
        restarts += 1
      case .failed(let failure):
        retries += 1
        try await wait(after: failure, of: current, before: retries)
        download.retryDelay = retryDelay(before: retries + 1, of: download)
      }
    }
  }

  // MARK: - Turns

  /// Runs `send` with the prepared request when the download's turn has come.
  ///
  /// A `willSend` hook runs while the download's place is free, as it may load something through
  /// this pipeline; then the download comes before all that were enqueued later.
  ///
  /// - Parameters:
  ///   - download: The download.
  ///   - subscription: Its priority.
  ///   - prepare: Makes the request.
  ///   - send: Gets the request, the turn and the time that was spent waiting.
  /// - Returns: What `send` returns, or why nothing was sent.
  /// - Throws: ``ImageError``.
  private func inTurn<Value: Sendable>(
    of download: Download,
    _ subscription: Subscription,
    prepare: () async -> Result<Outgoing, Failure>,
    send: (Outgoing, DownloadTurn, Duration) async -> TurnResult<Value>
  ) async throws(ImageError) -> TurnResult<Value> {
    let (host, ticket) = (download.host, queue.newTicket())
    var prepared: Result<Outgoing, Failure>?
    var waited = Duration.zero
    if hooks(for: download.request).willSend != nil {
      let admission: Permission<Value>
      (admission, waited) = try await queue.pass(host: host, subscription, ticket: ticket) {
        (turn) async throws(ImageError) in
        (try self.permission(for: download, isStarting: false), turn.waited)
      }
      if case .refused(let result) = admission { return result }
      prepared = await prepare()
    }
    return try await queue.pass(host: host, subscription, ticket: ticket) {
      [prepared, waited] (turn) async throws(ImageError) in
      let admission: Permission<Value> = try self.permission(for: download, isStarting: true)
      if case .refused(let result) = admission { return result }
      turn.use()
      download.onBegin()
      let outgoing: Result<Outgoing, Failure>
      if let prepared { outgoing = prepared } else { outgoing = await prepare() }
      switch outgoing {
      case .success(let outgoing): return await send(outgoing, turn, waited + turn.waited)
      case .failure(let failure): return .failed(failure)
      }
    }
  }

  /// Whether a download that has its turn may be sent.
  private enum Permission<Value: Sendable>: Sendable {
    case sends
    case refused(TurnResult<Value>)
  }

  /// Whether a download that has its turn may be sent, or why not.
  ///
  /// - Throws: ``ImageError``, which ends it.
  private func permission<Value>(
    for download: Download,
    isStarting: Bool
  ) throws(ImageError) -> Permission<Value> {
    if isOffline { throw .offline(url: download.name) }
    let now = clock.now()
    if retryTimes.pause(of: download, at: now) != nil { return .refused(.paused) }
    // With an older image to show, one failure is enough.
    if !download.mayRetry, let error = unreachableHosts.error(of: download.host, at: now) {
      throw .transport(error, url: download.name)
    }
    let decision = unreachableHosts.decision(
      of: download.host,
      isLastTry: download.isLastTry,
      isStarting: isStarting,
      at: now
    )
    switch decision {
    case .sends: return .sends
    case .failsThisTry(let error):
      return .refused(.failed(Failure(error: .transport(error, url: download.name))))
    case .fails(let error): throw .transport(error, url: download.name)
    }
  }

  // MARK: - Before a turn

  /// The download with the name of its host.
  ///
  /// - Throws: ``ImageError/offline(url:)``; the source's last error, while it is still remembered.
  private func admitted(_ download: Download) throws(ImageError) -> Download {
    if isOffline { throw .offline(url: download.name) }
    if !download.isReload,
      let error = failures.error(for: download.source.failureKey, at: clock.now())
    {
      throw error
    }
    var download = download
    download.host = downloadHost(of: download.url)
    return download
  }

  /// Waits as long as the source or its host has asked for, if that is allowed.
  ///
  /// `waits` counts the waits of a download, which has as many as it has retries.
  ///
  /// - Throws: ``ImageError/retryLater(status:until:url:)`` when it is not; why the host cannot be
  ///   reached, when the download would fail for that in its turn.
  private func waitForPermission(of download: Download, _ waits: inout Int) async throws(ImageError)
  {
    let now = clock.now()
    if let error = unreachable(download, at: now) { throw .transport(error, url: download.name) }
    guard let pause = retryTimes.pause(of: download, at: now) else { return }
    let wait = Duration.microseconds(pause.until - now)
    let rules = policy(of: download)
    guard download.mayRetry, waits < rules.maximum, wait <= rules.longestRetryAfter,
      wait <= download.timeout
    else {
      let until = Date(timeIntervalSince1970: Double(pause.until) / 1_000_000)
      throw .retryLater(status: pause.status, until: until, url: download.name)
    }
    waits += 1
    do { try await clock.sleep(wait) } catch { throw .cancelled }
  }

  private func unreachable(_ download: Download, at now: Int64) -> TransportError? {
    guard download.mayRetry else { return unreachableHosts.error(of: download.host, at: now) }
    let decision = unreachableHosts.decision(
      of: download.host,
      isLastTry: download.isLastTry,
      isStarting: false,
      at: now
    )
    if case .fails(let error) = decision { return error }
    return nil
  }

  // MARK: - After a try

  /// Marks the host of a download as reachable: it has sent something.
  func noteFirstByte(of download: Download, in turn: DownloadTurn) {
    // Before the turn notes it, as that may start downloads of the host at once.
    if !turn.hasResponded { unreachableHosts.remove(download.host) }
    turn.noteFirstByte()
  }

  /// Updates what is known of a download's host and source after a try, which succeeded where
  /// `failure` is nil.
  func updateHost(of download: Download, after failure: Failure?, in turn: DownloadTurn) {
    let now = clock.now()
    switch failure?.error {
    case nil, .status, .contentType: unreachableHosts.remove(download.host)
    case .transport where turn.hasResponded: unreachableHosts.remove(download.host)
    case let error?:
      unreachableHosts.add(
        error,
        of: download.host,
        connectTimeout: options.connectTimeout,
        at: now
      )
    }
    guard let wait = failure?.retryAfter, case .status(let status, _, _) = failure?.error else {
      return
    }
    retryTimes.addPause(
      wait,
      status: status,
      of: download.source.failureKey,
      host: download.host,
      at: now
    )
  }

  /// How long to wait before a try that `retry` numbers, from 1; nil when there is none.
  private func retryDelay(
    before retry: Int,
    of download: Download,
    retryAfter: Duration? = nil
  ) -> Duration? {
    guard download.mayRetry, HTTPMethod.isIdempotent(download.request.transfer.method) else {
      return nil
    }
    return policy(of: download).waitingTime(
      before: retry,
      retryAfter: retryAfter,
      chance: Double.random(in: 0...1)
    )
  }

  private func policy(of download: Download) -> RetryPolicy {
    download.request.transfer.retry ?? options.retry
  }

  /// Waits before a retry.
  ///
  /// - Throws: The failure, if it is final; ``ImageError/cancelled``.
  private func wait(
    after failure: Failure,
    of download: Download,
    before retry: Int
  ) async throws(ImageError) {
    // A policy of the program's was asked before the try.
    let asked = failure.retryAfter.map {
      retryDelay(before: retry, of: download, retryAfter: $0)
    }
    guard failure.error.isTransient, let pause = asked ?? download.retryDelay else {
      let now = clock.now()
      failures.remember(
        failure.error,
        for: download.source.failureKey,
        at: now,
        byDefault: !failure.isNoStore
      )
      if case .transport = failure.error {
        unreachableHosts.addLastFailure(of: download.host, at: now)
      }
      throw failure.error
    }
    counters.count(.retried(wait: pause))
    do { try await clock.sleep(pause) } catch { throw .cancelled }
  }

  /// Why the host of a URL could not be reached a moment ago; nil when it could, or was not tried.
  func unreachable(_ url: String) -> ImageError? {
    guard unreachableHosts.hasAny else { return nil }
    return unreachableHosts.error(of: downloadHost(of: url), at: clock.now()).map {
      .transport($0, url: redacted(url))
    }
  }

  /// Forgets what is remembered of a request's source and its host.
  func forgetFailure(of source: SourceRequest) {
    let key = source.failureKey
    failures.remove(key)
    guard let url = source.url else { return }
    let host = downloadHost(of: url)
    retryTimes.remove(key, host: host)
    unreachableHosts.remove(host)
  }

  /// Forgets what is remembered of all sources and hosts.
  func forgetAllFailures() {
    failures.removeAll()
    retryTimes.removeAll()
    unreachableHosts.removeAll()
  }
}
