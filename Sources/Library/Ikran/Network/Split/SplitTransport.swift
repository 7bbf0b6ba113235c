import IkranSystem
import IkranTransport

/// Fetches a large body in parts that arrive side by side, each tried again alone; falls back to
/// one stream on any doubt that they are parts of one version.
struct SplitTransport: Sendable {
  private enum PartError: Error {
    /// The parts are of no use: fetch the whole.
    case doubt
    case transport(TransportError)
  }

  /// A transfer that is split.
  private struct Split {
    var body: SplitBody
    var others: Task<Result<Void, PartError>, Never>?
    /// What the other parts received and sent, with their heads.
    var received = 0
    var sent = 0
  }

  /// One body that is fetched: the request for all of it, and the parts so far.
  private struct Fetch: Sendable {
    let request: TransportRequest
    let progress: @Sendable (TransferProgress) -> Void
    let start = ContinuousClock.now
    /// Nil until a head says that the body is split: nearly all are small, and cost one box.
    let split = Guarded<Split?>(nil)

    /// Reports that so many bytes of a part have arrived.
    func addArrived(_ count: Int, of part: Int) {
      if let sum = split.withLock({ $0?.body.arrived(count, of: part) }) { progress(sum) }
    }

    /// Counts what a try of another part has cost.
    func add(_ piece: TransportResponse) {
      split.withLock {
        $0?.received.add(piece.metrics?.receivedBytes ?? piece.body.count)
        $0?.sent.add(piece.metrics?.sentBytes ?? 0)
      }
    }
  }

  private let transport: any Transport
  private let options: NetworkOptions
  private let clock: PipelineClock

  init(_ transport: any Transport, options: NetworkOptions, clock: PipelineClock) {
    self.transport = transport
    self.options = options
    self.clock = clock
  }

  /// Whether none of the program's own code runs in it.
  var isBuiltIn: Bool {
    transport is any BuiltInTransport || (transport as? SchemeTransport)?.isBuiltIn == true
  }

