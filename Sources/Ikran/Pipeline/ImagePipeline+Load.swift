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
    var run = RequestRun(
      request,
      for: .image,
      demand: demand,
      subscription: subscription,
      in: self
    )
    let (result, source) = try await run.run()
    guard case .image(let image) = result else { throw .offline(url: request.displayName) }
    return (image, source)
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
    var run = RequestRun(
      request,
      for: needsBody ? .file : .validation,
      demand: demand,
      subscription: subscription,
      in: self
    )
    guard case .file(let body) = try await run.run().result else { return nil }
    return body
  }

  // MARK: - Looking up

  /// What memory or a table has, as new as `demand` says; it never waits.
  ///
  /// What may be stale meanwhile is revalidated in the background.
  func hit(for request: ImageRequest, _ demand: SourceLoad.Demand = .cached) -> LoadedImage? {
    guard request.caching.policy != .reload else { return nil }
    let demand = request.caching.policy == .standard ? demand : .cached
    return hit(for: request, demand: demand, redirects: 0)
  }

  private func hit(
    for request: ImageRequest,
    demand: SourceLoad.Demand,
    redirects: Int
  ) -> LoadedImage? {
    let visit = lookUp(request)
    guard visit.isRedirect else {
      guard let image = storedImage(at: visit) else { return nil }
      return mayUse(visit, demand: demand) ? image : nil
    }
    guard redirects < Self.maximumRedirects, let target = visit.target,
      mayUse(visit, demand: demand)
    else { return nil }
    return hit(for: target, demand: demand, redirects: redirects + 1)
  }

  /// The styled image and the pixels that it needs.
  func drawing(of source: SourceRequest) throws(ImageError) -> SourceLoad.Drawing {
    watchPressure()
    let key = styledKey(source)
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
  func record(_ image: LoadedImage, at visit: SourceVisit) {
    guard let onLookUp else { return }
    onLookUp("\(styledKey(visit.source).id)", image.cached.image.byteCount)
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
