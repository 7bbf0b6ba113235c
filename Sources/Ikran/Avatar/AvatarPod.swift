import FoundationEssentials
public import IkranPixels
import IkranStores

/// Wakes avatars: from memory, their own storage, or the network, each download shared by all
/// styles.
///
/// ```swift
/// for await step in AvatarPod.shared.wake(MemberAvatar(member: ana, style: .circle(48))) { … }
/// ```
public final class AvatarPod: Sendable {
  /// A pod over ``ImagePipeline/shared``.
  public static let shared = AvatarPod(.shared)

  let pipeline: ImagePipeline
  private let loads = Coalescer<StyledKey, LoadedImage>()
  private let originals = Coalescer<SourceKey, Body?>()
  private let subscribers = Guarded(AvatarSubscribers())
  let saves = AvatarSaves()
  /// The bytes that each storage was given last, and those that it is to be given.
  let saved = MemoryCache<SavedKey, BodyID>(byteLimit: .max, countLimit: 10_000)
  let queued = MemoryCache<SavedKey, BodyID>(byteLimit: .max, countLimit: 10_000)

  /// What a storage has of a source: an image, or without a style the file.
  struct SavedKey: Hashable {
    let storageID: String
    let source: SourceKey
    var style: StyledKey?
  }

  /// Creates a pod over a pipeline.
  public init(_ pipeline: ImagePipeline) { self.pipeline = pipeline }

  /// The avatar's image if memory or a table has it; it never waits.
  public func cached(_ avatar: some Avatar) -> Bitmap? {
    guard let url = avatar.url else { return nil }
    let request = request(url, avatar)
    return hit(request).map { reported($0, request).cached.image }
  }

  /// What the pipeline has of the URL, else what a storage had.
  private func hit(_ request: ImageRequest) -> LoadedImage? {
    pipeline.hit(for: request) ?? stored(request)
  }

  private func stored(_ request: ImageRequest) -> LoadedImage? {
    pipeline.images.value(for: storedKey(request)).map { LoadedImage($0, from: .memory) }
  }

  /// The same, if it may be shown without asking the URL's origin.
  private func showable(_ request: ImageRequest) -> LoadedImage? {
    if pipeline.hit(for: request) != nil { return pipeline.showableHit(for: request) }
    return hit(request)
  }

  /// What memory calls the image that a storage had: apart from the URL's own, and another one as
  /// soon as the URL has brought other bytes.
  private func storedKey(_ request: ImageRequest) -> StyledKey {
    let visit = pipeline.finalVisit(request)
    var key = pipeline.styledKey(visit.source)
    let body = visit.record?.body
    key.source = SourceKey("avatar\u{0}\(key.source)\u{0}\(body.map(\.description) ?? "")")
    return key
  }

  private func request(_ url: URL, _ avatar: some Avatar, _ scale: Double? = nil) -> ImageRequest {
    var request = ImageRequest(url, style: avatar.style)
    request.scale = scale
    return pipeline.prepared(request).ofWholeFile
  }

  /// Names an avatar's image at a scale; nil when it has no URL.
  package func key(of avatar: some Avatar, scale: Double) -> StyledKey? {
    avatar.url.map { pipeline.styledKey(request($0, avatar, scale)) }
  }

  /// What a view shows of an avatar in the frame in which it asks for it; nil when nothing is at
  /// hand.
  package func shown(_ avatar: some Avatar, scale: Double) -> ShownImage? {
    guard let url = avatar.url else { return nil }
    let request = request(url, avatar, scale)
    let hit: LoadedImage?
    if pipeline.mayHitImmediately(request), !pipeline.records.hasRedirects {
      // One look-up for both questions.
      let visit = pipeline.lookUp(request)
      let found = pipeline.storedImage(at: visit)
      if let found, !pipeline.tryUse(visit, demand: .fresh, waits: false) {
        return ShownImage(found, isCurrent: false)
      }
      hit = found ?? stored(request)
    } else {
      hit = showable(request)
      if hit == nil { return self.hit(request).map { ShownImage($0, isCurrent: false) } }
    }
    guard let hit else { return nil }
    saveAgain(reported(hit, request), avatar, request)
    return ShownImage(hit, isCurrent: true)
  }

