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

/// How far a load has come, in pixels.
enum LoadState {
  case loading(TransferProgress?, preview: Bitmap?)
  case shown(Bitmap, ImageSource)
  case failed(ImageError)

  /// The state after an event, and the frames that are to be played then.
  func after(_ event: ImageEvent) -> (state: LoadState, animation: Animation?) {
    switch event {
    case .progress(let progress):
      if case .loading(_, let preview) = self {
        return (.loading(progress, preview: preview), nil)
      }
      return (self, nil)
    case .preview(let response):
      if case .loading(let progress, _) = self {
        return (.loading(progress, preview: response.image), nil)
      }
      return (self, nil)
    case .cached(let response), .finished(let response):
      return (.shown(response.image, response.source), response.animation)
    case .unchanged: return (self, nil)
    case .failed(let error):
      // What a cache had stays.
      if case .shown = self { return (self, nil) }
      return (.failed(error), nil)
    }
  }
}
