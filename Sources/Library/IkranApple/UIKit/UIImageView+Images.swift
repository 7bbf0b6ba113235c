#if canImport(UIKit) && !os(watchOS)
import Ikran
public import IkranViews
public import UIKit

/// A `UIImageView`: its image, and the one while it is highlighted.
@MainActor
final class ImageViewPictures: UIViewPictures {
  private weak var view: UIImageView?
  /// How images lie in it, while a colour that fills it has changed that.
  private(set) var mode: UIView.ContentMode?

  init(_ view: UIImageView) { self.view = view }

  var base: UIView? { view }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    switch slot {
    case .image, .pressed: nil
    default: .invalidRequest("a UIImageView has the slots .image and .highlighted alone")
    }
  }

  func seenSlots(of filled: [ImageTarget.Slot]) -> [ImageTarget.Slot]? {
    let isHighlighted = view?.isHighlighted == true && filled.contains(.pressed)
    return filled.filter { $0 == (isHighlighted ? .pressed : .image) }
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    guard let view else { return }
    let image = picture?.native
    if slot == .image { view.image = image } else { view.highlightedImage = image }
    guard let picture, slot == .image else { return }
    let new = UIView.ContentMode(picture.mode)
    mode = picture.isStretched ? new : nil
    let shown = picture.isStretched ? .scaleToFill : new
    if view.contentMode != shown { view.contentMode = shown }
  }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool {
    (slot == .image ? view?.image : view?.highlightedImage) === picture.native
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    view.map { LayerStage(layer: $0.layer, isAlone: true, isYDown: true) }
  }
}

extension UIView.ContentMode {
  init(_ mode: IkranViews.ContentMode) {
    switch mode.scaling {
    case .contain, .scaleDown: self = .scaleAspectFit
    case .cover: self = .scaleAspectFill
    case .stretch: self = .scaleToFill
    case .none: self = .center
    }
  }
}

extension IkranViews.ContentMode {
  init(_ mode: UIView.ContentMode) {
    switch mode {
    case .scaleAspectFit: self = .contain
    case .scaleAspectFill: self = .cover
    case .scaleToFill, .redraw: self = .stretch
    default: self = .center
    }
  }
}

extension ImageTarget {
  /// The image of a `UIImageView`: `.image`, or `.highlighted` for the one while it is highlighted.
  ///
  /// The content mode of the options becomes that of the view, as the nearest that UIKit has:
  /// images are in the middle, and `scaleDown` is `scaleAspectFit`. Where the image ends is what
  /// `clipsToBounds` says.
  ///
  /// Cost: the first call for a view adds a subview without a look, which tells of its window and
  /// size; later ones look it up.
  public init(_ view: UIImageView, slot: Slot = .image) {
    let pictures = ViewPictures.of(view) { ImageViewPictures(view) }
    Screen.observe(view, for: pictures)
    self.init(layer: pictures.slots.layer(for: slot))
  }

  /// Uses a view as the placeholder, such as one over the image view: it is hidden while an image
  /// is shown.
  ///
  /// - Parameter view: Retained until it is replaced; nil stops showing and hiding the last one.
  public func setPlaceholder(view: UIView?) {
    layer.attach(view.map { AttachedUIView(view: $0) }, while: .noImage)
  }

  /// Uses a view to show that an image is on its way, such as a `UIActivityIndicatorView`: it is
  /// hidden unless an image loads and nothing of it is shown.
  ///
  /// How far it has come is in ``/IkranViews/DisplayOptions/onChange``.
  ///
  /// - Parameter view: Retained until it is replaced; nil stops showing and hiding the last one.
  public func setIndicator(view: UIView?) {
    layer.attach(view.map { AttachedUIView(view: $0) }, while: .loading)
  }
}

extension ImageTarget.Slot {
  /// While a `UIImageView` is highlighted.
  public static var highlighted: Self { .pressed }
}

/// A view of the program's that is visible at times; the reference to it keeps it alive.
@MainActor
private struct AttachedUIView: AttachedView {
  let view: UIView

  func retain() {}

  func release() {}

  func setVisible(_ isVisible: Bool) {
    if view.isHidden == isVisible { view.isHidden = !isVisible }
  }
}

extension UIImageView: ImageDisplaying {
  /// The image of the view, unless it is highlighted.
  public var imageTarget: ImageTarget { ImageTarget(self) }

  /// The nearest to `contentMode`.
  public var imageContentMode: IkranViews.ContentMode {
    let pictures = ViewPictures.of(self)?.view as? ImageViewPictures
    return IkranViews.ContentMode(pictures?.mode ?? contentMode)
  }
}
#endif
