import IkranFoundation
public import IkranPixels
import IkranStores
public import IkranTransport

/// Wakes avatars: from memory, their own storage, or the network, each download shared by all
/// styles.
///
/// ```swift
/// for await step in AvatarPod.shared.wake(MemberAvatar(member: ana, style: .circle(48))) { … }
/// ```
public final class AvatarPod: Sendable {
  /// A pod over ``ImagePipeline/shared``.
  public static let shared = AvatarPod(.shared)

  package let pipeline: ImagePipeline
  /// The loads under way: each is shared by those who wait for one image with one storage.
  private let loads = Coalescer<LoadKey, LoadedImage>()
  let saves = AvatarSaves()
  /// The bytes that each storage was given last, and those that it is to be given.
  let saved = MemoryCache<SavedKey, BodyID>(
    byteLimit: .max,
    countLimit: 10_000,
    isContended: false
  )
  let queued = MemoryCache<SavedKey, QueuedSave>(
    byteLimit: .max,
    countLimit: 10_000,
    isContended: false
  )

  /// One way to an image with one storage.
  private struct LoadKey: Hashable {
    let saved: SavedKey
    let request: RequestIdentity
  }

  /// What a storage has of a source: an image, or without a style the file.
  struct SavedKey: Hashable {
    let storageID: String
    let source: SourceKey
    var style: StyledKey?

    /// Names the file that the image was made from.
    var ofFile: SavedKey { SavedKey(storageID: storageID, source: source) }
  }

  /// Creates a pod over a pipeline.
  public init(_ pipeline: ImagePipeline) { self.pipeline = pipeline }

  /// The avatar's image if memory or a table has it; it never waits.
  public func cached(_ avatar: some Avatar) -> Bitmap? {
    guard let url = avatar.url else { return nil }
    let request = request(for: avatar, at: url)
    guard let hit = pipeline.hit(for: request) ?? remembered(avatar, as: request) else {
      return nil
    }
    return reported(hit, of: request).cached.image
  }

  private func request(for avatar: some Avatar, at url: URL, scale: Double? = nil) -> ImageRequest {
    var request = ImageRequest(url, style: avatar.style)
    avatar.configure(&request)
    request.style = avatar.style
    if !request.filters.isEmpty { request.filters = [] }
    request.scale = scale
    return pipeline.prepared(request).ofWholeFile
  }

  /// What an avatar's image at a scale is equal in; nil when it has no URL, and when its origin is
  /// asked each time.
  package func identity(of avatar: some Avatar, scale: Double) -> RequestIdentity? {
    avatar.url.flatMap {
      RequestIdentity(request(for: avatar, at: $0, scale: scale), in: pipeline)
    }
  }

  /// What there is of an avatar without waiting: an image of its URL, else of its storage.
  ///
  /// A current image completes the request. A storage with an older one is given it.
  private func available(
    of avatar: some Avatar,
    as request: ImageRequest
  ) -> StoredHit? {
    let hit = pipeline.checkedHit(for: request)
    if let hit, !hit.isCurrent { return hit }
    guard let image = hit?.image ?? remembered(avatar, as: request) else { return nil }
    saveAgain(reported(image, of: request), of: avatar, as: request)
    return StoredHit(image: image, isCurrent: true)
  }

  /// What a view shows of an avatar in the frame in which it asks for it; nil when there is
  /// nothing yet.
  package func shown(_ avatar: some Avatar, scale: Double) -> ShownImage? {
    guard let url = avatar.url else { return nil }
    return available(of: avatar, as: request(for: avatar, at: url, scale: scale)).map {
      ShownImage($0.image, isCurrent: $0.isCurrent)
    }
  }

