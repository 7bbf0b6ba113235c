import IkranStores
import Synchronization

// Redirects: each is reused only as long as its own response is fresh, and its target is a source of
// its own, one copy for all that redirect to it.

extension ImagePipeline {
  /// The most redirects of one request.
  ///
  /// ``TransferLimits/maximumRedirects``, 5 by default, usually ends a chain earlier; this bounds other
  /// transports and chains that are already stored.
  static let maximumRedirects = 20

  /// How long a later run looks on the disk for a redirect.
  private static let redirectNoteLifetime = Duration.seconds(7 * 86_400)

  /// The request for the last target of the redirects that memory knows, fresh or stale; no I/O.
  func withKnownRedirects(_ request: ImageRequest) -> ImageRequest {
    guard knowsRedirects.load(ordering: .relaxed) else { return request }
    var request = request
    for _ in 0..<Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source), let next = target(of: kept, request) else {
        break
      }
      request = next
    }
    return request
  }

  /// Follows the redirects that memory knows of a request's source, and revalidates the stale ones.
  ///
  /// - Returns: The request for the last target, and its body when one of the URLs did not redirect
  ///   any more and brought it.
  /// - Throws: ``ImageError`` when the origin has to be asked and cannot be.
  func followStoredRedirects(
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> (request: ImageRequest, body: Body?) {
    guard request.cachePolicy != .reload, knowsRedirects.load(ordering: .relaxed) else {
      return (request, nil)
    }
    var request = request
    var seen: [String: Int] = [:]
    while true {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source), let next = target(of: kept, request) else {
        return (request, nil)
      }
      seen[source, default: 0] += 1
      let visits = seen[source] ?? 1
      guard visits <= 2, seen.count <= Self.maximumRedirects else {
        throw tooManyRedirects(request)
      }
      // Stored redirects in a circle contradict each other: what the origin says now decides.
      let isCircle = visits > 1
      switch try await revalidateRedirect(request, source, kept, isForced: isCircle, interest) {
      case .unchanged: request = next
      case .redirected(let redirect): request = redirect.target
      case .changed(let body): return (request, body)
      }
    }
  }

  /// Like ``followStoredRedirects(_:_:)``, for a redirect that only the freshness file and the disk
  /// know; nil when there is none.
  ///
  /// Without this, the target's styled image in a table would not be found: its key is the target's.
  func followRedirectOfEarlierRun(
    of request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> (request: ImageRequest, body: Body?)? {
    let source = request.sourceKey(filteredBy: options.keyFilter)
    guard request.cachePolicy != .reload, answers.value(for: source) == nil,
      lifetimes?.lifetime(of: redirectID(source))?.contains(clock.now()) == true,
      try await keptAnswer(of: source, interest).answer?.redirectTarget != nil
    else { return nil }
    return try await followStoredRedirects(request, interest)
  }

  /// Names the note that a source redirects.
  private func redirectID(_ source: String) -> TableID { TableID("redirect\u{0}\(source)") }

  /// Revalidates one redirect if it is stale, or if that is forced.
  private func revalidateRedirect(
    _ request: ImageRequest,
    _ source: String,
    _ kept: KeptAnswer,
    isForced: Bool,
    _ interest: Interest
  ) async throws(ImageError) -> Check {
    if isForced, request.cachePolicy == .standard {
      return try await revalidateStale(request, isUsableOnError: false, interest)
    }
    let now = clock.now()
    guard request.cachePolicy == .standard, options.network.answers.expiry == .asAnswered,
      let answer = kept.answer, !kept.fresh.contains(now)
    else { return .unchanged }
    switch Freshness(of: answer, at: now) {
    case .fresh: return .unchanged
    case .usableWhileChecked:
      revalidateInBackground(request, source)
      return .unchanged
    case .stale(let isUsableOnError):
      return try await revalidateStale(request, isUsableOnError: isUsableOnError, interest)
    }
  }

  /// Stores a redirect that takes the place of something, once its target has brought an image: a
  /// network that wants a log-in first redirects too, and so does a site under repair.
  ///
  /// - Returns: The image's file, if it had to be downloaded.
  func storeOnceItBringsAnImage(
    _ redirect: Redirect,
    _ interest: Interest
  ) async throws(ImageError) -> Body? {
    var redirects = [redirect]
    while redirects.count <= Self.maximumRedirects {
      let target = redirects[redirects.count - 1].target
      let known = try await keptAnswer(
        of: target.sourceKey(filteredBy: options.keyFilter),
        interest
      )
      var body: Body?
      if known.answer?.body ?? 0 == 0 {
        switch try await check(target, interest, mayRetry: false) {
        case .redirected(let next):
          redirects.append(next)
          continue
        case .changed(let newer): body = newer
        case .unchanged: break
        }
      }
      for redirect in redirects { await store(redirect) }
      return body
    }
    throw tooManyRedirects(redirect.request)
  }

  /// Stores a redirect in place of what its URL brought before.
  func store(_ redirect: Redirect) async {
    let (request, source, answer) = (redirect.request, redirect.source, redirect.answer)
    // The target has the same key, if the program's filter says so: then the image stands under it.
    guard redirect.target.sourceKey(filteredBy: options.keyFilter) != source,
      !request.stores.isEmpty
    else { return }
    let known = answers.value(for: source)
    let knownTarget = known?.answer?.redirectTarget
    if knownTarget == nil,
      request.cachePolicy == .reload || known?.answer != nil || hit(for: request) != nil
    {
      _ = renew(source)
    }
    guard redirect.mayStore else {
      if known?.answer != nil { forget(source) }
      return
    }
    remember(answer, of: source)
    // A stale redirect to the same target is on the disk already: writing it again gains nothing.
    let isFresh = !KeptAnswer(answer, at: clock.now()).fresh.isEmpty
    guard knownTarget != answer.redirectTarget || isFresh, request.stores.contains(.disk) else {
      return
    }
    let now = clock.now()
    lifetimes?.note(now..<now + Self.redirectNoteLifetime.microseconds, of: redirectID(source))
    await disk.store(answer.bytes, for: source, cost: 0) { [] }
  }

  /// The request for the target of a redirect that is known; nil of other responses.
  func target(of kept: KeptAnswer, _ request: ImageRequest) -> ImageRequest? {
    kept.answer?.redirectTarget.flatMap {
      request.redirected(to: $0, isIsolated: network.isolatesRedirects)
    }
  }

  func tooManyRedirects(_ request: ImageRequest) -> ImageError {
    .transport(.tooManyRedirects(limit: Self.maximumRedirects), url: request.displayName)
  }
}
