@_exported public import Foundation
@_exported public import QuartzCore

// https://developer.apple.com/documentation/uikit/uiimage · iOS 2.0
open class UIImage: NSObject {
  // https://developer.apple.com/documentation/uikit/uiimage/orientation · iOS 2.0
  public enum Orientation: Int, Sendable {
    case up
  }
  // https://developer.apple.com/documentation/uikit/uiimage/renderingmode-swift.enum · iOS 7.0
  public enum RenderingMode: Int, Sendable {
    case alwaysOriginal = 1
  }
  // https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:scale:orientation:) · iOS 4.0
  public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) {}
  // https://developer.apple.com/documentation/uikit/uiimage/cgimage · iOS 2.0
  open var cgImage: CGImage? { nil }
  // https://developer.apple.com/documentation/uikit/uiimage/withrenderingmode(_:) · iOS 7.0
  open func withRenderingMode(_ renderingMode: UIImage.RenderingMode) -> UIImage { self }
}

// https://developer.apple.com/documentation/uikit/uitraitcollection · iOS 8.0
open class UITraitCollection: NSObject {
  // https://developer.apple.com/documentation/uikit/uitraitcollection/current · iOS 13.0
  open class var current: UITraitCollection { get { fatalError() } set {} }
  // https://developer.apple.com/documentation/uikit/uitraitcollection/displayscale · iOS 8.0
  open var displayScale: CGFloat { 1 }
}

// https://developer.apple.com/documentation/uikit/uiresponder · iOS 2.0
@MainActor open class UIResponder: NSObject {}

// https://developer.apple.com/documentation/uikit/uiwindowscene · iOS 13.0
@MainActor open class UIWindowScene: UIResponder {
  // https://developer.apple.com/documentation/uikit/uiwindowscene/displaylink(target:selector:) · iOS 27.0
  @available(iOS 27, *)
  open func displayLink(target: Any, selector sel: Selector) -> CADisplayLink? { nil }
}

// https://developer.apple.com/documentation/uikit/uiview · iOS 2.0
@MainActor open class UIView: UIResponder {
  // https://developer.apple.com/documentation/uikit/uiview/contentmode-swift.enum · iOS 2.0 ?
  public enum ContentMode: Int, Sendable {
    case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right
    case topLeft, topRight, bottomLeft, bottomRight
  }
  // https://developer.apple.com/documentation/uikit/uiview/autoresizingmask-swift.struct · iOS 2.0 ?
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    // https://developer.apple.com/documentation/uikit/uiview/autoresizingmask-swift.struct/flexiblewidth · iOS 2.0 ?
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    // https://developer.apple.com/documentation/uikit/uiview/autoresizingmask-swift.struct/flexibleheight · iOS 2.0 ?
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
  }
  // https://developer.apple.com/documentation/uikit/uiview/init(frame:) · iOS 2.0 ?
  public init(frame: CGRect) {}
  // https://developer.apple.com/documentation/uikit/uiview/init(coder:) · iOS 2.0 ?
  public required init?(coder: NSCoder) {}
  // https://developer.apple.com/documentation/uikit/uiview/window · iOS 2.0 ?
  open var window: UIWindow? { nil }
  // https://developer.apple.com/documentation/uikit/uiview/superview · iOS 2.0 ?
  open var superview: UIView? { nil }
  // https://developer.apple.com/documentation/uikit/uiview/subviews · iOS 2.0 ?
  open var subviews: [UIView] { [] }
  // https://developer.apple.com/documentation/uikit/uiview/addsubview(_:) · iOS 2.0 ?
  open func addSubview(_ view: UIView) {}
  // https://developer.apple.com/documentation/uikit/uiview/layer · iOS 2.0 ?
  open var layer: CALayer { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiview/bounds · iOS 2.0 ?
  open var bounds: CGRect { get { .zero } set {} }
  // https://developer.apple.com/documentation/uikit/uiview/contentmode-swift.property · iOS 2.0 ?
  open var contentMode: UIView.ContentMode { get { .scaleToFill } set {} }
  // https://developer.apple.com/documentation/uikit/uiview/autoresizingmask-swift.property · iOS 2.0 ?
  open var autoresizingMask: UIView.AutoresizingMask { get { [] } set {} }
  // https://developer.apple.com/documentation/uikit/uiview/ishidden · iOS 2.0 ?
  open var isHidden: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/uikit/uiview/clipstobounds · iOS 2.0 ?
  open var clipsToBounds: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/uikit/uiview/isuserinteractionenabled · iOS 2.0 ?
  open var isUserInteractionEnabled: Bool { get { true } set {} }
  // https://developer.apple.com/documentation/objectivec/nsobject-swift.class/isaccessibilityelement · iOS 3.0
  open var isAccessibilityElement: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/uikit/uitraitenvironment/traitcollection · iOS 8.0
  open var traitCollection: UITraitCollection { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiview/convert(_:to:)-7m2nl · iOS 2.0 ?
  open func convert(_ rect: CGRect, to view: UIView?) -> CGRect { rect }
  // https://developer.apple.com/documentation/uikit/uiview/didmovetosuperview() · iOS 2.0 ?
  open func didMoveToSuperview() {}
  // https://developer.apple.com/documentation/uikit/uiview/didmovetowindow() · iOS 2.0 ?
  open func didMoveToWindow() {}
  // https://developer.apple.com/documentation/uikit/uiview/layoutsubviews() · iOS 2.0 ?
  open func layoutSubviews() {}
}

// https://developer.apple.com/documentation/uikit/uiwindow · iOS 2.0
@MainActor open class UIWindow: UIView {
  // https://developer.apple.com/documentation/uikit/uiwindow/windowscene · iOS 13.0
  open var windowScene: UIWindowScene? { get { nil } set {} }
}

// https://developer.apple.com/documentation/uikit/uiimageview · iOS 2.0
@MainActor open class UIImageView: UIView {
  // https://developer.apple.com/documentation/uikit/uiimageview/image · iOS 2.0
  open var image: UIImage? { get { nil } set {} }
  // https://developer.apple.com/documentation/uikit/uiimageview/highlightedimage · iOS 3.0
  open var highlightedImage: UIImage? { get { nil } set {} }
  // https://developer.apple.com/documentation/uikit/uiimageview/ishighlighted · iOS 3.0
  open var isHighlighted: Bool { get { false } set {} }
}

// https://developer.apple.com/documentation/uikit/uicontrol · iOS 2.0
@MainActor open class UIControl: UIView {
  // https://developer.apple.com/documentation/uikit/uicontrol/state-swift.struct · iOS 2.0
  public struct State: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    // https://developer.apple.com/documentation/uikit/uicontrol/state-swift.struct/normal · iOS 2.0 ?
    public static var normal: State { [] }
    // https://developer.apple.com/documentation/uikit/uicontrol/state-swift.struct/highlighted · iOS 2.0 ?
    public static var highlighted: State { State(rawValue: 1) }
    // https://developer.apple.com/documentation/uikit/uicontrol/state-swift.struct/selected · iOS 2.0 ?
    public static var selected: State { State(rawValue: 4) }
  }
  // https://developer.apple.com/documentation/uikit/uicontrol/state-swift.property · iOS 2.0 ?
  open var state: UIControl.State { [] }
}

