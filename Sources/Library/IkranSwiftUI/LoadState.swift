import Ikran
import IkranPixels
import IkranPlayback

/// What two views of one image have in common; the load begins again when it changes.
struct LoadID: Hashable {
  private let identity: RequestIdentity?
  private let source: SourceKey
  private let style: Style

  init(_ request: ImageRequest, in pipeline: ImagePipeline) {
    identity = RequestIdentity(request, in: pipeline)
    (source, style) = (request.sourceKey, request.style)
  }
}

/// The load of a view, which outlasts the view's time on screen.
struct ViewLoad {
  let id: LoadID
  var state: LoadState
  /// Whether it has ended with an image, so that nothing is loaded when the view appears again.
  var isComplete = false
}

/// How far a load has come, in pixels.
enum LoadState {
  case loading(TransferProgress?, preview: Bitmap?)
  /// Of an animated image the first frame, and all of them.
  case shown(Bitmap, Animation?, ImageSource)
  case failed(ImageError)

  /// Whether the image is there.
  var isShown: Bool { if case .shown = self { true } else { false } }

  /// The state after an event.
  func after(_ event: ImageEvent) -> LoadState {
    switch event {
    case .progress(let progress):
      if case .loading(_, let preview) = self { return .loading(progress, preview: preview) }
      return self
    case .preview(let response):
      if case .loading(let progress, _) = self {
        return .loading(progress, preview: response.image)
      }
      return self
    case .cached(let response), .finished(let response):
      return .shown(response.image, response.animation, response.source)
    case .unchanged: return self
    case .failed(let error):
      // What a cache had stays.
      return isShown ? self : .failed(error)
    }
  }
}
