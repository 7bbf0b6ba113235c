import IkranStores
import IkranTransport

// Redirects: each is reused only as long as its own response is fresh, and its target is a source
// of its own, one copy for all that redirect to it.

// Decision 32: redirects go through the caches.
/// The way of one request from source to source.
struct RedirectWalk {
  var request: ImageRequest
  var demand: SourceLoad.Demand
  /// A redirect that an origin responded with, and what this request made of it.
  struct Step {
    let redirect: Redirect
    let source: SourceKey
    /// The request that it responds to, and the one for its target: in this walk's own style.
    let request: ImageRequest
    let target: ImageRequest
  }

  /// A request for what a source brought before it began to redirect, which may be shown when no
  /// image comes of that, and the number of the transfer that redirected.
  private(set) var fallback: (request: ImageRequest, source: SourceKey, number: Int)?
  /// To be stored once the last target has brought an image.
  private(set) var steps: [Step] = []
  private var visits: [SourceKey: Int] = [:]
  private var stepCount = 0
  /// Whether the last source was met before: its stored redirects contradict each other.
  private(set) var isCircle = false

  init(_ request: ImageRequest, _ demand: SourceLoad.Demand) {
    (self.request, self.demand) = (request, demand)
  }

  /// Goes on to where a redirect leads this request.
  ///
  /// - Throws: ``ImageError/transport(_:url:)`` where that is no `http:` or `https:` URL.
  mutating func follow(
    _ redirect: Redirect,
    from source: SourceKey,
    in stages: LoadStages
  ) throws(ImageError) {
    let isIsolated = stages.network.isolatesRedirects
    guard
      let target = request.redirected(
        to: redirect.location,
        from: redirect.sentURL,
        isIsolated: isIsolated
      )
    else {
      let error = TransportError.forbiddenRedirect(redacted(redirect.location))
      throw .transport(error, url: request.displayName)
    }
    // The source's stale image may be shown on an error.
    if fallback == nil, demand == .fresh, let record = stages.record(of: source, request),
      stages.validity(of: record, request) == .stale(usableOnError: true)
    {
      fallback = (request, source, redirect.number)
    }
    steps.append(Step(redirect: redirect, source: source, request: request, target: target))
    request = target
  }

  /// Takes a visit back: the disk had a redirect that memory did not know, and the source comes
  /// again.
  mutating func repeatVisit(of source: SourceKey) {
    if let count = visits[source], count > 0 { visits[source] = count - 1 }
  }

  /// Counts the sources.
  ///
  /// - Throws: ``ImageError/transport(_:url:)`` when there are too many.
  mutating func step(_ pipeline: ImagePipeline) throws(ImageError) {
    stepCount += 1
    // Nearly all requests are redirected nowhere: no dictionary is made for them.
    guard stepCount > 1 else { return visits = [:] }
    let source = request.sourceKey(pipeline.options.keys)
    visits[source, default: 0] += 1
    isCircle = visits[source] ?? 0 > 1
    guard visits[source] ?? 0 <= 3, stepCount <= 2 * ImagePipeline.maximumRedirects,
      steps.count <= ImagePipeline.maximumRedirects
    else {
      let limit = ImagePipeline.maximumRedirects
      throw .transport(.tooManyRedirects(limit: limit), url: request.displayName)
    }
  }
}

extension ImagePipeline {
  /// The request for the last target of the redirects that memory knows, fresh or stale; no I/O.
  func withKnownRedirects(_ request: ImageRequest) -> ImageRequest {
    guard records.hasRedirects else { return request }
    var request = request
    for _ in 0..<Self.maximumRedirects {
      guard let next = target(of: request) else { break }
      request = next
    }
    return request
  }

