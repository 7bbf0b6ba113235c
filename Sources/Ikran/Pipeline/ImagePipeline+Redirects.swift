import IkranStores
import Synchronization

// Redirects: each is reused only as long as its own response is fresh, and its target is a source of
// its own, one copy for all that redirect to it.

extension ImagePipeline {
  /// Redirects followed for one request, as many as browsers do.
  static let maximumRedirects = 20

  /// The request for where redirects lead, as far as memory knows them, however old; it never waits.
  func resolved(_ request: ImageRequest) -> ImageRequest {
    guard knowsRedirects.load(ordering: .relaxed) else { return request }
    var request = request
    for _ in 0..<Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let next = answers.value(for: source)?.target(of: request) else { break }
      request = next
    }
    return request
  }

  /// The request for where the redirects lead that are known of a request's source; asks the origin
  /// about those that are stale.
  ///
  /// - Returns: The request for the last target, and its body when one of the URLs did not redirect
  ///   any more and brought it.
  /// - Throws: ``ImageError`` when the origin has to be asked and cannot be.
  func followed(
    _ request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> (request: ImageRequest, body: Body?) {
    guard request.cachePolicy != .reload, knowsRedirects.load(ordering: .relaxed) else {
      return (request, nil)
    }
    var request = request
    for _ in 0...Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source), let next = kept.target(of: request) else {
        return (request, nil)
      }
      switch try await follow(request, source, kept, interest) {
      case .unchanged: request = next
      case .redirected(let next): request = next
      case .changed(let body): return (request, body)
      }
    }
    throw tooManyRedirects(request)
  }

  /// What ``followed(_:_:)`` finds of a source that memory knows nothing of, when an earlier run left
  /// word that it redirects; nil otherwise.
  ///
  /// Without it the target's image in a table would be found only by its file.
  func storedRedirect(
    of request: ImageRequest,
    _ interest: Interest
  ) async throws(ImageError) -> (request: ImageRequest, body: Body?)? {
    let source = request.sourceKey(filteredBy: options.keyFilter)
    guard request.cachePolicy != .reload, answers.value(for: source) == nil,
      lifetimes?.lifetime(of: redirectID(source))?.contains(clock.now()) == true,
      try await keptAnswer(of: source, interest).answer?.redirectTarget != nil
    else { return nil }
    return try await followed(request, interest)
  }

  /// Names the note that a source redirects.
  private func redirectID(_ source: String) -> TableID { TableID("redirect\u{0}\(source)") }

  /// Asks about one redirect, unless it is fresh or need not be.
  private func follow(
    _ request: ImageRequest,
    _ source: String,
    _ kept: KeptAnswer,
    _ interest: Interest
  ) async throws(ImageError) -> Check {
    let now = clock.now()
    guard request.cachePolicy == .standard, options.network.answers.expiry == .asAnswered,
      let answer = kept.answer, !kept.fresh.contains(now)
    else { return .unchanged }
    switch Freshness(of: answer, at: now) {
    case .fresh: return .unchanged
    case .usableWhileChecked:
      revalidateBehind(request, source)
      return .unchanged
    case .stale(let isUsableOnError):
      do throws(ImageError) {
        return try await check(request, interest, mayRetry: !isUsableOnError)
      } catch {
        guard isUsableOnError, error.saysNothingOfTheSource else { throw error }
        counters.record(.usedStale("\(error)"))
        return .unchanged
      }
    }
  }

  /// Notes that a source is elsewhere; what was stored of it under its own URL is not shown again.
  func noteRedirect(
    _ answer: StoredAnswer,
    of source: String,
    _ request: ImageRequest,
    mayStore: Bool
  ) async {
    let known = answers.value(for: source)
    let knownTarget = known?.answer?.redirectTarget
    if knownTarget == nil,
      request.cachePolicy == .reload || known?.answer != nil
        || hit(for: request) != nil
    {
      _ = renew(source)
    }
    guard mayStore, !request.stores.isEmpty else {
      guard known?.answer != nil else { return }
      return forget(source)
    }
    remember(answer, of: source)
    // The disk's copy is as good, when neither it nor this one may be used unasked.
    let isFresh = KeptAnswer(answer, at: clock.now()).fresh.isEmpty == false
    guard knownTarget != answer.redirectTarget || isFresh, request.stores.contains(.disk) else {
      return
    }
    let now = clock.now()
    lifetimes?.note(now..<now + Duration.seconds(30 * 86_400).microseconds, of: redirectID(source))
    await disk.store(answer.bytes, for: source, cost: 0) { [] }
  }

  func tooManyRedirects(_ request: ImageRequest) -> ImageError {
    .transport(.tooManyRedirects(limit: Self.maximumRedirects), url: request.displayName)
  }
}

extension KeptAnswer {
  /// The request for a redirect's target; nil of other responses.
  func target(of request: ImageRequest) -> ImageRequest? {
    answer?.redirectTarget.flatMap { request.redirected(to: $0) }
  }
}
