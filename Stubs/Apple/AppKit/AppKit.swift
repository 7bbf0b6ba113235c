@_exported public import Foundation
@_exported public import QuartzCore

// https://developer.apple.com/documentation/foundation/nspoint · macOS 10.0 ?
public typealias NSPoint = CGPoint

// https://developer.apple.com/documentation/foundation/nssize · macOS 10.0 ?
public typealias NSSize = CGSize

// https://developer.apple.com/documentation/foundation/nsrect · macOS 10.0 ?
public typealias NSRect = CGRect

// https://developer.apple.com/documentation/appkit/nsimage · macOS 10.0 ?
open class NSImage: NSObject {
  // https://developer.apple.com/documentation/appkit/nsimage/init(cgimage:size:) · macOS 10.6
  public init(cgImage: CGImage, size: NSSize) {}
}

// https://developer.apple.com/documentation/appkit/nsimagescaling · macOS 10.5
public enum NSImageScaling: UInt, Sendable {
  case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown
}

// https://developer.apple.com/documentation/appkit/nsresponder · macOS 10.0 ?
@MainActor open class NSResponder: NSObject {}

// https://developer.apple.com/documentation/appkit/nsscreen · macOS 10.0 ?
open class NSScreen: NSObject {
  // https://developer.apple.com/documentation/appkit/nsscreen/main · macOS 10.0 ?
  open class var main: NSScreen? { nil }
  // https://developer.apple.com/documentation/appkit/nsscreen/backingscalefactor · macOS 10.7
  open var backingScaleFactor: CGFloat { 1 }
  // https://developer.apple.com/documentation/appkit/nsscreen/displaylink(target:selector:) · macOS 14.0
  open func displayLink(target: Any, selector: Selector) -> CADisplayLink { fatalError() }
}

// https://developer.apple.com/documentation/appkit/nswindow · macOS 10.0 ?
@MainActor open class NSWindow: NSResponder {
  // https://developer.apple.com/documentation/appkit/nswindow/backingscalefactor · macOS 10.7
  open var backingScaleFactor: CGFloat { 1 }
  // https://developer.apple.com/documentation/appkit/nswindow/frame · macOS 10.0 ?
  open var frame: NSRect { .zero }
  // https://developer.apple.com/documentation/appkit/nswindow/displaylink(target:selector:) · macOS 14.0
  open func displayLink(target: Any, selector: Selector) -> CADisplayLink { fatalError() }
}

// https://developer.apple.com/documentation/appkit/nsview · macOS 10.0 ?
@MainActor open class NSView: NSResponder {
  // https://developer.apple.com/documentation/appkit/nsview/autoresizingmask-swift.struct · macOS 10.0 ?
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    // https://developer.apple.com/documentation/appkit/nsview/autoresizingmask-swift.struct/width · macOS 10.0 ?
    public static let width = AutoresizingMask(rawValue: 2)
    // https://developer.apple.com/documentation/appkit/nsview/autoresizingmask-swift.struct/height · macOS 10.0 ?
    public static let height = AutoresizingMask(rawValue: 16)
  }
  // https://developer.apple.com/documentation/appkit/nsview/init(frame:) · macOS 10.0 ?
  public init(frame frameRect: NSRect) {}
  // https://developer.apple.com/documentation/appkit/nsview/init(coder:) · macOS 10.0 ?
  public required init?(coder: NSCoder) {}
  // https://developer.apple.com/documentation/appkit/nsview/window · macOS 10.0 ?
  open var window: NSWindow? { nil }
  // https://developer.apple.com/documentation/appkit/nsview/subviews · macOS 10.0 ?
  open var subviews: [NSView] { get { [] } set {} }
  // https://developer.apple.com/documentation/appkit/nsview/addsubview(_:) · macOS 10.0 ?
  open func addSubview(_ view: NSView) {}
  // https://developer.apple.com/documentation/appkit/nsview/layer · macOS 10.5
  open var layer: CALayer? { get { nil } set {} }
  // https://developer.apple.com/documentation/appkit/nsview/wantslayer · macOS 10.5
  open var wantsLayer: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/appkit/nsview/bounds · macOS 10.0 ?
  open var bounds: NSRect { get { .zero } set {} }
  // https://developer.apple.com/documentation/appkit/nsview/autoresizingmask-swift.property · macOS 10.0 ?
  open var autoresizingMask: NSView.AutoresizingMask { get { [] } set {} }
  // https://developer.apple.com/documentation/appkit/nsview/visiblerect · macOS 10.0 ?
  open var visibleRect: NSRect { .zero }
  // https://developer.apple.com/documentation/appkit/nsview/ishidden · macOS 10.3 ?
  open var isHidden: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/appkit/nsview/ishiddenorhashiddenancestor · macOS 10.3 ?
  open var isHiddenOrHasHiddenAncestor: Bool { false }
  // https://developer.apple.com/documentation/appkit/nsview/isflipped · macOS 10.0 ?
  open var isFlipped: Bool { false }
  // https://developer.apple.com/documentation/appkit/nsview/hittest(_:) · macOS 10.0 ?
  open func hitTest(_ point: NSPoint) -> NSView? { nil }
  // https://developer.apple.com/documentation/appkit/nsview/superview · macOS 10.0
  open var superview: NSView? { nil }
  // https://developer.apple.com/documentation/appkit/nsview/viewdidmovetosuperview() · macOS 10.5
  open func viewDidMoveToSuperview() {}
  // https://developer.apple.com/documentation/appkit/nsview/viewdidmovetowindow() · macOS 10.0 ?
  open func viewDidMoveToWindow() {}
  // https://developer.apple.com/documentation/appkit/nsview/viewdidchangebackingproperties() · macOS 10.7
  open func viewDidChangeBackingProperties() {}
  // https://developer.apple.com/documentation/appkit/nsview/setframesize(_:) · macOS 10.0 ?
  open func setFrameSize(_ newSize: NSSize) {}
}

// https://developer.apple.com/documentation/appkit/nscontrol · macOS 10.0 ?
@MainActor open class NSControl: NSView {}

// https://developer.apple.com/documentation/appkit/nsimageview · macOS 10.0 ?
@MainActor open class NSImageView: NSControl {
  // https://developer.apple.com/documentation/appkit/nsimageview/image · macOS 10.0 ?
  open var image: NSImage? { get { nil } set {} }
  // https://developer.apple.com/documentation/appkit/nsimageview/imagescaling · macOS 10.0 ?
  open var imageScaling: NSImageScaling { get { .scaleNone } set {} }
}

// https://developer.apple.com/documentation/appkit/nsbutton · macOS 10.0 ?
@MainActor open class NSButton: NSControl {
  // https://developer.apple.com/documentation/appkit/nsbutton/image · macOS 10.0 ?
  open var image: NSImage? { get { nil } set {} }
  // https://developer.apple.com/documentation/appkit/nsbutton/alternateimage · macOS 10.0 ?
  open var alternateImage: NSImage? { get { nil } set {} }
}

// https://developer.apple.com/documentation/appkit/nsworkspace · macOS 10.0 ?
open class NSWorkspace: NSObject {
  // https://developer.apple.com/documentation/appkit/nsworkspace/shared · macOS 10.0 ?
  open class var shared: NSWorkspace { fatalError() }
  // https://developer.apple.com/documentation/appkit/nsworkspace/accessibilitydisplayshouldreducemotion · macOS 10.12
  open var accessibilityDisplayShouldReduceMotion: Bool { false }
}
