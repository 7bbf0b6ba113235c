#if canImport(UIKit) && !os(watchOS)
import CoreGraphics
import Ikran
import IkranViews
import QuartzCore
import UIKit

/// A view of UIKit, as far as its pictures need to know it.
@MainActor
protocol UIViewPictures: PictureView {
  /// nil once it has ended.
  var base: UIView? { get }
}

extension UIViewPictures {
  var object: AnyObject? { base }

  var scale: Double {
    let scale = Double(base?.traitCollection.displayScale ?? 0)
    // A view that was in no window yet may not know it.
    return scale > 0 ? scale : Screen.scale
  }

  var isOnDisplay: Bool { base?.window != nil }

  /// Whether no view around it hides it or scrolls it away; views over it are not looked for.
  var isInSight: Bool {
    guard let base, let window = base.window else { return false }
    var view: UIView? = base
    while let ancestor = view {
      if ancestor.isHidden { return false }
      let isEdge = ancestor.clipsToBounds || ancestor === window
      if isEdge, !base.overlaps(ancestor) { return false }
      view = ancestor.superview
    }
    return true
  }

  var size: (width: Double, height: Double) {
    guard let size = base?.bounds.size else { return (0, 0) }
    return (Double(size.width), Double(size.height))
  }

  var windowSize: (width: Double, height: Double)? {
    guard let size = base?.window?.bounds.size else { return nil }
    return (Double(size.width), Double(size.height))
  }

  var reducesMotion: Bool { UIAccessibility.isReduceMotionEnabled }

  var clock: (any FrameClock)? {
    guard let window = base?.window else { return nil }
    return DisplayClock.of(window) { [weak window] target, selector in
      // It is in the SDK of Xcode 27.
      #if compiler(>=6.4) || IKRAN_NEWEST_SDK
      if #available(iOS 27, tvOS 27, visionOS 27, macCatalyst 27, *) {
        return window?.windowScene?.displayLink(target: target, selector: selector)
      }
      #endif
      return CADisplayLink(target: target, selector: selector)
    }
  }
}

extension UIView {
  /// Whether a part of it lies within another view of its window.
  fileprivate func overlaps(_ other: UIView) -> Bool {
    let area = Rectangle(other.bounds)
    return Rectangle(convert(bounds, to: other)).overlaps(area)
  }
}

extension Rectangle {
  init(_ rectangle: CGRect) {
    self.init(
      x: Double(rectangle.origin.x),
      y: Double(rectangle.origin.y),
      width: Double(rectangle.size.width),
      height: Double(rectangle.size.height)
    )
  }
}

/// Lies in a view, without a look of its own, and tells the view's pictures what happens to it:
/// UIKit tells that to subclasses and subviews alone.
final class UIViewObserver: UIView {
  private weak var pictures: ViewPictures?

  init(_ pictures: ViewPictures, in view: UIView) {
    self.pictures = pictures
    super.init(frame: view.bounds)
    isUserInteractionEnabled = false
    isAccessibilityElement = false
    autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.addSubview(self)
  }

  required init?(coder: NSCoder) { nil }

  override func didMoveToSuperview() {
    super.didMoveToSuperview()
    // A program may have removed all subviews.
    if superview == nil { pictures?.observerWasRemoved() }
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    pictures?.windowDidChange()
  }

  override func layoutSubviews() {
    super.layoutSubviews()
    // UIKit lays it out again when what is read here changes.
    _ = traitCollection.displayScale
    pictures?.layoutDidChange()
  }
}

/// A view whose picture a closure shows.
@MainActor
struct AnyViewPictures: UIViewPictures {
  weak var base: UIView?

  func refusal(of slot: ImageTarget.Slot) -> ImageError? { nil }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {}
}

/// What is true of the device, where no view says it.
@MainActor
enum Screen {
  private static let link = DisplayClock { CADisplayLink(target: $0, selector: $1) }

  static var scale: Double {
    let scale = Double(UITraitCollection.current.displayScale)
    return scale > 0 ? scale : 1
  }

  static var reducesMotion: Bool { UIAccessibility.isReduceMotionEnabled }
  static var clock: (any FrameClock)? { link }
  static let isYDown = true

  /// A view, as far as its pictures need to know it; nil for another object.
  static func view(_ object: AnyObject) -> (any PictureView)? {
    (object as? UIView).map { AnyViewPictures(base: $0) }
  }

  /// Lets pictures hear what happens to a view, by one observer.
  static func observe(_ object: AnyObject, for pictures: ViewPictures) {
    guard let view = object as? UIView,
      !view.subviews.contains(where: { $0 is UIViewObserver })
    else { return }
    _ = UIViewObserver(pictures, in: view)
  }
}
#endif