  /// Fetches one body, in parts when its head allows it.
  ///
  /// - Throws: ``/IkranTransport/TransportError``.
  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let mayRange = request.headers.allSatisfy { field in
      !["range", "if-none-match", "if-modified-since"].contains(field.name.lowercased())
    }
    guard options.resumption.splitBytes < .max, options.resumption.parts > 1, mayRange,
      request.method == "GET", request.body == nil, request.shouldStop == nil
    else { return try await transport.fetch(request, progress: progress) }
    return try await run(Fetch(request: request, progress: progress))
  }

  /// Fetches the first part, which is the whole unless its head allows more.
  private func run(_ fetch: Fetch) async throws(TransportError) -> TransportResponse {
    let (request, progress, split) = (fetch.request, fetch.progress, fetch.split)
    var first = request
    first.onHead = { head in
      request.onHead?(head)
      let limit = request.maximumBodyBytes
      guard let plan = SplitPlan(head, options.resumption, limit: limit) else { return }
      split.withLock { $0 = Split(body: SplitBody(plan)) }
      let others = Task { await fetchOthers(of: plan, for: fetch) }
      split.withLock { $0?.others = others }
    }
    first.shouldStop = { bytes in
      split.withLock { split in
        split?.body.take(bytes, of: 0, from: 0)
        return split.map { bytes.count >= $0.body.plan.parts[0].count } ?? false
      }
    }
    let report: @Sendable (TransferProgress) -> Void = { received in
      progress(split.withLock { $0?.body.arrived(received.received, of: 0) } ?? received)
    }
    let beginning: Result<TransportResponse, TransportError>
    do throws(TransportError) {
      beginning = .success(try await transport.fetch(first, progress: report))
    } catch {
      beginning = .failure(error)
    }
    guard let (plan, others) = split.withLock({ $0.map { ($0.body.plan, $0.others) } }) else {
      return try beginning.get()
    }
    guard case .success(let head) = beginning, let others else {
      others?.cancel()
      return try beginning.get()
    }
    let rest = await withTaskCancellationHandler {
      await others.value
    } onCancel: {
      others.cancel()
    }
    switch rest {
    case .success: return try await finish(fetch, head: head)
    case .failure(.doubt):
      return try await fetchWhole(fetch, after: head, split.withLock { $0 })
    case .failure(.transport(let error)):
      reportInterruption(of: request, head: head, plan: plan)
      throw error
    }
  }

  /// Puts the whole body together; fetches it again if the first part is not what the plan says.
  private func finish(
    _ fetch: Fetch,
    head: TransportResponse
  ) async throws(TransportError) -> TransportResponse {
    let (bytes, cost) = fetch.split.withLock { split in
      defer { split = nil }
      split?.body.take(head.body, of: 0, from: 0)
      return (split?.body.whole(), split)
    }
    guard let bytes else { return try await fetchWhole(fetch, after: head, cost) }
    var response = TransportResponse(
      status: head.status,
      headers: head.headers,
      body: bytes,
      url: head.url,
      metrics: head.metrics
    )
    response.addedFields = head.addedFields
    return adding(cost, to: response, since: fetch.start)
  }

  /// Fetches the body in one piece, as its parts are of no use.
  private func fetchWhole(
    _ fetch: Fetch,
    after head: TransportResponse,
    _ cost: Split?
  ) async throws(TransportError) -> TransportResponse {
    var cost = cost
    cost?.received.add(head.metrics?.receivedBytes ?? head.body.count)
    cost?.sent.add(head.metrics?.sentBytes ?? 0)
    let response = try await transport.fetch(fetch.request, progress: fetch.progress)
    return adding(cost, to: response, since: fetch.start)
  }

  /// A response with what other parts have cost.
  private func adding(
    _ cost: Split?,
    to response: TransportResponse,
    since start: ContinuousClock.Instant
  ) -> TransportResponse {
    guard var metrics = response.metrics else { return response }
    metrics.receivedBytes.add(cost?.received ?? 0)
    metrics.sentBytes.add(cost?.sent ?? 0)
    metrics.total = max(metrics.total, start.duration(to: .now))
    var response = response
    response.metrics = metrics
    return response
  }

  /// Hands on the first part of a body whose other parts broke off, to be resumed later.
  private func reportInterruption(
    of request: TransportRequest,
    head: TransportResponse,
    plan: SplitPlan
  ) {
    request.onInterruption?(
      TransportResponse(
        status: head.status,
        headers: head.headers,
        body: Array(head.body.prefix(plan.parts[0].count)),
        url: head.url,
        isComplete: false
      )
    )
  }

  // MARK: - Parts

  /// Fetches all parts but the first into their places.
  private func fetchOthers(
    of plan: SplitPlan,
    for fetch: Fetch
  ) async -> Result<Void, PartError> {
    await withTaskGroup { group in
      for number in 1..<plan.parts.count {
        group.addTask {
          await fetchPart(number, of: plan, for: fetch)
        }
      }
      for await result in group {
        guard case .failure = result else { continue }
        group.cancelAll()
        return result
      }
      return .success(())
    }
  }

  private func fetchPart(
    _ number: Int,
    of plan: SplitPlan,
    for fetch: Fetch
  ) async -> Result<Void, PartError> {
    let (range, split) = (plan.parts[number], fetch.split)
    var start = range.lowerBound
    var retry = 0
    while true {
      let brokenOff = Guarded<TransportResponse?>(nil)
      var rest = makeRequest(for: start..<range.upperBound, of: plan, like: fetch.request)
      rest.onInterruption = { response in brokenOff.withLock { $0 = response } }
      rest.shouldStop = { [start] bytes in
        split.withLock { $0?.body.take(bytes, of: number, from: start) }
        return false
      }
      split.withLock { $0?.body.begin(number, at: start) }
      do throws(TransportError) {
        let before = start - range.lowerBound
        let response = try await transport.fetch(rest) { progress in
          fetch.addArrived(before + progress.received, of: number)
        }
        fetch.add(response)
        guard plan.accepts(response, from: start, to: range.upperBound),
          response.body.count == range.upperBound - start
        else { return .failure(.doubt) }
        split.withLock { [start] in $0?.body.take(response.body, of: number, from: start) }
        return .success(())
      } catch .bodyTooLarge, .contentEncoding {
        return .failure(.doubt)  // Not the requested range.
      } catch {
        if let piece = brokenOff.withLock({ $0 }) {
          fetch.add(piece)
          guard plan.accepts(piece, from: start, to: range.upperBound) else {
            return .failure(.doubt)
          }
          split.withLock { [start] in $0?.body.take(piece.body, of: number, from: start) }
          start += piece.body.count
        }
        retry += 1
        do throws(PartError) { try await wait(after: error, before: retry) } catch {
          return .failure(error)
        }
      }
    }
  }

  /// The request for the rest of a part.
  private func makeRequest(
    for range: Range<Int>,
    of plan: SplitPlan,
    like request: TransportRequest
  ) -> TransportRequest {
    var piece = request
    (piece.onHead, piece.onBytes) = (nil, nil)
    piece.maximumBodyBytes = range.count
    piece.headers += [
      HeaderField("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"),
      HeaderField("If-Range", plan.validator),
    ]
    return piece
  }

  /// Waits before a part is tried again.
  ///
  /// - Throws: Why it is not tried again.
  private func wait(after error: TransportError, before retry: Int) async throws(PartError) {
    let failure = ImageError.transport(error, url: "")
    let chance = Double.random(in: 0...1)
    guard failure.isTransient,
      let wait = options.retry.waitingTime(before: retry, retryAfter: nil, chance: chance)
    else { throw .transport(error) }
    do { try await clock.sleep(wait) } catch { throw .transport(.cancelled) }
  }
}

extension Int {
  /// Adds a number that a transport has counted: at most `Int.max`, and none below zero.
  fileprivate mutating func add(_ other: Int) {
    let (sum, overflow) = addingReportingOverflow(Swift.max(0, other))
    self = overflow ? .max : sum
  }
}
