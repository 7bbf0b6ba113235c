import FoundationEssentials
import Ikran
import IkranPlayback

/// Where a layer's image comes from.
enum LayerSource: Sendable {
  case request(ImageRequest, ImagePipeline)
  case avatar(any Avatar, AvatarPod)

  /// What happens to an image on its way.
  enum Step: Sendable {
    /// A picture to show; the last unless another one is coming.
    case picture(Bitmap, Animation?, ImageSource, isLast: Bool)
    case progress(TransferProgress)
    /// What is shown is good.
    case unchanged
    case failed(ImageError)
  }

  /// Two sources that are equal in this have the same image.
  struct Identity: Hashable {
    fileprivate let key: StyledKey
    /// The storage of an avatar, and the pipeline or pod.
    fileprivate let storage: String
    fileprivate let owner: ObjectIdentifier
  }

  var url: URL? {
    switch self {
    case .request(let request, _): request.url
    case .avatar(let avatar, _): avatar.url
    }
  }

  var style: Style {
    switch self {
    case .request(let request, _): request.style
    case .avatar(let avatar, _): avatar.style
    }
  }

  /// The pixels per point that the source itself demands.
  var ownScale: Double? { if case .request(let request, _) = self { request.scale } else { nil } }

  /// Shown while the options have no placeholder.
  var placeholder: Bitmap? {
    if case .avatar(let avatar, _) = self { avatar.placeholder } else { nil }
  }

  /// How many pixels of an image without a size of its own make a point.
  var nominalScale: Int {
    guard case .request(let request, _) = self else { return 1 }
    return request.nominalScale
  }

  /// nil for an avatar without an image, of which nothing but its placeholder is known, and for a
  /// request that is to be sent each time.
  func identity(_ scale: Double) -> Identity? {
    switch self {
    case .request(let request, let pipeline):
      guard [.standard, .onlyCached].contains(request.caching.policy) else { return nil }
      let key = pipeline.styledKey(request.at(scale))
      return Identity(key: key, storage: "", owner: ObjectIdentifier(pipeline))
    case .avatar(let avatar, let pod):
      guard let key = pod.key(of: avatar, scale: scale) else { return nil }
      return Identity(key: key, storage: avatar.storageID, owner: ObjectIdentifier(pod))
    }
  }

  /// What memory or a table has; it never waits.
  func shown(_ scale: Double) -> ShownImage? {
    switch self {
    case .request(let request, let pipeline): pipeline.shown(for: request.at(scale))
    case .avatar(let avatar, let pod): pod.shown(avatar, scale: scale)
    }
  }

  /// Loads the image; cancelling the task cancels the load.
  ///
  /// - Parameters:
  ///   - scale: Pixels per point.
  ///   - receive: Called with each step, on any thread.
  /// - Returns: The load.
  func load(_ scale: Double, _ receive: @escaping @Sendable (Step) -> Void) -> Task<Void, Never> {
    switch self {
    case .request(let request, let pipeline):
      Task {
        for await event in pipeline.events(for: request.at(scale)) { Self.step(event).map(receive) }
      }
    case .avatar(let avatar, let pod):
      Task {
        do throws(ImageError) {
          let image = try await pod.load(avatar, scale: scale)
          receive(.picture(image.image, image.animation, image.source, isLast: true))
        } catch {
          receive(.failed(error))
        }
      }
    }
  }

  private static func step(_ event: ImageEvent) -> Step? {
    switch event {
    case .cached(let response), .preview(let response):
      picture(response, isLast: false)
    case .finished(let response):
      picture(response, isLast: true)
    case .progress(let progress): .progress(progress)
    case .unchanged: .unchanged
    case .failed(let error): .failed(error)
    }
  }

  /// A picture that can be drawn: large ones are converted here, not on the main thread.
  private static func picture(_ response: ImageResponse, isLast: Bool) -> Step {
    let image = (try? DrawableBitmap.drawable(response.image)) ?? response.image
    return .picture(image, response.animation, response.source, isLast: isLast)
  }
}

extension ImageRequest {
  /// The same at a scale, unless it has one.
  fileprivate func at(_ scale: Double) -> ImageRequest {
    guard self.scale == nil else { return self }
    var request = self
    request.scale = scale
    return request
  }
}
