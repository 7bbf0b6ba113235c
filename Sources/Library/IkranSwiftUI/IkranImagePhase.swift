public import Ikran
public import SwiftUI

/// How far the image of an ``IkranImage`` has come.
public enum IkranImagePhase {
  /// There is no URL.
  case empty
  /// It is on its way; the picture is what there is of it so far.
  case loading(TransferProgress?, preview: Image?)
  /// It is there; it came from this cache or from the network. Of an animation it is one frame.
  case shown(Image, ImageSource)
  /// The request failed.
  case failed(ImageError)

  /// What can be shown: the image, or what there is of it so far.
  public var image: Image? {
    switch self {
    case .shown(let image, _): image
    case .loading(_, let preview): preview
    case .empty, .failed: nil
    }
  }

  /// Why there is no image; nil before a failure.
  public var error: ImageError? {
    if case .failed(let error) = self { error } else { nil }
  }
}
