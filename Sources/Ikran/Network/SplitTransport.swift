import IkranStores

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
    let plan: SplitPlan
    var others: Task<Result<[[UInt8]], PartError>, Never>?
    /// How much of each part has arrived.
    private var counts: [Int]

    init(_ plan: SplitPlan) {
      self.plan = plan
      counts = plan.parts.map { _ in 0 }
    }

    mutating func arrived(_ count: Int, of part: Int) -> TransferProgress {
      counts[part] = min(count, plan.parts[part].count)
      return TransferProgress(received: counts.reduce(0, +), expected: plan.total)
    }
  }

  private let transport: any Transport
  private let options: NetworkOptions
  private let clock: PipelineClock

  init(_ transport: any Transport, _ options: NetworkOptions, _ clock: PipelineClock) {
    self.transport = transport
    self.options = options
    self.clock = clock
  }

  /// Fetches one body, in parts when its head allows it.
  ///
  /// - Throws: ``TransportError``.
  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let mayRange = request.headers.allSatisfy { field in
      !["range", "if-none-match", "if-modified-since"].contains(field.name.lowercased())
    }
    guard options.resumption.splitBytes < .max, options.resumption.parts > 1, mayRange,
      request.method == "GET", request.body == nil, request.isEnough == nil
    else { return try await transport.fetch(request, progress: progress) }
    // Nearly all bodies are small: until a head says otherwise this costs one box.
    let split = Guarded<Split?>(nil)
    var first = request
    first.onHead = { head in
      guard let plan = SplitPlan(head, options.resumption) else { return }
      split.withLock { $0 = Split(plan) }
      let others = Task { await parts(of: plan, request, split, progress) }
      split.withLock { $0?.others = others }
    }
    first.isEnough = { body in
      split.withLock { split in split.map { body.count >= $0.plan.parts[0].count } ?? false }
    }
    let report: @Sendable (TransferProgress) -> Void = { received in
      progress(split.withLock { $0?.arrived(received.received, of: 0) } ?? received)
    }
    let beginning: Result<TransportResponse, TransportError>
    do throws(TransportError) {
      beginning = .success(try await transport.fetch(first, progress: report))
    } catch {
      beginning = .failure(error)
    }
    guard let (plan, others) = split.withLock({ $0.flatMap { ($0.plan, $0.others) } }) else {
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
    case .success(let bodies): return try await whole(head, plan, bodies, request, progress)
    case .failure(.doubt): return try await transport.fetch(request, progress: progress)
    case .failure(.transport(let error)):
      tell(head, plan, request)
      throw error
    }
  }

  /// The whole body, if the first part is what the plan says.
  private func whole(
    _ head: TransportResponse,
    _ plan: SplitPlan,
    _ others: [[UInt8]],
    _ request: TransportRequest,
    _ progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    guard head.body.count >= plan.parts[0].count else {
      return try await transport.fetch(request, progress: progress)
    }
    var body: [UInt8] = []
    body.reserveCapacity(plan.total)
    body += head.body[..<plan.parts[0].count]
    for other in others { body += other }
    return TransportResponse(
      status: head.status,
      headers: head.headers,
      body: body,
      url: head.url,
      metrics: head.metrics
    )
  }

  /// Hands on the first part of a body whose other parts broke off, to be resumed later.
  private func tell(_ head: TransportResponse, _ plan: SplitPlan, _ request: TransportRequest) {
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

  /// The bodies of all parts but the first.
  private func parts(
    of plan: SplitPlan,
    _ request: TransportRequest,
    _ split: Guarded<Split?>,
    _ progress: @escaping @Sendable (TransferProgress) -> Void
  ) async -> Result<[[UInt8]], PartError> {
    await withTaskGroup { group in
      for number in 1..<plan.parts.count {
        group.addTask {
          let result = await part(number, of: plan, request) { count in
            if let sum = split.withLock({ $0?.arrived(count, of: number) }) { progress(sum) }
          }
          return (number, result)
        }
      }
      var bodies = Array(repeating: [UInt8](), count: plan.parts.count - 1)
      for await (number, result) in group {
        switch result {
        case .success(let body): bodies[number - 1] = body
        case .failure(let error):
          group.cancelAll()
          return .failure(error)
        }
      }
      return .success(bodies)
    }
  }

  private func part(
    _ number: Int,
    of plan: SplitPlan,
    _ request: TransportRequest,
    _ report: @escaping @Sendable (Int) -> Void
  ) async -> Result<[UInt8], PartError> {
    let range = plan.parts[number]
    var body: [UInt8] = []
    var retry = 0
    while true {
      let start = range.lowerBound + body.count
      let brokenOff = Guarded<TransportResponse?>(nil)
      var piece = request
      piece.onHead = nil
      piece.maximumBodyBytes = range.upperBound - start
      piece.onInterruption = { response in brokenOff.withLock { $0 = response } }
      piece.headers += [
        HeaderField("Range", "bytes=\(start)-\(range.upperBound - 1)"),
        HeaderField("If-Range", plan.validator),
      ]
      do throws(TransportError) {
        let before = body.count
        let answer = try await transport.fetch(piece) { report(before + $0.received) }
        guard plan.accepts(answer, from: start, to: range.upperBound),
          answer.body.count == range.upperBound - start
        else { return .failure(.doubt) }
        return .success(body + answer.body)
      } catch .bodyTooLarge {
        return .failure(.doubt)  // Not the range that was asked for.
      } catch {
        if let piece = brokenOff.withLock({ $0 }) {
          guard plan.accepts(piece, from: start, to: range.upperBound) else {
            return .failure(.doubt)
          }
          body += piece.body
        }
        retry += 1
        let failure = ImageError.transport(error, url: "")
        let chance = Double.random(in: 0...1)
        guard failure.isTransient,
          let wait = options.retry.wait(before: retry, asked: nil, chance: chance)
        else { return .failure(.transport(error)) }
        do { try await clock.sleep(wait) } catch { return .failure(.transport(.cancelled)) }
      }
    }
  }
}
