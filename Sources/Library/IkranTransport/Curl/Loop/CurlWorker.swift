#if CLibraries
import IkranSystem

/// What the loop's thread knows: transfers that run, transfers to reuse, jobs that wait.
///
/// Not `Sendable`: it lives and dies on that thread. A job's completion is never called in the
/// middle of a change, so it may start and cancel other jobs through the loop.
final class CurlWorker {
  /// How a job ended.
  private struct Completion {
    let job: CurlJob
    let result: Result<TransportResponse, TransportError>
  }

  /// More spare transfers than this are freed; each holds a receive buffer.
  private static let maximumSpares = 64
  /// After so many completions, or rounds over the sockets, callers are resumed although bytes
  /// still move.
  private static let longestDelay = (completions: 32, rounds: 10)

  private let multi: CurlMultiHandle
  private let options: CurlOptions
  private let cookies: CurlCookieJar?
  /// What is in the jar, for other threads.
  private let knownCookies: Guarded<CookieList>
  private let defaultHeaders = CurlHeaderList([])
  // Decision 78: a limit of connections, for all who use the transport.
  /// libcurl has limits, too, but there a transfer that waits already spends its timeout.
  private var queue: TransferQueue<CurlJob>
  private var running: [UInt64: CurlTransfer] = [:]
  private var spares: [CurlTransfer] = []
  /// Jobs that have ended, whose callers are resumed together.
  private var delayed: [Completion] = []
  /// Those of them that are being resumed; kept for its memory.
  private var ended: [Completion] = []
  /// Rounds over the sockets since the first of them.
  private var delayedRounds = 0
  /// Transfers started since the beginning, to notice new ones.
  private var starts = 0
  private(set) var openedConnections = 0

  init(multi: CurlMultiHandle, options: CurlOptions, knownCookies: Guarded<CookieList>) {
    self.multi = multi
    self.knownCookies = knownCookies
    self.options = options
    cookies = options.identity.keepsCookies ? CurlCookieJar() : nil
    queue = TransferQueue(
      limit: options.connections.total,
      limitPerHost: options.connections.perHost,
      order: .roundRobin
    )
  }

  /// Starts a job, or lets it wait for one of its host's connections.
  func accept(_ job: CurlJob) {
    queue.enqueue(job, id: job.id, host: job.address.origin)
    startWaiting()
  }

  /// Ends a job as cancelled, whether it waits or runs.
  func cancel(_ id: UInt64) {
    if let job = queue.withdraw(id) {
      complete(job, .failure(.cancelled))
    } else if let transfer = running[id] {
      finish(transfer, .failure(.cancelled))
      startWaiting()
    }
    // The job may have ended before, with its completion delayed.
    callDelayed()
  }

  /// Ends all jobs as cancelled.
  func cancelAll() {
    queue.isSuspended = true
    for job in queue.withdrawAll() { complete(job, .failure(.cancelled)) }
    for transfer in running.values { finish(transfer, .failure(.cancelled)) }
    callDelayed()
  }

  /// Sends and receives what can be sent and received now, and ends what is complete.
  ///
  /// - Returns: True when waiting jobs have started, which can move their first bytes now.
  func moveBytes() -> Bool {
    multi.perform()
    let startsBefore = starts
    while let (transfer, code) = multi.nextEnded() {
      openedConnections += transfer.openedConnections
      switch transfer.outcome(code) {
      case .finished(let result): finish(transfer, result)
      case .redirected: add(transfer, isAgain: true)
      }
    }
    startWaiting()
    if !delayed.isEmpty { delayedRounds += 1 }
    if delayed.count >= Self.longestDelay.completions || delayedRounds >= Self.longestDelay.rounds {
      callDelayed()
    }
    return starts != startsBefore
  }

  /// Whether bytes can be moved at once, before delayed completions are called.
  ///
  /// Waking a caller's thread costs half as much as moving a small image: as long as there is
  /// something else to do, callers wait for each other, and one wake-up serves them all.
  func mayDelay() -> Bool {
    guard !delayed.isEmpty else { return false }
    if multi.isReady() { return true }
    callDelayed()
    return false
  }

  private func callDelayed() {
    delayedRounds = 0
    // A completion may start other jobs, which may end at once.
    swap(&delayed, &ended)
    for completion in ended { completion.job.complete(completion.result) }
    ended.removeAll(keepingCapacity: true)
  }

  private func startWaiting() {
    while case .start(let job) = queue.next() { start(job) }
  }

  private func start(_ job: CurlJob) {
    guard let transfer = spares.popLast() ?? CurlTransfer(options, cookies: cookies) else {
      queue.leave(job.address.origin)
      return complete(job, .failure(.failed(code: 27, reason: "out of memory")))
    }
    running[job.id] = transfer
    noteCookies(of: transfer)
    let added = options.identity.addedFields(for: job.address, knownCookies.withLock { $0 })
    transfer.begin(job, defaultHeaders: defaultHeaders, addedFields: added)
    add(transfer, isAgain: false)
  }

  /// Tells other threads what is in the jar: before a transfer sends it, and when one may have
  /// filled it.
  private func noteCookies(of transfer: CurlTransfer) {
    guard cookies != nil else { return }
    let list = CookieList(transfer.easy.cookieLines())
    knownCookies.withLock { $0 = list }
  }

  /// Lets a transfer run; `isAgain` after a redirect.
  private func add(_ transfer: CurlTransfer, isAgain: Bool) {
    if isAgain { multi.remove(transfer) }
    starts &+= 1
    if let failure = multi.add(transfer) { finish(transfer, .failure(failure)) }
  }

  private func finish(
    _ transfer: CurlTransfer,
    _ result: Result<TransportResponse, TransportError>
  ) {
    multi.remove(transfer)
    noteCookies(of: transfer)
    let isMultiplexed = transfer.isMultiplexed
    if case .failure = result { transfer.reportInterruption() }
    guard let job = transfer.end() else { return }
    running[job.id] = nil
    if spares.count < Self.maximumSpares { spares.append(transfer) }
    let connections = options.connections
    queue.leave(
      job.address.origin,
      newLimit: isMultiplexed ? max(connections.perHost, connections.streamsPerHost) : nil
    )
    complete(job, result)
  }

  private func complete(_ job: CurlJob, _ result: Result<TransportResponse, TransportError>) {
    delayed.append(Completion(job: job, result: result))
  }
}
#endif
