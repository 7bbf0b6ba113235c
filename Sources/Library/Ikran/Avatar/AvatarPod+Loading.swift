import IkranFoundation
import IkranPixels
import IkranStores
import IkranTransport

// Decision 75: what an avatar's storage has is a source of its own.

extension AvatarPod {
  /// Loads an avatar's image: memory, the tables, the storage's styled image, the disk, the
  /// storage's original, the network.
  ///
  /// What the URL has brought since outranks what the storage had before. Policies that ask the
  /// origin ask no storage.
  func loadFromStages(
    _ avatar: some Avatar,
    as request: ImageRequest,
    subscription: Subscription
  ) async throws(ImageError) -> LoadedImage {
    if !request.asksOrigin, pipeline.hit(for: request) == nil {
      if let styled = try await imageInStorage(of: avatar, as: request) { return styled }
      if let cached = try await imageByCachedFile(for: request, subscription) { return cached }
      if let made = try await imageOfOriginal(of: avatar, as: request, subscription) { return made }
    }
    return try await pipeline.load(request, subscription)
  }

  /// The image of what the caches have, or when that is stale, what the URL's origin says; nil when
  /// there is nothing to make it from.
  private func imageByCachedFile(
    for request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    var cached = request
    cached.caching.policy = .onlyCached
    let (loaded, source): (LoadedImage, SourceKey)
    do throws(ImageError) {
      (loaded, source) = try await pipeline.loadImage(cached, subscription, demand: .cached)
    } catch .offline, .decode {
      // No cache has it, or none a file that can be decoded.
      return nil
    }
    // Where redirects led to it, each of them may be stale, too.
    let visit = pipeline.lookUp(request)
    // While it was read and decoded, other bytes may have become current.
    let isCurrent = !visit.source.isDownload || loaded.cached.body == visit.record?.body
    if source == visit.source.key, isCurrent,
      pipeline.useStored(at: visit, demand: .fresh, waits: false)
    {
      return loaded
    }
    return try await pipeline.load(request, subscription)
  }

  // MARK: - The storage

  /// The source that stands for what an avatar's storage has: apart from the URL's own, and another
  /// one as soon as the URL has brought other bytes, or was removed: then the storage is asked
  /// again.
  private func source(of avatar: some Avatar, as request: ImageRequest) -> SourceRequest {
    let visit = pipeline.finalVisit(request)
    let version = visit.record.map { $0.body.map { "\($0)" } ?? "removed \($0.change.value)" } ?? ""
    let name = "avatar\u{0}\(avatar.storageID)\u{0}\(visit.source.key)\u{0}\(version)"
    return SourceRequest(visit.request, key: SourceKey(name)) { [self] in
      await ask { try await avatar.localOriginal() }.map { [UInt8]($0) }
    }
  }

  /// The image that memory has of what an avatar's storage had.
  func remembered(_ avatar: some Avatar, as request: ImageRequest) -> LoadedImage? {
    guard !request.asksOrigin, request.caching.reads.contains(.memory) else { return nil }
    let key = pipeline.styledKey(source(of: avatar, as: request))
    return pipeline.context.images.value(for: key).map { LoadedImage($0, from: .memory) }
  }

  /// The styled image that an avatar's storage has; nil when it has none of the right size.
  private func imageInStorage(
    of avatar: some Avatar,
    as request: ImageRequest
  ) async throws(ImageError) -> LoadedImage? {
    guard !isOlder(savedKey(of: avatar, as: request), than: request) else { return nil }
    // Before the storage is asked: what the URL brings in the time between is not what it had.
    let key = pipeline.styledKey(source(of: avatar, as: request))
    let (known, change) = (newestBytes(of: request), pipeline.context.records.nextChange())
    let stored = await ask { try await avatar.localStyled() }
    guard !Task.isCancelled else { throw .cancelled }
    guard let stored, isWanted(stored, as: key),
      // The URL may have brought newer bytes while the storage was read.
      newestBytes(of: request) == known
    else { return nil }
    let cached = CachedImage(stored)
    guard request.caching.stores.contains(.memory) else {
      return LoadedImage(cached, from: .avatar)
    }
    pipeline.context.keep(since: change) {
      pipeline.context.images.store(cached, for: key)
    } orRemove: {
      pipeline.context.images.remove(key)
    }
    return LoadedImage(cached, from: .avatar)
  }

  /// The image made from the file that an avatar's storage has; nil when it has none, or one that
  /// cannot be decoded.
  ///
  /// All styles share one reading of the file, and one decode where they need the same pixels.
  private func imageOfOriginal(
    of avatar: some Avatar,
    as request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    guard !isOlder(savedKey(of: avatar, as: request).ofFile, than: request) else { return nil }
    let (source, known) = (source(of: avatar, as: request), newestBytes(of: request))
    let renderTarget = try pipeline.renderTarget(of: source)
    let want = SourceLoad.Want(
      demand: .fresh,
      priority: subscription.priority,
      // Decodes of the file: its bytes are in no cache.
      reads: request.caching.reads.intersection(.memory),
      stores: source.request.caching.stores,
      expiry: .fromResponse,
      timeout: pipeline.context.network.timeout(of: request)
    )
    subscription.startWaiting(at: pipeline.context.clock.now())
    let result = await pipeline.loader.image(
      SourceLoad.WantedImage(target: renderTarget),
      as: want,
      from: source,
      known: nil,
      subscription
    )
    switch result {
    case .found(let image, _):
      return newestBytes(of: request) == known ? image : nil
    case .failed(.decode(let error, let url, _)):
      pipeline.context.counters.count(
        .avatarStorageFailed("\(url): the stored original: \(error)")
      )
      return nil
    case .failed(let error): throw error
    // The storage has none; it redirects nowhere, and what it has is not validated.
    case .notCached, .unchanged, .redirected, .storedRedirect: return nil
    }
  }

  /// Whether an image has the size that a style needs at the pipeline's scale: a storage may hold
  /// one made for another.
  private func isWanted(_ image: Bitmap, as key: StyledKey) -> Bool {
    // A style that makes no sense is reported when the image is made.
    guard let size = (try? pipeline.fitting(of: key))?.fixedSize else { return true }
    return image.size == size
  }

  func ask<Value>(_ question: () async throws -> Value?) async -> Value? {
    do {
      return try await question()
    } catch {
      // A storage that gives up because no caller waits has not failed.
      if !Task.isCancelled { pipeline.context.counters.count(.avatarStorageFailed("\(error)")) }
      return nil
    }
  }
}

extension ImageRequest {
  /// Whether its policy asks the origin whatever there is.
  var asksOrigin: Bool { caching.policy == .reload || caching.policy == .refresh }
}
