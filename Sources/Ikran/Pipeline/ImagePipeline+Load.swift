import IkranCodecs
import IkranPixels
import IkranStores
import IkranTransport

// What happens to a request, in order: look up in memory and the tables; subscribe to the source's
// load, which reads the disk, transfers and renders; follow redirects from source to source.

extension ImagePipeline {
  /// The most redirects of one request.
  ///
  /// ``/IkranTransport/TransferLimits/maximumRedirects``, 20 by default, may end a chain earlier;
  /// this bounds other transports and chains that are already stored.
  static let maximumRedirects = 20

  /// Loads one image through every stage.
  func load(
    _ request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage {
    if request.caching.policy == .refresh || request.hasOtherSources {
      return try await refresh(request, subscription).image
    }
    return try await load(request, subscription, demand(of: request)).image
  }

  /// Loads one image that is as new as `demand` says.
  func load(
    _ request: ImageRequest,
    _ subscription: Subscription,
    _ demand: SourceLoad.Demand
  ) async throws(ImageError) -> (image: LoadedImage, source: SourceKey) {
    var walk = RedirectWalk(request, demand)
    do throws(ImageError) {
      return try await follow(&walk, subscription)
    } catch {
      return try await load(fallback(of: walk, after: error), subscription, .cached)
    }
  }

  /// The request for what a source brought before it redirected, when nothing came of that.
  ///
  /// - Throws: The error, when there is none that may be shown.
  private func fallback(
    of walk: RedirectWalk,
    after error: ImageError
  ) throws(ImageError) -> ImageRequest {
    guard let (older, source, number) = walk.fallback else { throw error }
    if error.isGone { stages.invalidate(source, number) }
    guard error.allowsStaleResponse else { throw error }
    noteStale(error, source)
    return older
  }

  private func follow(
    _ walk: inout RedirectWalk,
    _ subscription: Subscription
  ) async throws(ImageError) -> (image: LoadedImage, source: SourceKey) {
    while true {
      try walk.step(self)
      if let next = try await storedTarget(&walk, subscription) {
        walk.request = next
        continue
      }
      let source = walk.request.sourceKey(options.keys)
      let drawing = try drawing(of: walk.request)
      let held = try await held(walk.request, drawing, subscription)
      if let held, mayShow(held, walk, source) {
        store(walk.steps)
        record(held, drawing.key)
        return (held, source)
      }
      var want = want(walk, drawing)
      want.held = held?.cached.body
      let known = stages.record(of: source, walk.request).flatMap {
        stages.found($0, nil, walk.request)
      }
      subscription.startWaiting(at: clock.now())
      let result = await loader.result(of: want, walk.request, source, known: known, subscription)
      guard let loaded = try finish(result, held, source, &walk) else { continue }
      store(walk.steps)
      record(loaded, drawing.key)
      return (loaded, source)
    }
  }

  /// Loads a source's bytes, or validates them, without making an image.
  ///
  /// - Returns: The bytes; nil when only a validation was wanted and the caches' bytes are valid.
  func loadBody(
    _ request: ImageRequest,
    _ subscription: Subscription,
    _ demand: SourceLoad.Demand,
    needsBody: Bool = true
  ) async throws(ImageError) -> Body? {
    var walk = RedirectWalk(request, demand)
    do throws(ImageError) {
      return try await followBody(&walk, subscription, needsBody)
    } catch {
      guard needsBody else { throw error }
      return try await loadBody(fallback(of: walk, after: error), subscription, .cached)
    }
  }

  private func followBody(
    _ walk: inout RedirectWalk,
    _ subscription: Subscription,
    _ needsBody: Bool
  ) async throws(ImageError) -> Body? {
    while true {
      // In the background each response is revalidated by itself: a redirect's target need only be
      // there.
      if !needsBody, !walk.steps.isEmpty { walk.demand = .fresh }
      try walk.step(self)
      if let next = try await storedTarget(&walk, subscription) {
        walk.request = next
        continue
      }
      let source = walk.request.sourceKey(options.keys)
      var want = want(walk, nil)
      want.needsBody = needsBody
      let known = stages.record(of: source, walk.request).flatMap {
        stages.found($0, nil, walk.request)
      }
      subscription.startWaiting(at: clock.now())
      let result = await loader.result(of: want, walk.request, source, known: known, subscription)
      switch result {
      case .body(let body, let error):
        noteStale(error, source)
        if walk.demand == .fresh, body.source != .network {
          revalidateIfStale(walk.request, source)
        }
        store(walk.steps)
        return body
      case .other(.unchanged(_, let error)):
        noteStale(error, source)
        store(walk.steps)
        return nil
      default: _ = try finish(result, nil, source, &walk)
      }
    }
  }

  /// What a request wants of its source.
  private func want(_ walk: RedirectWalk, _ drawing: SourceLoad.Drawing?) -> SourceLoad.Want {
    let request = walk.request
    return SourceLoad.Want(
      // What is no download is as near as a cache.
      demand: walk.demand == .cached && !request.isDownload ? .fresh : walk.demand,
      priority: request.priority,
      reads: walk.demand == .reloaded ? [] : request.caching.reads.intersection(.bodies),
      drawing: drawing,
      stopsEarly: request.stopsEarly && !request.isForDisk,
      timeout: request.transfer.timeout ?? options.network.timeout
    )
  }

  /// What a source's load came to.
  ///
  /// - Returns: The image; nil when the walk goes on.
  private func finish(
    _ ending: SourceLoader.Ending,
    _ held: LoadedImage?,
    _ source: SourceKey,
    _ walk: inout RedirectWalk
  ) throws(ImageError) -> LoadedImage? {
    switch ending {
    case .image(.success(let loaded), let error):
      noteStale(error, source)
      if walk.demand == .fresh, loaded.source != .network {
        revalidateIfStale(walk.request, source)
      }
      return loaded
    case .image(.failure(let error), _): throw error
    // Only those that want no image get a body.
    case .body: return nil
    case .cancelled: throw .cancelled
    case .other(.unchanged(_, let error)):
      noteStale(error, source)
      return held
    case .other(.redirected(let redirect)):
      if let redirect {
        try walk.follow(redirect, from: source, in: stages)
      } else {
        walk.repeatVisit(of: source)
      }
      return nil
    case .other(.failed(let error)): throw error
    case .other(.timedOut(let time)):
      throw .transport(.timedOut(after: time), url: walk.request.displayName)
    case .other(.notCached): throw .offline(url: walk.request.displayName)
    }
  }

  // MARK: - Looking up

  /// What memory or a table has, however old; it never waits.
  func hit(for request: ImageRequest) -> LoadedImage? {
    guard request.caching.policy != .reload else { return nil }
    guard records.hasRedirects else { return directHit(for: request) }
    return directHit(for: withKnownRedirects(request))
  }

  /// The same for a request that is not redirected.
  func directHit(for request: ImageRequest) -> LoadedImage? {
    let key = styledKey(request)
    let record = request.isDownload ? stages.record(of: key.source, request) : nil
    return directHit(for: request, key, record)
  }

  /// The same where the source's record has been looked up.
  func directHit(
    for request: ImageRequest,
    _ key: StyledKey,
    _ record: SourceRecord?
  ) -> LoadedImage? {
    if request.caching.reads.contains(.memory), let cached = images.value(for: key),
      isCurrent(cached, record, request)
    {
      return LoadedImage(cached, from: .memory)
    }
    // A style that makes no sense is reported when the image is made.
    guard tables != nil, request.caching.reads.contains(.tables), let body = record?.body,
      let size = (try? fitting(of: key))?.fixedSize,
      let bitmap = stages.imageInTable(key, size, body)
    else { return nil }
    return LoadedImage(CachedImage(bitmap, body: body), from: .table)
  }

  /// Whether an image is known to be made from the bytes that are its source's now.
  private func isCurrent(
    _ image: CachedImage,
    _ record: SourceRecord?,
    _ request: ImageRequest
  ) -> Bool {
    guard let body = image.body else { return true }
    // What is not known to be current may have been removed or replaced.
    return request.isDownload ? record?.body == body : request.localID == body
  }

  /// An image of the current bytes: from memory, a table, or among the styled ones on the disk.
  private func held(
    _ request: ImageRequest,
    _ drawing: SourceLoad.Drawing,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    guard request.caching.policy != .reload else { return nil }
    if let hit = directHit(for: request) { return hit }
    return try await processedImage(request, drawing.key, subscription)
  }

  /// Whether an image may be shown without asking its origin.
  private func mayShow(_ held: LoadedImage, _ walk: RedirectWalk, _ source: SourceKey) -> Bool {
    let request = walk.request
    if walk.demand == .cached || !request.isDownload || held.cached.body == nil { return true }
    guard walk.demand == .fresh, let record = stages.record(of: source, request) else {
      return false
    }
    switch stages.validity(of: record, request) {
    case .fresh: return true
    case .staleWhileRevalidate:
      revalidateInBackground(request, source)
      return true
    case .stale(usableOnError: true):
      guard case .url(let url) = request.source, let error = network.unreachable(url) else {
        return false
      }
      counters.record(.usedStale("\(error)"))
      return true
    case .stale, nil: return false
    }
  }

  /// The styled image and the pixels that it needs.
  func drawing(of request: ImageRequest) throws(ImageError) -> SourceLoad.Drawing {
    watchPressure()
    let key = styledKey(request)
    return SourceLoad.Drawing(key: key, fitting: try fitting(of: key))
  }

  /// The pixels that a style needs.
  func fitting(of key: StyledKey) throws(ImageError) -> Fitting {
    // Also of styles that need no scale: NaN is unequal to itself, and so is a key with it.
    guard key.scale > 0, key.scale.isFinite else {
      throw .style(.invalidSize(style: key.style.key, scale: key.scale))
    }
    do throws(StyleError) {
      return try key.style.fitting(scale: key.scale)
    } catch {
      throw .style(error)
    }
  }

  /// Reports a look-up to `onLookUp`.
  func record(_ image: LoadedImage, _ key: StyledKey) {
    guard let onLookUp else { return }
    onLookUp("\(key.id)", image.cached.image.byteCount)
  }
}

extension SourceLoad.Demand {
  /// What a request's cache policy demands.
  init(_ request: ImageRequest) {
    switch request.caching.policy {
    case .standard: self = .fresh
    case .reload: self = .reloaded
    case .refresh: self = .revalidated
    case .onlyCached: self = .cached
    }
  }
}
