import IkranStores

// Revalidation that a request asks for, and that which no caller waits for.

extension ImagePipeline {
  /// Least time between two background revalidations of a source whose response has no lifetime: a
  /// list that shows an image a hundred times asks about it once.
  private static let revalidationInterval = Duration.seconds(60)

  /// What the caches hold, given to `onCached`, then what the origin says of it.
  ///
  /// A request of another policy is loaded as ever.
  func refresh(
    _ request: ImageRequest,
    _ interest: Interest,
    onCached: @Sendable (LoadedImage) -> Void = { _ in }
  ) async throws(ImageError) -> (image: LoadedImage, isUnchanged: Bool) {
    guard request.alternatives.isEmpty else {
      return try await withChoice(of: request) { (chosen) async throws(ImageError) in
        try await refresh(chosen, interest, onCached: onCached)
      }
    }
    guard request.cachePolicy == .refresh else {
      return (try await load(request, interest), false)
    }
    var (old, new) = (request, request)
    old.cachePolicy = .onlyCached
    new.cachePolicy = .standard
    let before = styledKey(withKnownRedirects(request))
    let shown: LoadedImage
    do throws(ImageError) {
      shown = try await load(old, interest)
    } catch .cancelled {
      throw .cancelled
    } catch {
      return (try await load(new, interest), false)
    }
    // The first load may have learnt of a redirect from the disk.
    let found = styledKey(withKnownRedirects(request))
    let shownKey = found.source == before.source ? before : found
    // What the request itself wants to be validated first is not shown before.
    let showsCached = !CacheControl(request.headers).noCache
    if showsCached { onCached(shown) }
    var target = request
    var redirects: [Redirect] = []
    for _ in 0...Self.maximumRedirects {
      let check = try await check(target, interest)
      if case .redirected(let redirect) = check {
        redirects.append(redirect)
        target = redirect.target
        continue
      }
      for redirect in redirects { await store(redirect) }
      switch check {
      case .unchanged where styledKey(withKnownRedirects(request)) == shownKey:
        return (shown, showsCached)
      // The newest file still holds; another's check brought it after this one had looked.
      case .unchanged, .redirected: return (try await load(new, interest), false)
      case .changed(let body):
        target.cachePolicy = .standard
        return (try await load(target, interest, supplied: body), false)
      }
    }
    throw tooManyRedirects(target)
  }

  /// Whether what a cache holds of a request's source may be shown without waiting.
  ///
  /// Starts a background revalidation of each stale response on the way.
  func mayShowWhileRevalidating(_ request: ImageRequest) -> Bool {
    if isKnownCurrent(request) { return true }
    var request = request
    for _ in 0...Self.maximumRedirects {
      let source = request.sourceKey(filteredBy: options.keyFilter)
      guard let kept = answers.value(for: source), let answer = kept.answer else { return false }
      let now = clock.now()
      if !kept.fresh.contains(now) {
        guard Freshness(of: answer, at: now) == .usableWhileChecked else { return false }
        revalidateInBackground(request, source)
      }
      guard let next = target(of: kept, request) else { return true }
      request = next
    }
    return false
  }

  /// Revalidates a source in the background; the caller goes on at once.
  func revalidateInBackground(_ request: ImageRequest, _ source: String) {
    background.start {
      // A failure is ignored: the stored response stays usable.
      _ = try? await self.withinDeadline(of: request) { () async throws(ImageError) in
        try await self.revalidateStale(request, isUsableOnError: true, Interest(.low))
      }
      // A lifetime of its own says when it is to be asked about again.
      if self.answers.value(for: source)?.answer?.cacheControl.staleWhileRevalidate == nil {
        self.pauseRevalidation(of: source)
      }
    }
  }

  /// Lets a stale source be shown unasked for a while, in this process: its origin has just been
  /// asked, or could not be.
  func pauseRevalidation(of source: String) {
    let now = clock.now()
    guard let answer = answers.value(for: source)?.answer, answer.cacheControl.staleIfError == nil,
      KeptAnswer(answer, at: now).fresh.isEmpty, Freshness(of: answer, at: now).mayBeShown
    else { return }
    setFreshness(
      KeptAnswer(answer, fresh: now..<now + Self.revalidationInterval.microseconds),
      of: source
    )
  }
}