  /// Where a stored redirect leads; revalidates it first if it is stale.
  ///
  /// - Throws: ``ImageError`` when the origin has to be asked and cannot be.
  func storedTarget(
    _ walk: inout RedirectWalk,
    _ subscription: Subscription
  ) async throws(ImageError) -> ImageRequest? {
    guard walk.demand != .reloaded, records.hasRedirects else { return nil }
    let request = walk.request
    let source = request.sourceKey(options.keys)
    guard let next = target(of: request), let record = stages.record(of: source, request) else {
      return nil
    }
    var isUsableOnError = false
    if !walk.isCircle, walk.demand != .revalidated {
      if walk.demand == .cached { return next }
      switch stages.validity(of: record, request) {
      case .fresh: return next
      case .staleWhileRevalidate:
        revalidateInBackground(request, source)
        return next
      case .stale(let isUsable):
        isUsableOnError = isUsable
        if isUsable, case .url(let url) = request.source, let error = network.unreachable(url) {
          counters.record(.usedStale("\(error)"))
          return next
        }
      case nil: break
      }
    } else if walk.demand == .cached {
      return next
    }
    return try await revalidate(request, source, next, isUsableOnError, &walk, subscription)
  }

  /// Asks the origin of a stale redirect where it leads now.
  ///
  /// - Returns: The target; nil when the source brings an image itself now.
  private func revalidate(
    _ request: ImageRequest,
    _ source: SourceKey,
    _ next: ImageRequest,
    _ isUsableOnError: Bool,
    _ walk: inout RedirectWalk,
    _ subscription: Subscription
  ) async throws(ImageError) -> ImageRequest? {
    let want = SourceLoad.Want(
      demand: .revalidated,
      priority: request.priority,
      reads: [],
      needsBody: false,
      timeout: request.transfer.timeout ?? options.network.timeout
    )
    subscription.startWaiting(at: clock.now())
    let result = await loader.result(of: want, request, source, known: nil, subscription)
    switch result {
    case .other(.redirected(let redirect?)):
      try walk.follow(redirect, from: source, in: stages)
      return walk.request
    case .other(.failed(let error)):
      guard isUsableOnError, error.allowsStaleResponse else { throw error }
      noteStale(error, source)
      return next
    case .other(.timedOut(let time)):
      throw .transport(.timedOut(after: time), url: request.displayName)
    case .cancelled: throw .cancelled
    case .image, .body, .other: return nil
    }
  }

  /// The request for the target of a source's stored redirect; nil when there is none.
  private func target(of request: ImageRequest) -> ImageRequest? {
    let source = request.sourceKey(options.keys)
    return stages.record(of: source, request)?.response?.redirectTarget.flatMap {
      request.redirected(to: $0, isIsolated: network.isolatesRedirects)
    }
  }

  /// Stores redirects in place of what their URLs brought before, now that an image has come of
  /// them: a network that wants a log-in first redirects too, and so does a site under repair.
  func store(_ steps: [RedirectWalk.Step]) {
    for step in steps { store(step) }
  }

  private func store(_ step: RedirectWalk.Step) {
    let (redirect, request, source) = (step.redirect, step.request, step.source)
    // The target has the same key, if the program's filter says so: then the image stands under it.
    guard step.target.sourceKey(options.keys) != source, !request.caching.stores.isEmpty,
      !records.wereEmptied(since: redirect.number)
    else { return }
    let known = stages.record(of: source, request)
    guard !redirect.response.cacheControl.noStore || network.expiry(of: request) == .never else {
      if known != nil || directHit(for: request) != nil {
        stages.invalidate(source, redirect.number)
      }
      return
    }
    var record = stages.record(by: redirect.response)
    record.number = redirect.number
    // What was stored or removed while the target was loading is newer.
    guard records.set(record, of: source) else { return }
    stages.removeOutdatedBody(of: source)
    guard request.caching.stores.contains(.disk) else { return }
    // A stale redirect to the same target is on the disk already: writing it again gains nothing.
    let isKnown = known?.response?.redirectTarget == redirect.location
    guard !isKnown || !record.fresh.isEmpty else { return }
    // Where it leads may be a secret, such as a signed URL: that stays in memory.
    guard !redirect.location.contains(where: { $0 == "?" || $0 == "@" }) else {
      return disk.remove("\(source)") { [records] in
        records.isLast(redirect.number, of: source)
      }
    }
    disk.store(redirect.response.bytes, for: "\(source)", cost: 0) { [records] in
      records.isLast(redirect.number, of: source) ? [] : nil
    }
  }
}
