import Ikran
import IkranHTTP
import IkranStores
import IkranSystem
import IkranTransport

/// What a request needs before its response is sent.
enum ResponseStep: Sendable {
  case send(ServiceResponse)
  case make(PictureJob)
}

/// A picture that a request asks for.
struct PictureJob: Sendable {
  let client: ClientRequest
  var wanted: ServiceRequest
  /// Names the result in caches.
  let key: String
  /// Whether the settings allow the source: an avatar may be drawn in its place.
  var isAllowed = true
}

/// What came of a job, for all who wait for it.
private struct Loaded: Sendable {
  let result: Result<StoredResult, ServiceError>
  /// What is drawn in the place of an avatar's source; nil where nothing is.
  var drawn: StoredResult?
}

/// Makes the response of each request: of memory at once, and of everything else while it waits.
final class ResponseMaker: Sendable {
  let settings: ServiceSettings
  let metrics: ServiceMetrics
  let results: ResultCache
  let pictures: PictureSource
  private let reader: RequestReader
  private let log: ServiceLog?
  private let loads = Coalescer<String, Loaded>()
  /// The paths that are none of pictures.
  private let pages: [String]

  /// Takes what it needs.
  init(
    _ settings: ServiceSettings,
    pictures: PictureSource,
    results: ResultCache,
    log: ServiceLog?
  ) throws(SettingsError) {
    (self.settings, self.pictures, self.results, self.log) = (settings, pictures, results, log)
    reader = try RequestReader(settings)
    metrics = pictures.metrics
    let (prefix, health) = (settings.server.pathPrefix, settings.server.healthPath)
    pages =
      ["/", "/health", "/favicon.ico", prefix + "/", prefix + "/health"]
      + (health.isEmpty ? [] : [health])
  }

  /// Checks signatures with other keys from the next request on.
  func use(_ keys: [KeySettings.Pair]) { reader.signature.use(keys) }

  /// Whether something is still being stored in shared stores, or removed.
  var isSharing: Bool { results.shared?.isBusy == true || pictures.shared?.isBusy == true }

  /// Microseconds since 1970.
  func now() -> Int64 { WallClock.microseconds() }

  /// Takes note of a request that has ended.
  func end(_ exchange: ServiceExchange, isComplete: Bool) {
    let (request, sent) = (exchange.request, exchange.sent)
    let status = isComplete ? sent.status : 0
    let duration = ContinuousClock.now - exchange.arrival
    if let begin = sent.began { metrics.add(.streaming, since: begin) }
    metrics.end(status: status, after: duration)
    let level = RequestRecord.level(status: status, hasError: sent.error != nil)
    guard let log, log.hasRequests(level) else { return }
    log.add(
      RequestRecord(
        id: request.id,
        client: request.address,
        method: request.method,
        path: sent.wanted?.shown
          ?? (isPage(request.path) ? String(request.path) : reader.shown(request.target)),
        status: status,
        error: sent.error?.details,
        trace: request.trace?.traceID,
        duration: duration
      )
    )
  }

  /// What a request needs; never waits for a disk or a network.
  func step(for request: ClientRequest) -> ResponseStep {
    guard !request.isAmbiguous else { return .send(fixed(400, "Bad request", for: request)) }
    switch request.method {
    case "GET", "HEAD": break
    case "OPTIONS": return .send(fixed(200, "", for: request))
    default: return .send(fixed(404, "Invalid URL", for: request))
    }
    if let own = page(of: request) { return .send(own) }
    do throws(ServiceError) {
      try checkSecret(of: request)
      let wanted = try reader.read(
        target: request.target,
        wishes: request.wishes,
        now: now() / 1_000_000
      )
      guard wanted.endpoint != .pixels || request.isLocal else { throw .unsupportedEndpoint }
      let name = key(of: wanted, for: request.wishes)
      var job = PictureJob(client: request, wanted: wanted, key: name)
      job.isAllowed = wanted.source.isEmpty || settings.sources.allows(wanted.source)
      guard job.isAllowed || wanted.options.avatar.canBeDrawn else { throw Self.notAllowed }
      guard job.isAllowed, !wanted.options.delivery.isRaw else { return .make(job) }
      if let result = results.inMemory(job.key), result.facts.freshUntil > now() {
        metrics.count(.memory)
        return .send(response(of: result, to: job).naming(wanted))
      }
      return .make(job)
    } catch {
      return .send(response(to: error, of: request))
    }
  }

  private static let notAllowed = ServiceError.forbiddenSource(
    reason: "the source is not among IKRAN_ALLOWED_SOURCES, or its bucket not among those that"
      + " IKRAN_S3_ALLOWED_BUCKETS and IKRAN_S3_DENIED_BUCKETS allow"
  )

