import IkranFoundation
package import Ikran
package import IkranPlayback

package import struct IkranPixels.Style

/// Where a layer's image comes from.
package enum LayerSource: Sendable {
  case request(ImageRequest, ImagePipeline)
  case avatar(any Avatar, AvatarPod)
  /// An entity's image of a format, and its pixels for each point.
  case entity(any ImageEntity, String, EntityImageCache, scale: Double)
  /// Pixels that the program has, and their number for each point.
  case picture(Bitmap, scale: Double)
  /// Frames that the program has, and their pixels for each point.
  case animation(Animation, scale: Double)
  /// No image: a placeholder of a style.
  case nothing(Style)

  /// What happens to an image on its way.
  enum Step: Sendable {
    /// A picture to show; the last unless another one is coming.
    case picture(LoadedPicture, ImageSource, isLast: Bool)
    case progress(TransferProgress)
    /// What is shown is good.
    case unchanged
    case failed(ImageError)
  }

  /// A picture that was loaded.
  struct LoadedPicture: Sendable {
    let image: Bitmap
    let animation: Animation?
    /// The image in a format that the host draws, made off the main thread; nil when memory ran
    /// out.
    let converted: Bitmap?

    init(_ image: Bitmap, _ animation: Animation?, as formats: Set<PixelFormat>) {
      (self.image, self.animation) = (image, animation)
      converted = try? DrawableBitmap.drawable(image, as: formats)
    }
  }

  /// A load under way.
  struct Load {
    fileprivate let task: Task<Void, Never>
    fileprivate var request: ImageTask?

    func cancel() { task.cancel() }

    /// Takes the priority of a request of the same identity.
    func follow(_ source: LayerSource) {
      if case .request(let other, _) = source, request?.priority != other.priority {
        request?.priority = other.priority
      }
    }
  }

  /// Two sources that are equal in this have the same image, and the same ways to get it.
  package enum Identity: Hashable {
    case request(RequestIdentity)
    case avatar(RequestIdentity, storage: String, pod: ObjectIdentifier)
    case entity(TableID, version: TableID, String, ObjectIdentifier, scale: Double)
  }

  var url: URL? {
    switch self {
    case .request(let request, _): request.url
    case .avatar(let avatar, _): avatar.url
    case .entity(let entity, _, _, _): entity.sourceURL
    case .picture, .animation, .nothing: nil
    }
  }

  var style: Style {
    switch self {
    case .request(let request, _): request.style
    case .avatar(let avatar, _): avatar.style
    case .picture, .animation, .entity: .original
    case .nothing(let style): style
    }
  }

  /// Whether the view chooses the size of the image.
  var isAutomatic: Bool {
    if case .request(let request, _) = self { request.style.isAutomatic } else { false }
  }

  /// This source in the style that fills a place.
  func filling(_ place: ViewPlace) -> LayerSource {
    guard case .request(var request, let pipeline) = self else { return self }
    request.style = place.style.filtered(request.style.filters)
    return .request(request, pipeline)
  }

  /// Its image in another style; nil where it has but one.
  func styled(_ style: Style) -> LayerSource? {
    guard case .request(var request, let pipeline) = self else { return nil }
    request.style = style
    return .request(request, pipeline)
  }

  /// This source with what only a host can read.
  @MainActor
  func resolved(by host: any ViewHost) -> LayerSource {
    guard case .request(let request, let pipeline) = self else { return self }
    return .request(host.resolve(request), pipeline)
  }

  /// The image of another request, from where this one has its own.
  func requesting(_ request: ImageRequest) -> LayerSource {
    switch self {
    case .request(_, let pipeline): .request(request, pipeline)
    case .avatar(_, let pod): .request(request, pod.pipeline)
    case .picture, .animation, .entity, .nothing: .request(request, .shared)
    }
  }

  /// Whether there is an image to load: an avatar without a URL has its placeholder only.
  var hasImage: Bool {
    switch self {
    case .request, .picture, .animation, .entity: true
    case .avatar(let avatar, _): avatar.url != nil
    case .nothing: false
    }
  }

  /// The pixels per point that the source itself demands.
  var ownScale: Double? {
    switch self {
    case .request(let request, _): request.scale
    case .picture(_, let scale), .animation(_, let scale), .entity(_, _, _, let scale): scale
    case .avatar, .nothing: nil
    }
  }

  /// Shown while the options have no placeholder.
  var placeholder: Bitmap? {
    if case .avatar(let avatar, _) = self { avatar.placeholder } else { nil }
  }

  /// How many pixels of an image without a size of its own make a point.
  var nominalScale: Double {
    switch self {
    case .request(let request, _): Double(request.nominalScale)
    case .picture(_, let scale), .animation(_, let scale), .entity(_, _, _, let scale): scale
    case .avatar, .nothing: 1
    }
  }

  /// nil for an avatar without an image, of which nothing but its placeholder is known, for what is
  /// to be sent each time, and for what the program has itself.
  package func identity(_ scale: Double) -> Identity? {
    switch self {
    case .request(let request, let pipeline):
      return RequestIdentity(request.resolved(at: scale), in: pipeline).map { .request($0) }
    case .avatar(let avatar, let pod):
      guard let identity = pod.identity(of: avatar, scale: scale) else { return nil }
      return .avatar(identity, storage: avatar.storageID, pod: ObjectIdentifier(pod))
    case .entity(let entity, let format, let cache, let scale):
      let (id, version) = (entity.entityID, entity.sourceVersionID)
      return .entity(id, version: version, format, ObjectIdentifier(cache), scale: scale)
    case .picture, .animation, .nothing: return nil
    }
  }

  /// Whether the program has its pixels or frames itself: no cache has others.
  var isOwn: Bool {
    switch self {
    case .picture, .animation: true
    case .request, .avatar, .entity, .nothing: false
    }
  }

  /// Whether every image of it has one size.
  func hasFixedSize(_ scale: Double) -> Bool {
    if case .entity = self { return true }
    return isOwn || style.fixedSize(scale: scale) != nil
  }

  /// Whether both are the same pixels or frames, which the program has itself.
  func isSameOwn(as other: LayerSource?) -> Bool {
    switch (self, other) {
    case (.picture(let image, let scale), .picture(let old, let oldScale)):
      scale == oldScale && image.sharesPixels(with: old)
    case (.animation(let animation, let scale), .animation(let old, let oldScale)):
      scale == oldScale && animation.id == old.id
    default: false
    }
  }

  /// What memory or a table has, or the program; it never waits.
  func shown(_ scale: Double) -> ShownImage? {
    switch self {
    case .request(let request, let pipeline): pipeline.shown(for: request.resolved(at: scale))
    case .avatar(let avatar, let pod): pod.shown(avatar, scale: scale)
    case .entity(let entity, let format, let cache, _):
      cache.image(for: entity, format: format).map { ShownImage($0, nil, from: .table) }
    case .picture(let image, _): ShownImage(image, nil)
    case .animation(let animation, _): animation.frame(at: 0).map { ShownImage($0, animation) }
    case .nothing: nil
    }
  }

  /// Loads the image; nil where there is none.
  ///
  /// - Parameters:
  ///   - scale: Pixels per point.
  ///   - formats: Those of pixels that the host draws.
  ///   - receive: Called with each step, on any thread.
  /// - Returns: The load.
  func load(
    _ scale: Double,
    as formats: Set<PixelFormat>,
    _ receive: @escaping @Sendable (Step) -> Void
  ) -> Load? {
    switch self {
    case .request(let request, let pipeline):
      let image = pipeline.task(for: request.resolved(at: scale))
      let events = image.events
      let task = Task { for await event in events { Self.step(event, formats).map(receive) } }
      return Load(task: task, request: image)
    case .avatar(let avatar, let pod):
      let task = Task {
        do throws(ImageError) {
          let image = try await pod.load(avatar, scale: scale) { receive(.progress($0)) }
          let picture = LoadedPicture(image.image, image.animation, as: formats)
          receive(.picture(picture, image.source, isLast: true))
        } catch {
          receive(.failed(error))
        }
      }
      return Load(task: task)
    case .entity(let entity, let format, let cache, _):
      let task = Task { receive(await Self.image(of: entity, format, from: cache, formats)) }
      return Load(task: task)
    case .animation(let animation, _):
      let task = Task { receive(await Self.firstFrame(of: animation, formats)) }
      return Load(task: task)
    // It is shown at once.
    case .picture: return nil
    case .nothing: return nil
    }
  }

  private static func image(
    of entity: any ImageEntity,
    _ format: String,
    from cache: EntityImageCache,
    _ formats: Set<PixelFormat>
  ) async -> Step {
    do throws(ImageError) {
      let image = try await cache.retrieve(entity, format: format)
      return .picture(LoadedPicture(image, nil, as: formats), .table, isLast: true)
    } catch {
      return .failed(error)
    }
  }

  private static func firstFrame(
    of animation: Animation,
    _ formats: Set<PixelFormat>
  ) async -> Step {
    do throws(PlaybackError) {
      let image = try await animation.decodedFrame(at: 0)
      return .picture(LoadedPicture(image, animation, as: formats), .data, isLast: true)
    } catch {
      switch error {
      case .decode(let error): return .failed(.decode(error, url: "an animation"))
      case .style(let error): return .failed(.style(error))
      case .encode(let error): return .failed(.invalidRequest("\(error)"))
      case .cancelled: return .failed(.cancelled)
      }
    }
  }

  private static func step(_ event: ImageEvent, _ formats: Set<PixelFormat>) -> Step? {
    switch event {
    case .cached(let response), .preview(let response):
      picture(response, isLast: false, formats)
    case .finished(let response):
      picture(response, isLast: true, formats)
    case .progress(let progress): .progress(progress)
    case .unchanged: .unchanged
    case .failed(let error): .failed(error)
    }
  }

  private static func picture(
    _ response: ImageResponse,
    isLast: Bool,
    _ formats: Set<PixelFormat>
  ) -> Step {
    let picture = LoadedPicture(response.image, response.animation, as: formats)
    return .picture(picture, response.source, isLast: isLast)
  }
}

extension ImageRequest {
  /// The request that the pipeline gets: at a scale, unless it has one.
  package func resolved(at scale: Double) -> ImageRequest {
    var request = self
    if request.scale == nil { request.scale = scale }
    return request
  }
}
