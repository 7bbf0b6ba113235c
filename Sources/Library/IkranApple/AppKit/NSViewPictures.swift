#if canImport(AppKit) && !canImport(UIKit)
import AppKit
import CoreGraphics
import Ikran
import IkranViews
import QuartzCore

/// A view of AppKit, as far as its pictures need to know it.
@MainActor
protocol NSViewPictures: PictureView {
  /// nil once it has ended.
  var base: NSView? { get }
}

extension NSViewPictures {
  var object: AnyObject? { base }

  var scale: Double { base?.window.map { Double($0.backingScaleFactor) } ?? Screen.scale }
  var isOnDisplay: Bool { base?.window != nil }

  var isInSight: Bool {
    guard let base, base.window != nil, !base.isHiddenOrHasHiddenAncestor else { return false }
    let seen = base.visibleRect.size
    return seen.width > 0 && seen.height > 0
  }

  var size: (width: Double, height: Double) {
    guard let size = base?.bounds.size else { return (0, 0) }
    return (Double(size.width), Double(size.height))
  }

  var windowSize: (width: Double, height: Double)? {
    guard let size = base?.window?.frame.size else { return nil }
    return (Double(size.width), Double(size.height))
  }

  var reducesMotion: Bool { Screen.reducesMotion }

  var clock: (any FrameClock)? {
    guard let window = base?.window else { return nil }
    return DisplayClock.of(window) { [weak window] target, selector in
      window?.displayLink(target: target, selector: selector)
    }
  }

  func stage(of slot: ImageTarget.Slot) -> (any PictureStage)? {
    base?.stage(isAlone: true)
  }
}

extension NSView {
  /// Where its pictures move; the view is backed by a layer from then on.
  func stage(isAlone: Bool) -> LayerStage? {
    if layer == nil { wantsLayer = true }
    return layer.map { LayerStage(layer: $0, isAlone: isAlone, isYDown: isFlipped) }
  }
}

/// Lies in a view, without a look of its own, and tells the view's pictures what happens to it:
/// AppKit tells that to subclasses and subviews alone.
final class NSViewObserver: NSView {
  private weak var pictures: ViewPictures?

  init(_ pictures: ViewPictures, in view: NSView) {
    self.pictures = pictures
    super.init(frame: view.bounds)
    autoresizingMask = [.width, .height]
    view.addSubview(self)
  }

  required init?(coder: NSCoder) { nil }

  override func hitTest(_ point: NSPoint) -> NSView? { nil }

  override func viewDidMoveToSuperview() {
    super.viewDidMoveToSuperview()
    // A program may have removed all subviews.
    if superview == nil { pictures?.observerWasRemoved() }
  }

  override func viewDidMoveToWindow() {
    super.viewDidMoveToWindow()
    pictures?.windowDidChange()
  }

  override func viewDidChangeBackingProperties() {
    super.viewDidChangeBackingProperties()
    pictures?.slots.scaleDidChange()
  }

  override func setFrameSize(_ newSize: NSSize) {
    super.setFrameSize(newSize)
    pictures?.slots.sizeDidChange()
  }
}

/// A view whose picture a closure shows.
@MainActor
struct AnyViewPictures: NSViewPictures {
  weak var base: NSView?

  func refusal(of slot: ImageTarget.Slot) -> ImageError? { nil }

  func show(_ picture: ShownPicture?, in slot: ImageTarget.Slot) {}
}

/// What is true of the Mac, where no view says it.
@MainActor
enum Screen {
  private static let link = DisplayClock {
    NSScreen.main?.displayLink(target: $0, selector: $1)
  }

  static var scale: Double { Double(NSScreen.main?.backingScaleFactor ?? 1) }
  static var reducesMotion: Bool {
    NSWorkspace.shared.accessibilityDisplayShouldReduceMotion
  }
  static var clock: (any FrameClock)? { link }
  static let isYDown = false

  /// A view, as far as its pictures need to know it; nil for another object.
  static func view(_ object: AnyObject) -> (any PictureView)? {
    (object as? NSView).map { AnyViewPictures(base: $0) }
  }

  /// Lets pictures hear what happens to a view, by one observer.
  static func observe(_ object: AnyObject, for pictures: ViewPictures) {
    guard let view = object as? NSView,
      !view.subviews.contains(where: { $0 is NSViewObserver })
    else { return }
    _ = NSViewObserver(pictures, in: view)
  }
}
#endif