  /// Makes a picture, together with all who ask for the same.
  func response(to job: PictureJob) async -> ServiceResponse {
    guard pictures.limit.enter() else {
      return response(to: .tooManyRequests, of: job.client).naming(job.wanted)
    }
    defer { pictures.limit.leave() }
    return await TraceContext.$current.withValue(job.client.trace) { await response(of: job) }
      .naming(job.wanted)
  }

  private func response(of job: PictureJob) async -> ServiceResponse {
    var drawn: StoredResult?
    do throws(ServiceError) {
      guard job.isAllowed else { throw Self.notAllowed }
      if job.wanted.options.delivery.isRaw {
        return response(raw: try await pictures.raw(job), to: job)
      }
      let loaded = try await outcome(of: job)
      drawn = loaded.drawn
      return response(of: try loaded.result.get(), to: job)
    } catch {
      return await fallback(for: error, job, drawn) ?? response(to: error, of: job.client)
    }
  }

  /// What comes of a job, made once for all who wait for it.
  private func outcome(of job: PictureJob) async throws(ServiceError) -> Loaded {
    do throws(ImageError) {
      return try await loads.value(for: job.key, subscription: Subscription(.normal)) {
        [self] (_) async throws(ImageError) in
        do throws(ServiceError) { return Loaded(result: .success(try await load(job))) } catch {
          return Loaded(result: .failure(error), drawn: await drawn(for: error, job))
        }
      }
    } catch {
      throw .clientLeft
    }
  }

  /// A result from the disk or a shared store, if that is still what its source has, or a new one.
  private func load(_ job: PictureJob) async throws(ServiceError) -> StoredResult {
    // A table keeps them, and says whether it has them still.
    if job.wanted.endpoint == .pixels {
      return try await pictures.result(of: pictures.file(job), for: job).result
    }
    let (known, origin) = await stored(job)
    if let known, known.facts.freshUntil > now() {
      metrics.count(origin)
      return known
    }
    do throws(ServiceError) { return try await make(job, knowing: known) } catch {
      results.giveUp(job.key)
      throw error
    }
  }

  /// A result that is kept, whatever its age, and where.
  private func stored(_ job: PictureJob) async -> (StoredResult?, ServiceMetrics.Origin) {
    if let known = results.inMemory(job.key) { return (known, .memory) }
    let begin = ContinuousClock.now
    defer { metrics.add(.lookUp, since: begin) }
    if let found = await results.read(job.key) {
      return (found.result, found.isShared ? .shared : .disk)
    }
    return (await results.madeElsewhere(job.key), .shared)
  }

  /// A result that is known, if it is still what its source has, or a new one.
  private func make(
    _ job: PictureJob,
    knowing known: StoredResult?
  ) async throws(ServiceError) -> StoredResult {
    var job = job
    // What it is to replace is of an earlier URL.
    if known != nil { job.wanted.options.delivery.asksOrigin = false }
    let file = try await pictures.file(job)
    if var known, let content = file.content, known.facts.content == content {
      metrics.count(.revalidated)
      known.facts.freshUntil = file.freshUntil
      known.facts.cacheControl = file.cacheControl
      if file.mayBeKept {
        results.update(known, for: job.key)
      } else {
        results.remove(job.key)
      }
      return known
    }
    let made = try await pictures.result(of: file, for: job)
    metrics.count(.made)
    if made.isKept {
      results.store(made.result, for: job.key)
    } else if known != nil {
      results.remove(job.key)
    } else {
      results.giveUp(job.key)
    }
    return made.result
  }

  /// Whether a path is none of a picture.
  func isPage(_ path: Substring) -> Bool {
    pages.contains { $0 == path } || path.hasPrefix("/.well-known/")
  }

  /// What a result depends on, apart from the settings: the path and what the client wishes.
  private func key(of wanted: ServiceRequest, for wishes: ClientWishes) -> String {
    // JSON is the same for all clients.
    guard !wanted.endpoint.isDescribed, wishes != ClientWishes() else { return wanted.name }
    let formats = (wishes.enforced + wishes.preferred).map(\.rawValue).joined(separator: ",")
    return
      "\(wanted.name)\n\(wishes.enforced.count) \(formats) \(wishes.dpr ?? 0) \(wishes.width ?? 0)"
  }

  private func checkSecret(of request: ClientRequest) throws(ServiceError) {
    guard let secret = settings.keys.secret else { return }
    let given = Array((request.authorization ?? "").utf8)
    let wanted = Array("Bearer \(secret)".utf8)
    guard PathSignature.areEqual(given, wanted[...]) else { throw .secret }
  }
}
