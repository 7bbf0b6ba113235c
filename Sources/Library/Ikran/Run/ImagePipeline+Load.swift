import IkranCodecs
import IkranPixels
import IkranStores
import IkranTransport

// A request that waits: from its own source and its others to the run of each, with what is drawn.

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
    // Nearly all requests have one source: no closure is made for them.
    if request.caching.policy != .refresh, !request.hasOtherSources,
      context.options.hooks.intercept == nil
    {
      return try await loadImage(request, subscription, demand: demand(of: request)).image
    }
    return try await loadFromSources(of: request, subscription).image
  }

  /// Loads what the program's hook makes of a request, from its own source or one of its others.
  ///
  /// One with the policy `refresh` gives what the caches hold to `onCached`, then returns what the
  /// origin says of it.
  func loadFromSources(
    of request: ImageRequest,
    _ subscription: Subscription,
    onCached: @Sendable (LoadedImage) -> Void = { _ in }
  ) async throws(ImageError) -> (image: LoadedImage, isUnchanged: Bool) {
    guard let intercept = context.options.hooks.intercept else {
      return try await loadWithoutHook(of: request, subscription, onCached: onCached)
    }
    subscription.startWaiting(at: context.clock.now())
    switch try await interception(of: request, by: intercept) {
    case .show(let bitmap): return (LoadedImage(shownByHook: bitmap), false)
    case .load(let other):
      let asked = other.withCacheControl
      let chosen = request.needsWholeFile ? asked.ofWholeFile : asked
      let (found, isUnchanged) = try await loadWithoutHook(of: chosen, subscription) {
        onCached(named($0, as: chosen, insteadOf: request))
      }
      return (named(found, as: chosen, insteadOf: request), isUnchanged)
    }
  }

  /// The image of a request in place of another, with its own name.
  private func named(
    _ image: LoadedImage,
    as chosen: ImageRequest,
    insteadOf request: ImageRequest
  ) -> LoadedImage {
    guard styledKey(chosen) != styledKey(request) else { return image }
    var image = image
    image.isFiltered = !chosen.effectiveStyle.filters.isEmpty
    if image.key == nil { image.key = styledKey(afterRedirects: chosen).id }
    return image
  }

  /// What the program's hook makes of a request; the caller leaves at once when it is cancelled.
  private func interception(
    of request: ImageRequest,
    by intercept: @escaping @Sendable (ImageRequest) async throws -> Interception
  ) async throws(ImageError) -> Interception {
    let ending = await Deadline.race {
      throw CancellationError()
    } _: {
      try await intercept(request)
    }
    switch ending {
    case .finished(.success(let interception)): return interception
    case .finished(.failure(let error as ImageError)): throw error
    case .finished(.failure(is CancellationError)), .cancelled, .timedOut: throw .cancelled
    case .finished(.failure(let error)):
      throw .refused("\(error)", url: request.displayName, ErrorContext())
    }
  }

  private func loadWithoutHook(
    of request: ImageRequest,
    _ subscription: Subscription,
    onCached: @Sendable (LoadedImage) -> Void
  ) async throws(ImageError) -> (image: LoadedImage, isUnchanged: Bool) {
    try await withSources(of: request) { (chosen) async throws(ImageError) in
      var (image, isUnchanged) =
        chosen.caching.policy == .refresh
        ? try await refresh(chosen, subscription, onCached: onCached)
        : (try await loadImage(chosen, subscription, demand: demand(of: chosen)).image, false)
      if chosen.sourceKey != request.sourceKey {
        image.key = styledKey(afterRedirects: chosen).id
      }
      return (image, isUnchanged)
    }
  }

  /// Gives what the caches hold to `onCached`, then returns what the origin says of it.
  private func refresh(
    _ request: ImageRequest,
    _ subscription: Subscription,
    onCached: @Sendable (LoadedImage) -> Void
  ) async throws(ImageError) -> (image: LoadedImage, isUnchanged: Bool) {
    var old = request
    old.caching.policy = .onlyCached
    let shown: (image: LoadedImage, source: SourceKey)
    do throws(ImageError) {
      shown = try await loadImage(old, subscription, demand: .cached)
    } catch .cancelled {
      throw .cancelled
    } catch {
      return (try await loadImage(request, subscription, demand: .revalidated).image, false)
    }
    // A request with `no-cache` shows nothing before its revalidation.
    let showsCached = !CacheControl(request.transfer.headers).noCache
    if showsCached { onCached(shown.image) }
    let found = try await loadImage(request, subscription, demand: .revalidated)
    let isSame = found.source == shown.source && found.image.cached.body == shown.image.cached.body
    return isSame ? (shown.image, showsCached) : (found.image, false)
  }

  /// Loads one image that is as new as `demand` says.
  func loadImage(
    _ request: ImageRequest,
    _ subscription: Subscription,
    demand: SourceLoad.Demand
  ) async throws(ImageError) -> (image: LoadedImage, source: SourceKey) {
    let goal = ImageGoal(pipeline: self, subscription: subscription)
    var run = RequestRun(request, to: goal, demand: demand)
    let (image, source) = try await run.run()
    traceLookUp(of: image, of: source)
    return (image, source.key)
  }

  /// Loads a source's bytes without making an image: all, or those with which some pixels can be
  /// made.
  func loadBody(
    _ request: ImageRequest,
    _ subscription: Subscription,
    demand: SourceLoad.Demand,
    needing needed: NeededPixels? = nil
  ) async throws(ImageError) -> Body {
    let goal = FileGoal(pipeline: self, subscription: subscription, needed: needed)
    var run = RequestRun(request, to: goal, demand: demand)
    return try await run.run().outcome
  }

  /// Asks the origins of a source whether what is known of it is valid; what has replaced it is
  /// stored.
  func validate(
    _ request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) {
    let goal = ValidationGoal(pipeline: self, subscription: subscription)
    var run = RequestRun(request, to: goal, demand: .revalidated)
    _ = try await run.run()
  }

  /// What a request's cache policy demands now.
  func demand(of request: ImageRequest) -> SourceLoad.Demand {
    request.caching.policy == .standard && context.network.isOffline
      ? .cached : SourceLoad.Demand(request.caching.policy)
  }

  // MARK: - What is drawn

  /// The styled image and the pixels that it needs.
  func renderTarget(of source: SourceRequest) throws(ImageError) -> SourceLoad.RenderTarget {
    watchPressure()
    let key = styledKey(source)
    return SourceLoad.RenderTarget(key: key, fitting: try fitting(of: key))
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
  func traceLookUp(of image: LoadedImage, of source: SourceRequest) {
    guard let onLookUp else { return }
    onLookUp("\(styledKey(source).id)", image.cached.image.byteCount)
  }
}
