#if canImport(UIKit) && !os(watchOS)
import Ikran
public import IkranViews
public import UIKit

/// A `UIImageView`: its image, and the one while it is highlighted.
@MainActor
final class ImageViewPictures: UIViewPictures {
  private weak var view: UIImageView?
  private var mode = OverriddenValue<UIView.ContentMode>()

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
    guard slot == .image else { return }
    let wanted = picture?.wanted(stretched: .scaleToFill) { UIView.ContentMode($0) }
    let new = mode.value(for: wanted, over: view.contentMode)
    if view.contentMode != new { view.contentMode = new }
  }

  var contentMode: IkranViews.ContentMode? {
    view.map { IkranViews.ContentMode(mode.own($0.contentMode)) }
  }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool {
    (slot == .image ? view?.image : view?.highlightedImage) === picture.native
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    guard let view else { return nil }
    let stage = LayerStage(layer: view.layer, isAlone: true, isYDown: true)
    return slot == .image ? CurlStage(view: view, layer: stage) : stage
  }
}

extension UIView.ContentMode {
  /// Those that do not scale, from the top to the bottom and from left to right.
  private static let alignments: [[UIView.ContentMode]] = [
    [.topLeft, .top, .topRight], [.left, .center, .right], [.bottomLeft, .bottom, .bottomRight],
  ]

  /// The nearest.
  init(_ mode: IkranViews.ContentMode) {
    switch mode.scaling {
    case .contain, .scaleDown: self = .scaleAspectFit
    case .cover: self = .scaleAspectFill
    case .stretch: self = .scaleToFill
    case .none:
      let (row, column) = ((mode.vertical * 2).rounded(), (mode.horizontal * 2).rounded())
      self = Self.alignments[Int(row)][Int(column)]
    }
  }

  /// Where it aligns what it does not scale; the middle for others.
  fileprivate var alignment: (horizontal: Double, vertical: Double) {
    for (row, modes) in Self.alignments.enumerated() {
      if let column = modes.firstIndex(of: self) { return (Double(column) / 2, Double(row) / 2) }
    }
    return (0.5, 0.5)
  }
}

extension IkranViews.ContentMode {
  init(_ mode: UIView.ContentMode) {
    switch mode {
    case .scaleAspectFit: self = .contain
    case .scaleAspectFill: self = .cover
    case .scaleToFill, .redraw: self = .stretch
    default:
      let (horizontal, vertical) = mode.alignment
      self = ContentMode(.none, horizontal: horizontal, vertical: vertical)
    }
  }
}

extension ImageTarget {
  /// The image of a `UIImageView`: `.image`, or `.highlighted` for the one while it is highlighted.
  ///
  /// It lies there by the view's `contentMode`. A content mode of the options takes its place while
  /// the image is shown, as the nearest that UIKit has: `scaleDown` is `scaleAspectFit`. So does
  /// `scaleToFill` while a placeholder is shown that is a colour or a BlurHash. The view has its
  /// own mode again afterwards, and after ``cancelImage()`` and ``clearImage()``. Where the image
  /// ends is what `clipsToBounds` says.
  ///
  /// Cost: the first call for a view adds a subview without a look, which tells of its window and
  /// size; later ones look it up. One that was removed is added again; with `autoresizesSubviews`
  /// off it does not tell of another size.
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

  /// Uses a view to show that an image is on its way: it is hidden unless an image loads and
  /// nothing of it is shown.
  ///
  /// A `UIActivityIndicatorView` is started and stopped, and a `UIProgressView` shows how much of
  /// the image is here. For other views, that is in ``/IkranViews/DisplayOptions/onChange``.
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
    if let indicator = view as? UIActivityIndicatorView, indicator.isAnimating != isVisible {
      if isVisible { indicator.startAnimating() } else { indicator.stopAnimating() }
    }
    if view.isHidden == isVisible { view.isHidden = !isVisible }
  }

  func setProgress(_ progress: Double?) {
    guard let bar = view as? UIProgressView else { return }
    let value = Float(progress ?? 0)
    if bar.progress != value { bar.progress = value }
  }
}

extension UIImageView: ImageDisplaying {
  /// The image of the view, unless it is highlighted.
  public var imageTarget: ImageTarget { ImageTarget(self) }

  /// The nearest to `contentMode`.
  public var imageContentMode: IkranViews.ContentMode {
    let pictures = ViewPictures.of(self)?.view as? ImageViewPictures
    return pictures?.contentMode ?? IkranViews.ContentMode(contentMode)
  }
}
#endif
