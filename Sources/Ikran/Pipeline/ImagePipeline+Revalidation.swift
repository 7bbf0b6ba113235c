import IkranStores
import IkranTransport

// Revalidation that a request asks for, and that which no caller waits for.

extension ImagePipeline {
  /// Least time between two background revalidations of a source whose response has no lifetime: a
  /// list that shows an image a hundred times asks about it once.
  private static let revalidationInterval = Duration.seconds(60)

  /// What the caches hold, given to `onCached`, then what the origin says of it.
  ///
  /// A request of another policy is loaded as usual.
  func refresh(
    _ request: ImageRequest,
    _ subscription: Subscription,
    onCached: @Sendable (LoadedImage) -> Void = { _ in }
  ) async throws(ImageError) -> (image: LoadedImage, isUnchanged: Bool) {
    guard !request.hasOtherSources else {
      return try await withSources(of: request) { (chosen) async throws(ImageError) in
        var (image, isUnchanged) = try await refresh(chosen, subscription, onCached: onCached)
        if chosen.sourceKey != request.sourceKey {
          image.key = styledKey(withKnownRedirects(chosen)).id
        }
        return (image, isUnchanged)
      }
    }
    guard request.caching.policy == .refresh else {
      return (try await load(request, subscription), false)
    }
    var (old, new) = (request, request)
    (old.caching.policy, new.caching.policy) = (.onlyCached, .standard)
    let shown: (image: LoadedImage, source: SourceKey)
    do throws(ImageError) {
      shown = try await load(old, subscription, .cached)
    } catch .cancelled {
      throw .cancelled
    } catch {
      return (try await load(new, subscription), false)
    }
    // A request with `no-cache` shows nothing before its revalidation.
    let showsCached = !CacheControl(request.transfer.headers).noCache
    if showsCached { onCached(shown.image) }
    let found = try await load(request, subscription, .revalidated)
    let isSame = found.source == shown.source && found.image.cached.body == shown.image.cached.body
    return isSame ? (shown.image, showsCached) : (found.image, false)
  }

  /// What memory or a table has and may be shown without waiting; stale responses on the way are
  /// revalidated in the background.
  func showableHit(for request: ImageRequest) -> LoadedImage? {
    guard request.caching.policy == .standard else { return hit(for: request) }
    var request = request
    for _ in 0...Self.maximumRedirects {
      let source = request.sourceKey(options.keys)
      let record = request.isDownload ? stages.record(of: source, request) : nil
      guard let response = record?.response, let target = response.redirectTarget,
        let next = request.redirected(to: target, isIsolated: network.isolatesRedirects)
      else {
        guard let hit = directHit(for: request, styledKey(request), record) else { return nil }
        return isShowable(request, source, record) ? hit : nil
      }
      guard isShowable(request, source, record) else { return nil }
      request = next
    }
    return nil
  }

  /// What memory or a table has of a request that nothing redirects, and whether that may be shown
  /// without waiting: one look-up for both.
  func showableHit(once request: ImageRequest) -> (LoadedImage?, isShowable: Bool) {
    let key = styledKey(request)
    let record = request.isDownload ? stages.record(of: key.source, request) : nil
    guard let hit = directHit(for: request, key, record) else { return (nil, false) }
    return (hit, isShowable(request, key.source, record))
  }

  /// Whether what a source's record names may be shown without asking the origin; what may be stale
  /// meanwhile is revalidated in the background.
  func isShowable(
    _ request: ImageRequest,
    _ source: SourceKey,
    _ record: SourceRecord?
  ) -> Bool {
    guard request.isDownload else { return true }
    switch record.flatMap({ stages.validity(of: $0, request) }) {
    case .fresh: return true
    case .staleWhileRevalidate:
      revalidateInBackground(request, source)
      return true
    case .stale, nil: return false
    }
  }

  /// Revalidates in the background what has just been shown, if it is stale.
  func revalidateIfStale(_ request: ImageRequest, _ source: SourceKey) {
    guard request.isDownload, let record = stages.record(of: source, request),
      stages.validity(of: record, request) == .staleWhileRevalidate
    else { return }
    revalidateInBackground(request, source)
  }

  /// Revalidates a source in the background; the caller goes on at once.
  func revalidateInBackground(_ request: ImageRequest, _ source: SourceKey) {
    guard !network.isOffline, !loader.isTransferring(request, source) else { return }
    if case .url(let url) = request.source, let error = network.unreachable(url) {
      return counters.record(.usedStale("\(error)"))
    }
    background.start {
      let number = self.records.nextNumber()
      // A failure is ignored: the stored response stays usable.
      let error = await self.validationError(of: request)
      if error?.isGone == true { self.stages.invalidate(source, number) }
      // A lifetime of its own says when it is to be asked about again.
      let record = self.stages.record(of: source, request)
      if record?.response?.cacheControl.staleWhileRevalidate == nil {
        self.pauseRevalidation(of: source, for: Self.revalidationInterval)
      }
    }
  }

  private func validationError(of request: ImageRequest) async -> ImageError? {
    var request = request
    request.priority = .low
    do throws(ImageError) {
      try await withinDeadline(of: request) { [request] () async throws(ImageError) in
        _ = try await self.loadBody(request, Subscription(.low), .revalidated, needsBody: false)
      }
      return nil
    } catch {
      counters.record(.usedStale("\(error)"))
      return error
    }
  }

  /// Takes note that something stale was used because its origin could not be asked.
  func noteStale(_ error: ImageError?, _ source: SourceKey) {
    guard let error else { return }
    counters.record(.usedStale("\(error)"))
    // Once the program is online again its origin is asked at once.
    if case .offline = error { return }
    pauseRevalidation(of: source, for: UnreachableHosts.memory)
  }

  /// Lets a stale source be shown for a while without asking, in this process: its origin has just
  /// been asked, or could not be.
  private func pauseRevalidation(of source: SourceKey, for duration: Duration) {
    let now = clock.now()
    guard let record = records.record(of: source, at: source), let response = record.response,
      response.cacheControl.staleIfError == nil, !record.fresh.contains(now),
      Freshness(of: response, at: now).mayBeShown
    else { return }
    records.prolong(record, of: source, to: now..<now + duration.microseconds)
  }
}

extension ImageError {
  /// Whether a stale response may be used (RFC 5861, section 4): a connection error, a 5xx, a 429,
  /// or a body that is no image, as from a network that wants a log-in first.
  var allowsStaleResponse: Bool {
    switch self {
    case .transport, .retryLater, .decode, .contentType, .offline: true
    case .status(let code, _, _): code == 429 || code >= 500
    default: false
    }
  }

  /// Whether the origin says that the source is not there any more.
  var isGone: Bool {
    switch self {
    case .status(404, _, _), .status(410, _, _): true
    default: false
    }
  }

  /// Whether the status was 2xx or 3xx, but the response is unusable.
  var isAfterSuccess: Bool {
    switch self {
    case .status(let code, _, _): (200..<400).contains(code)
    case .decode, .contentType: true
    default: false
    }
  }

  /// Whether a transfer took too long.
  var isTimeout: Bool {
    if case .transport(.timedOut, _) = self { return true }
    return false
  }
}
