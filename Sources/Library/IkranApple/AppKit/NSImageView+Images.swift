#if canImport(AppKit) && !canImport(UIKit)
public import AppKit
import Ikran
public import IkranViews

/// An `NSImageView`.
@MainActor
final class ImageViewPictures: NSViewPictures {
  private weak var view: NSImageView?
  private var scaling = OverriddenValue<NSImageScaling>()

  init(_ view: NSImageView) { self.view = view }

  var base: NSView? { view }

  func refusal(of slot: ImageTarget.Slot) -> ImageError? {
    slot == .image ? nil : .invalidRequest("an NSImageView has the slot .image alone")
  }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {
    guard let view else { return }
    view.image = picture?.native
    let wanted = picture?.wanted(stretched: .scaleAxesIndependently) { NSImageScaling($0) }
    let new = scaling.value(for: wanted, over: view.imageScaling)
    if view.imageScaling != new { view.imageScaling = new }
  }

  var contentMode: ContentMode? { view.map { ContentMode(scaling.own($0.imageScaling)) } }

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
  /// It lies there by the view's `imageScaling`. A content mode of the options takes its place
  /// while the image is shown, as the nearest that AppKit has: `cover` shows the whole image. So
  /// does `scaleAxesIndependently` while a placeholder is shown that is a colour or a BlurHash. The
  /// view has its own scaling again afterwards, and after ``cancelImage()`` and ``clearImage()``.
  /// To fill the view, use a style that crops, such as `Style.fill(width:height:)`.
  ///
  /// A transition, and a ring, make the view one that a layer backs.
  ///
  /// Cost: the first call for a view adds a subview without a look, which tells of its window and
  /// size; later ones look it up. One that was removed is added again; with `autoresizesSubviews`
  /// off it does not tell of another size.
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
    layer.attach(view.map { AttachedNSView($0) }, while: .noImage)
  }

  /// Uses a view to show that an image is on its way: it is hidden unless an image loads and
  /// nothing of it is shown.
  ///
  /// An `NSProgressIndicator` is started and stopped if it is indeterminate, and else shows how
  /// much of the image is here. For other views, that is in
  /// ``/IkranViews/DisplayOptions/onChange``.
  ///
  /// - Parameter view: Retained until it is replaced; nil stops showing and hiding the last one.
  public func setIndicator(view: NSView?) {
    layer.attach(view.map { AttachedNSView($0) }, while: .loading)
  }
}

/// A view of the program's that is visible at times; the reference to it keeps it alive.
@MainActor
private final class AttachedNSView: AttachedView {
  private let view: NSView
  /// Whether it was shown last; nil before.
  private var isVisible: Bool?

  init(_ view: NSView) { self.view = view }

  func retain() {}

  func release() {}

  func setVisible(_ isVisible: Bool) {
    if view.isHidden == isVisible { view.isHidden = !isVisible }
    guard self.isVisible != isVisible else { return }
    self.isVisible = isVisible
    guard let indicator = view as? NSProgressIndicator else { return }
    if isVisible { indicator.startAnimation(nil) } else { indicator.stopAnimation(nil) }
  }

  func setProgress(_ progress: Double?) {
    guard let bar = view as? NSProgressIndicator, !bar.isIndeterminate else { return }
    let value = bar.minValue + (progress ?? 0) * (bar.maxValue - bar.minValue)
    if bar.doubleValue != value { bar.doubleValue = value }
  }
}

extension NSImageView: ImageDisplaying {
  /// The image of the view.
  public var imageTarget: ImageTarget { ImageTarget(self) }

  /// The nearest to `imageScaling`.
  public var imageContentMode: ContentMode {
    let pictures = ViewPictures.of(self)?.view as? ImageViewPictures
    return pictures?.contentMode ?? ContentMode(imageScaling)
  }
}
#endif