  /// Wakes an avatar.
  ///
  /// The stream gives the image at once if it is there and need not be checked. Else the older
  /// image or the placeholder comes first, if there is one, then exactly one ending: also on
  /// failure, and on ``clear()``. Leaving it early cancels.
  ///
  /// - Parameters:
  ///   - avatar: What to wake.
  ///   - priority: How soon it is wanted; nil takes that of ``Avatar/configure(_:)``.
  ///   - onProgress: Called with what has arrived of a download, on the thread that receives it.
  /// - Returns: The steps.
  public func wake(
    _ avatar: some Avatar,
    priority: ImagePriority? = nil,
    onProgress: (@Sendable (TransferProgress) -> Void)? = nil
  ) -> AsyncStream<AvatarStep> {
    let (stream, steps) = AsyncStream.makeStream(of: AvatarStep.self)
    let available = avatar.url.flatMap {
      self.available(of: avatar, as: request(for: avatar, at: $0))
    }
    if let available, available.isCurrent {
      steps.yield(.finished(available.image.cached.image, available.image.source))
      steps.finish()
      return stream
    }
    if let shown = available?.image.cached.image ?? avatar.placeholder {
      steps.yield(.placeholder(shown))
    }
    let task = Task {
      do throws(ImageError) {
        let loaded = try await load(avatar, priority: priority, onProgress: onProgress)
        steps.yield(.finished(loaded.cached.image, loaded.source))
      } catch {
        steps.yield(.failed(error))
      }
      steps.finish()
    }
    steps.onTermination = { _ in task.cancel() }
    return stream
  }

  /// The avatar's image; `onProgress` is called with what has arrived of a download, on the thread
  /// that receives it.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled, and on
  ///   ``clear()``.
  public func image(
    for avatar: some Avatar,
    onProgress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(ImageError) -> Bitmap {
    try await load(avatar, scale: nil, onProgress: onProgress).image
  }

  /// The avatar's image and its frames, at a scale; nil takes the pipeline's.
  ///
  /// - Throws: ``ImageError``, as ``image(for:)``.
  package func load(
    _ avatar: some Avatar,
    scale: Double?,
    onProgress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(ImageError) -> ShownImage {
    if let url = avatar.url,
      let hit = available(of: avatar, as: request(for: avatar, at: url, scale: scale)),
      hit.isCurrent
    {
      return ShownImage(hit.image, isCurrent: true)
    }
    let loaded = try await load(avatar, at: scale, onProgress: onProgress)
    return ShownImage(loaded, isCurrent: true)
  }

  /// Drops everything under way, each waiter with ``ImageError/cancelled``, and empties memory.
  public func clear() {
    loads.cancelAll()
    pipeline.removeAllFromMemory()
  }

  /// Returns when every avatar handed out so far has been saved, or its storage has failed.
  public func finishSaving() async { await saves.finish() }

  /// The number of callers that wait for an avatar.
  var waiting: Int { loads.callers }

  private func load(
    _ avatar: some Avatar,
    at scale: Double? = nil,
    priority: ImagePriority? = nil,
    onProgress: (@Sendable (TransferProgress) -> Void)?
  ) async throws(ImageError) -> LoadedImage {
    guard let url = avatar.url else {
      throw .invalidRequest("the avatar has no URL; show its placeholder")
    }
    let request = request(for: avatar, at: url, scale: scale)
    let subscription = Subscription(priority ?? request.priority, onProgress: onProgress)
    let key = LoadKey(
      saved: savedKey(of: avatar, as: request),
      request: RequestIdentity(of: request, in: pipeline)
    )
    let loaded = try await pipeline.reportingFailure(of: request, subscription) {
      () async throws(ImageError) in
      try await self.loads.value(for: key, subscription: subscription) {
        (subscription) async throws(ImageError) in
        let known = self.newestBytes(of: request)
        let loaded = try await self.loadFromStages(avatar, as: request, subscription: subscription)
        // Of a fallback or an alternative: not the avatar's own.
        guard loaded.key == nil else { return loaded }
        if let file = loaded.body {
          self.save(loaded, of: avatar, as: request, since: known, file)
        } else {
          self.saveAgain(loaded, of: avatar, as: request)
        }
        return loaded
      }
    }
    return reported(loaded, of: request, metrics: pipeline.metrics(subscription, loaded.times))
  }

  func savedKey(of avatar: some Avatar, as request: ImageRequest) -> SavedKey {
    let key = pipeline.styledKey(request)
    return SavedKey(storageID: avatar.storageID, source: key.source, style: key)
  }

  /// Reports the end of a request that has an image.
  private func reported(
    _ loaded: LoadedImage,
    of request: ImageRequest,
    metrics: @autoclosure () -> RequestMetrics = RequestMetrics()
  ) -> LoadedImage {
    pipeline.report(.success(loaded.source), of: request, metrics: metrics())
    return loaded
  }
}
