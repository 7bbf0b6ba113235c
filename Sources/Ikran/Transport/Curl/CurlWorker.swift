/// What the loop's thread knows: transfers that run, transfers to reuse, jobs that wait.
///
/// Not `Sendable`: it lives and dies on that thread.
final class CurlWorker {
  /// What a job has come to.
  private struct Ending {
    let job: CurlJob
    let result: Result<TransportResponse, TransportError>
  }

  /// More spare transfers than this are freed; each holds a receive buffer.
  private static let maximumSpares = 64
  /// So many endings, or passes over the sockets, and the callers hear of it while bytes still move.
  private static let longestSilence = (endings: 32, passes: 10)

  private let multi: CurlMultiHandle
  private let options: CurlOptions
  private let cookies: CurlCookieJar?
  private let defaultHeaders = CurlHeaderList([])
  private var admission: CurlAdmission
  private var running: [UInt64: CurlTransfer] = [:]
  private var spares: [CurlTransfer] = []
  /// What callers have not heard yet.
  private var endings: [Ending] = []
  /// Passes over the sockets since the first of them.
  private var silentPasses = 0
  /// Transfers started since the beginning, to notice new ones.
  private var starts = 0
  private(set) var openedConnections = 0

  init(multi: CurlMultiHandle, options: CurlOptions) {
    self.multi = multi
    self.options = options
    cookies = options.identity.keepsCookies ? CurlCookieJar() : nil
    admission = CurlAdmission(
      connectionsPerHost: options.connections.perHost,
      streamsPerHost: options.connections.streamsPerHost,
      total: options.connections.total
    )
  }

  /// Starts a job, or lets it wait for one of its host's connections.
  func accept(_ job: CurlJob) {
    if let job = admission.enter(job) { start(job) }
  }

  /// Ends a job as cancelled, wherever it is.
  func cancel(_ id: UInt64) {
    if let job = admission.withdraw(id) {
      job.end(.failure(.cancelled))
    } else {
      if let transfer = running[id] { finish(transfer, .failure(.cancelled)) }
      // It may have ended before, and its caller not know yet.
      tellEndings()
    }
  }

  /// Ends all jobs as cancelled.
  func cancelAll() {
    for job in admission.withdrawAll() { job.end(.failure(.cancelled)) }
    for transfer in running.values { finish(transfer, .failure(.cancelled)) }
    tellEndings()
  }

  /// Sends and receives what can be sent and received now, and ends what is complete.
  ///
  /// - Returns: True when waiting jobs have started, which can move their first bytes now.
  func moveBytes() -> Bool {
    multi.perform()
    let startsBefore = starts
    while let (transfer, code) = multi.nextEnded() {
      openedConnections += transfer.openedConnections
      switch transfer.verdict(code) {
      case .ended(let result): finish(transfer, result)
      case .redirected: goOn(transfer)
      }
    }
    if !endings.isEmpty { silentPasses += 1 }
    if endings.count >= Self.longestSilence.endings || silentPasses >= Self.longestSilence.passes {
      tellEndings()
    }
    return starts != startsBefore
  }

  /// Whether bytes can be moved at once, before callers hear of endings.
  ///
  /// Waking a caller's thread costs half as much as moving a small image: as long as there is
  /// something else to do, callers wait for each other, and one wake-up serves them all.
  func maySaveWaking() -> Bool {
    guard !endings.isEmpty else { return false }
    if multi.isReady() { return true }
    tellEndings()
    return false
  }

  /// Resumes the callers whose jobs have ended.
  private func tellEndings() {
    for ending in endings { ending.job.end(ending.result) }
    endings.removeAll(keepingCapacity: true)
    silentPasses = 0
  }

  private func start(_ job: CurlJob) {
    guard let transfer = spares.popLast() ?? CurlTransfer(options, cookies: cookies) else {
      admission.leave(job.address.origin, isMultiplexed: false)
      return job.end(.failure(.failed(code: 27, reason: "out of memory")))
    }
    starts &+= 1
    running[job.id] = transfer
    transfer.begin(job, defaultHeaders: defaultHeaders)
    if let failure = multi.add(transfer) { finish(transfer, .failure(failure)) }
  }

  /// Lets a transfer run again, towards a redirect's target.
  private func goOn(_ transfer: CurlTransfer) {
    multi.remove(transfer)
    starts &+= 1
    if let failure = multi.add(transfer) { finish(transfer, .failure(failure)) }
  }

  private func finish(
    _ transfer: CurlTransfer,
    _ result: Result<TransportResponse, TransportError>
  ) {
    multi.remove(transfer)
    let isMultiplexed = transfer.isMultiplexed
    if case .failure = result { transfer.tellInterruption() }
    guard let job = transfer.end() else { return }
    running[job.id] = nil
    if spares.count < Self.maximumSpares { spares.append(transfer) }
    admission.leave(job.address.origin, isMultiplexed: isMultiplexed)
    endings.append(Ending(job: job, result: result))
    while let next = admission.next() { start(next) }
  }
}