  /// Wakes an avatar.
  ///
  /// The stream gives the image at once if it is at hand and need not be checked. Else the older
  /// image or the placeholder comes first, if there is one, then exactly one ending: also on
  /// failure, and on ``clear()``. Leaving it early cancels.
  public func wake(
    _ avatar: some Avatar,
    priority: ImagePriority = .normal
  ) -> AsyncStream<AvatarStep> {
    let (stream, steps) = AsyncStream.makeStream(of: AvatarStep.self)
    var older: LoadedImage?
    if let url = avatar.url {
      let request = request(url, avatar)
      if let hit = showable(request) {
        saveAgain(reported(hit, request), avatar, request)
        steps.yield(.finished(hit.cached.image, hit.source))
        steps.finish()
        return stream
      }
      older = hit(request)
    }
    if let shown = older?.cached.image ?? avatar.placeholder {
      steps.yield(.placeholder(shown))
    }
    let task = Task {
      do throws(ImageError) {
        let loaded = try await load(avatar, Subscription(priority))
        steps.yield(.finished(loaded.cached.image, loaded.source))
      } catch {
        steps.yield(.failed(error))
      }
      steps.finish()
    }
    steps.onTermination = { _ in task.cancel() }
    return stream
  }

  /// The avatar's image.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled, and on
  ///   ``clear()``.
  public func image(for avatar: some Avatar) async throws(ImageError) -> Bitmap {
    try await load(avatar, scale: nil).image
  }

  /// The avatar's image and its frames, at a scale; nil takes the pipeline's.
  ///
  /// - Throws: ``ImageError``, as ``image(for:)``.
  package func load(
    _ avatar: some Avatar,
    scale: Double?
  ) async throws(ImageError) -> ShownImage {
    if let url = avatar.url {
      let request = request(url, avatar, scale)
      if let hit = showable(request) {
        saveAgain(reported(hit, request), avatar, request)
        return ShownImage(hit, isCurrent: true)
      }
    }
    return ShownImage(try await load(avatar, Subscription(.normal), scale), isCurrent: true)
  }

  /// Drops everything under way, each waiter with ``ImageError/cancelled``, and empties memory.
  public func clear() {
    loads.cancelAll()
    originals.cancelAll()
    pipeline.removeAllFromMemory()
  }

  /// Returns when every avatar handed out so far has been saved, or its storage has failed.
  public func finishSaving() async { await saves.finish() }

  /// The number of callers that wait for an avatar.
  var waiting: Int { loads.callers }

  private func load(
    _ avatar: some Avatar,
    _ subscription: Subscription,
    _ scale: Double? = nil
  ) async throws(ImageError) -> LoadedImage {
    guard let url = avatar.url else {
      throw .invalidRequest("the avatar has no URL; show its placeholder")
    }
    let request = request(url, avatar, scale)
    let key = pipeline.styledKey(request)
    let subscriber = subscribers.withLock { $0.enter(avatar, key) }
    defer { subscribers.withLock { $0.leave(subscriber, key) } }
    let loaded = try await pipeline.reportingFailure(of: request, subscription) {
      () async throws(ImageError) in
      try await self.loads.value(for: key, subscription: subscription) {
        (subscription) async throws(ImageError) in
        try await self.run(request, key, subscription)
      }
    }
    return reported(loaded, request, pipeline.metrics(subscription, loaded.times))
  }

  /// Reports the end of a request that has an image.
  private func reported(
    _ loaded: LoadedImage,
    _ request: ImageRequest,
    _ metrics: @autoclosure () -> RequestMetrics = RequestMetrics()
  ) -> LoadedImage {
    pipeline.report(request, .success(loaded.source), metrics())
    return loaded
  }