// https://developer.apple.com/documentation/uikit/uibutton · iOS 2.0
@MainActor open class UIButton: UIControl {
  // https://developer.apple.com/documentation/uikit/uibutton/configuration-swift.struct · iOS 15.0
  public struct Configuration {
    // https://developer.apple.com/documentation/uikit/uibutton/configuration-swift.struct/plain() · iOS 15.0
    public static func plain() -> UIButton.Configuration { UIButton.Configuration() }
    // https://developer.apple.com/documentation/uikit/uibutton/configuration-swift.struct/background · iOS 15.0
    public var background = UIBackgroundConfiguration()
  }
  // https://developer.apple.com/documentation/uikit/uibutton/configuration-5rlyb · iOS 15.0
  open var configuration: UIButton.Configuration? { get { nil } set {} }
  // https://developer.apple.com/documentation/uikit/uibutton/imageview · iOS 3.0
  open var imageView: UIImageView? { nil }
  // https://developer.apple.com/documentation/uikit/uibutton/setimage(_:for:) · iOS 2.0
  open func setImage(_ image: UIImage?, for state: UIControl.State) {}
  // https://developer.apple.com/documentation/uikit/uibutton/setbackgroundimage(_:for:) · iOS 2.0
  open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) {}
  // https://developer.apple.com/documentation/uikit/uibutton/image(for:) · iOS 2.0
  open func image(for state: UIControl.State) -> UIImage? { nil }
  // https://developer.apple.com/documentation/uikit/uibutton/backgroundimage(for:) · iOS 2.0
  open func backgroundImage(for state: UIControl.State) -> UIImage? { nil }
}

// https://developer.apple.com/documentation/uikit/uibackgroundconfiguration-swift.struct · iOS 14.0
public struct UIBackgroundConfiguration {
  // https://developer.apple.com/documentation/uikit/uibackgroundconfiguration-swift.struct/image · iOS 15.0
  public var image: UIImage?
}

// https://developer.apple.com/documentation/uikit/uiaccessibility · iOS 3.0
public enum UIAccessibility {
  // https://developer.apple.com/documentation/uikit/uiaccessibility/isreducemotionenabled · iOS 8.0
  @MainActor public static var isReduceMotionEnabled: Bool { false }
}

// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier · iOS 4.0
public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
  // https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/invalid · iOS 4.0
  public static let invalid = UIBackgroundTaskIdentifier()
}

// https://developer.apple.com/documentation/uikit/uiapplication · iOS 2.0
@MainActor open class UIApplication: UIResponder {
  // https://developer.apple.com/documentation/uikit/uiapplication/shared · iOS 2.0 ?
  @available(iOSApplicationExtension, unavailable)
  open class var shared: UIApplication { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/didreceivememorywarningnotification · iOS 2.0 ?
  public nonisolated class var didReceiveMemoryWarningNotification: NSNotification.Name { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/didenterbackgroundnotification · iOS 4.0
  public nonisolated class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/willenterforegroundnotification · iOS 4.0
  public nonisolated class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/didbecomeactivenotification · iOS 2.0 ?
  public nonisolated class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/protecteddatawillbecomeunavailablenotification · iOS 4.0
  public nonisolated class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/protecteddatadidbecomeavailablenotification · iOS 4.0
  public nonisolated class var protectedDataDidBecomeAvailableNotification: NSNotification.Name { fatalError() }
  // https://developer.apple.com/documentation/uikit/uiapplication/applicationstate · iOS 4.0
  open var applicationState: State { .active }
  // https://developer.apple.com/documentation/uikit/uiapplication/state · iOS 4.0
  public enum State: Int, Sendable { case active, inactive, background }
  // https://developer.apple.com/documentation/uikit/uiapplication/isprotecteddataavailable · iOS 4.0
  open var isProtectedDataAvailable: Bool { true }
  // https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:) · iOS 7.0 ?
  public nonisolated func beginBackgroundTask(
    withName taskName: String?,
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { .invalid }
  // https://developer.apple.com/documentation/uikit/uiapplication/endbackgroundtask(_:) · iOS 4.0
  public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
