#if canImport(AppKit) && !canImport(UIKit)
public import AppKit
import Ikran
public import IkranViews

/// An `NSImageView`.
@MainActor
final class ImageViewPictures: NSViewPictures {
  private weak var view: NSImageView?
  /// How images lie in it, while a colour that fills it has changed that.
  private(set) var scaling: NSImageScaling?

  init(_ view: NSImageView) { self.view = view }

  var base: NSView? { view }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    slot == .image ? nil : .invalidRequest("an NSImageView has the slot .image alone")
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    guard let view else { return }
    view.image = picture?.native
    guard let picture else { return }
    let new = NSImageScaling(picture.mode)
    scaling = picture.isStretched ? new : nil
    let shown = picture.isStretched ? .scaleAxesIndependently : new
    if view.imageScaling != shown { view.imageScaling = shown }
  }

  func isShowing(_ picture: ShownPicture, in slot: ImageTarget.Slot) -> Bool {
    view?.image === picture.native
  }
}

extension NSImageScaling {
  /// The nearest: no view of AppKit covers itself with an image.
  init(_ mode: ContentMode) {
    switch mode.scaling {
    case .contain, .cover: self = .scaleProportionallyUpOrDown
    case .scaleDown: self = .scaleProportionallyDown
    case .stretch: self = .scaleAxesIndependently
    case .none: self = .scaleNone
    }
  }
}

extension ContentMode {
  init(_ scaling: NSImageScaling) {
    switch scaling {
    case .scaleProportionallyUpOrDown: self = .contain
    case .scaleProportionallyDown: self = .scaleDown
    case .scaleAxesIndependently: self = .stretch
    default: self = .center
    }
  }
}

extension ImageTarget {
  /// The image of an `NSImageView`.
  ///
  /// The content mode of the options becomes its `imageScaling`, as the nearest that AppKit has:
  /// `cover` shows the whole image. To fill the view, use a style that crops, such as
  /// `Style.fill(width:height:)`.
  ///
  /// Cost: the first call for a view adds a subview without a look, which tells of its window and
  /// size; later ones look it up.
  public init(_ view: NSImageView, slot: Slot = .image) {
    let pictures = ViewPictures.of(view) { ImageViewPictures(view) }
    Screen.observe(view, for: pictures)
    self.init(layer: pictures.slots.layer(for: slot))
  }

  /// Uses a view as the placeholder, such as one over the image view: it is hidden while an image
  /// is shown.
  ///
  /// - Parameter view: Retained until it is replaced; nil stops showing and hiding the last one.
  public func setPlaceholder(view: NSView?) {
    layer.attach(view.map { AttachedNSView(view: $0) }, while: .noImage)
  }

  /// Uses a view to show that an image is on its way, such as an `NSProgressIndicator`: it is
  /// hidden unless an image loads and nothing of it is shown.
  ///
  /// How far it has come is in ``/IkranViews/DisplayOptions/onChange``.
  ///
  /// - Parameter view: Retained until it is replaced; nil stops showing and hiding the last one.
  public func setIndicator(view: NSView?) {
    layer.attach(view.map { AttachedNSView(view: $0) }, while: .loading)
  }
}

/// A view of the program's that is visible at times; the reference to it keeps it alive.
@MainActor
private struct AttachedNSView: AttachedView {
  let view: NSView

  func retain() {}

  func release() {}

  func setVisible(_ isVisible: Bool) {
    if view.isHidden == isVisible { view.isHidden = !isVisible }
  }
}

extension NSImageView: ImageDisplaying {
  /// The image of the view.
  public var imageTarget: ImageTarget { ImageTarget(self) }

  /// The nearest to `imageScaling`.
  public var imageContentMode: ContentMode {
    let pictures = ViewPictures.of(self)?.view as? ImageViewPictures
    return ContentMode(pictures?.scaling ?? imageScaling)
  }
}
#endif