  /// Memory, the tables, the storages' styled image, the disk, the storages' original, the network.
  ///
  /// What the URL has brought since outranks what a storage had before.
  private func run(
    _ request: ImageRequest,
    _ key: StyledKey,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage {
    var loaded: LoadedImage?
    if pipeline.hit(for: request) != nil {
      loaded = try await pipeline.load(request, subscription)
    } else if let styled = try await localStyled(request, key) {
      return styled
    } else if let cached = try await loadCached(request, subscription) {
      loaded = cached
    } else if let original = try await localOriginal(request, key.source, subscription) {
      loaded = try await made(of: original, request, subscription)
    }
    if loaded == nil { loaded = try await pipeline.load(request, subscription) }
    guard let loaded else { throw .cancelled }
    for avatar in subscribers.withLock({ $0.storages(for: key) }) {
      if let file = loaded.body {
        save(loaded, file, avatar, key)
      } else {
        saveAgain(loaded, avatar, request)
      }
    }
    return loaded
  }

  /// The image of what the caches have, or when that is stale, what the URL's origin says; nil when
  /// there is nothing to make it from.
  private func loadCached(
    _ request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    var cached = request
    cached.caching.policy = .onlyCached
    let (loaded, source): (LoadedImage, SourceKey)
    do throws(ImageError) {
      (loaded, source) = try await pipeline.load(cached, subscription, .cached)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    // Where redirects led to it, each of them may be stale, too.
    let visit = pipeline.lookUp(request)
    if source == visit.source.key, pipeline.tryUse(visit, demand: .fresh, waits: false) {
      return loaded
    }
    return try await pipeline.load(request, subscription)
  }

  /// The image made from a storage's original; nil when that cannot be decoded.
  private func made(
    of original: Body,
    _ request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    do throws(ImageError) {
      return try await pipeline.render(original, as: storedKey(request), request, subscription)
    } catch .decode(let error, let url, _) {
      pipeline.counters.record(.avatarStorageFailed("\(url): the stored original: \(error)"))
      return nil
    }
  }

  private func localStyled(
    _ request: ImageRequest,
    _ key: StyledKey
  ) async throws(ImageError) -> LoadedImage? {
    var asked: Set<String> = []
    while let avatar = subscribers.withLock({ $0.next(for: key, notIn: asked) }) {
      asked.insert(avatar.storageID)
      if hasOlder(avatar, request, key) { continue }
      let styled = await ask { try await avatar.localStyled() }
      guard !Task.isCancelled else { throw .cancelled }
      guard let image = styled, pipeline.isWanted(image, key) else { continue }
      let cached = CachedImage(image)
      pipeline.images.store(cached, for: storedKey(request))
      return LoadedImage(cached, from: .avatar)
    }
    return nil
  }

  /// The original from any storage whose avatar waits for this source, whatever its style.
  private func localOriginal(
    _ request: ImageRequest,
    _ source: SourceKey,
    _ subscription: Subscription
  ) async throws(ImageError) -> Body? {
    try await originals.value(for: source, subscription: subscription) {
      (_) async throws(ImageError) in
      var asked: Set<String> = []
      while let avatar = self.subscribers.withLock({ $0.next(forSource: source, notIn: asked) }) {
        asked.insert(avatar.storageID)
        if self.hasOlder(avatar, request, nil) { continue }
        let original = await self.ask { try await avatar.localOriginal() }
        guard !Task.isCancelled else { throw .cancelled }
        guard let data = original else { continue }
        return Body(bytes: [UInt8](data), source: .avatar, id: source.id, sourceKey: source)
      }
      return nil
    }
  }

  func ask<Value>(_ question: () async throws -> Value?) async -> Value? {
    do {
      return try await question()
    } catch {
      // A storage that gives up because no caller waits has not failed.
      if !Task.isCancelled { pipeline.counters.record(.avatarStorageFailed("\(error)")) }
      return nil
    }
  }
}

extension ImageError {
  /// Whether no cache had the image: none at all, or none that can be decoded.
  fileprivate var isMissing: Bool {
    switch self {
    case .offline, .decode: true
    default: false
    }
  }
}

extension ImagePipeline {
  /// Makes an image from a file that is not its source's own, and puts it into memory under a key
  /// of its own.
  fileprivate func render(
    _ body: Body,
    as key: StyledKey,
    _ request: ImageRequest,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage {
    let fitting = try fitting(of: key)
    let cached = try await computing.run(subscription) { [stages] (workspace) throws(ImageError) in
      let decoded = try stages.decode(body, fitting, request, workspace)
      return try stages.styled(decoded, key, workspace)
    }
    if request.caching.stores.contains(.memory) { images.store(cached, for: key) }
    return LoadedImage(cached, from: body.source, body: body.bytes)
  }

  /// Whether an image has the size that a style needs at this pipeline's scale: a storage may hold
  /// one made for another.
  fileprivate func isWanted(_ image: Bitmap, _ key: StyledKey) -> Bool {
    // A style that makes no sense is reported when the image is made.
    guard let size = (try? fitting(of: key))?.fixedSize else { return true }
    return image.size == size
  }
}
