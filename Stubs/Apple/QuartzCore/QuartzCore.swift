@_exported public import CoreGraphics
public import Foundation

// https://developer.apple.com/documentation/quartzcore/caframeraterange · macOS 12.0, iOS 15.0
public struct CAFrameRateRange: Sendable {
  // https://developer.apple.com/documentation/quartzcore/caframeraterange/init(minimum:maximum:preferred:) · macOS 12.0, iOS 15.0
  public init(minimum: Float, maximum: Float, preferred: Float? = nil) {}
  // https://developer.apple.com/documentation/quartzcore/caframeraterange/default · macOS 12.0, iOS 15.0
  public static let `default` = CAFrameRateRange(minimum: 0, maximum: 0)
}

// https://developer.apple.com/documentation/quartzcore/cadisplaylink · macOS 14.0, iOS 3.1
public class CADisplayLink: NSObject {
  #if os(iOS)
  // https://developer.apple.com/documentation/quartzcore/cadisplaylink/init(target:selector:) · iOS 3.1
  public init(target: Any, selector sel: Selector) {}
  #endif
  // https://developer.apple.com/documentation/quartzcore/cadisplaylink/add(to:formode:) · macOS 14.0, iOS 3.1
  public func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) {}
  // https://developer.apple.com/documentation/quartzcore/cadisplaylink/invalidate() · macOS 14.0, iOS 3.1
  public func invalidate() {}
  // https://developer.apple.com/documentation/quartzcore/cadisplaylink/timestamp · macOS 14.0, iOS 3.1
  public var timestamp: Double { 0 }
  // https://developer.apple.com/documentation/quartzcore/cadisplaylink/ispaused · macOS 14.0, iOS 3.1
  public var isPaused: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/quartzcore/cadisplaylink/preferredframeraterange · macOS 14.0, iOS 15.0
  public var preferredFrameRateRange: CAFrameRateRange { get { .default } set {} }
}

// https://developer.apple.com/documentation/quartzcore/calayercontentsgravity · macOS 10.5, iOS 2.0
public struct CALayerContentsGravity: Hashable, Sendable {
  // https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/center · macOS 10.5, iOS 2.0
  public static let center = CALayerContentsGravity()
  // https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/resize · macOS 10.5, iOS 2.0
  public static let resize = CALayerContentsGravity()
  // https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/resizeaspect · macOS 10.5, iOS 2.0
  public static let resizeAspect = CALayerContentsGravity()
  // https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/resizeaspectfill · macOS 10.5, iOS 2.0
  public static let resizeAspectFill = CALayerContentsGravity()
}

// https://developer.apple.com/documentation/quartzcore/calayer · macOS 10.5, iOS 2.0
open class CALayer: NSObject {
  // https://developer.apple.com/documentation/quartzcore/calayer/contents · macOS 10.5, iOS 2.0
  open var contents: Any? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/contentsgravity · macOS 10.5, iOS 2.0
  open var contentsGravity: CALayerContentsGravity { get { .resize } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/contentsscale · macOS 10.7, iOS 4.0
  open var contentsScale: CGFloat { get { 1 } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/bounds · macOS 10.5, iOS 2.0
  open var bounds: CGRect { get { .zero } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/frame · macOS 10.5, iOS 2.0
  open var frame: CGRect { get { .zero } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/position · macOS 10.5, iOS 2.0
  open var position: CGPoint { get { .zero } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/anchorpoint · macOS 10.5, iOS 2.0
  open var anchorPoint: CGPoint { get { .zero } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/transform · macOS 10.5, iOS 2.0
  open var transform: CATransform3D { get { CATransform3DIdentity } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/maskstobounds · macOS 10.5, iOS 2.0
  open var masksToBounds: Bool { get { false } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/mask · macOS 10.5, iOS 3.0
  open var mask: CALayer? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/backgroundcolor · macOS 10.5, iOS 2.0
  open var backgroundColor: CGColor? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/name · macOS 10.5, iOS 2.0
  open var name: String? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/sublayers · macOS 10.5, iOS 2.0
  open var sublayers: [CALayer]? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/calayer/addsublayer(_:) · macOS 10.5, iOS 2.0
  open func addSublayer(_ layer: CALayer) {}
  // https://developer.apple.com/documentation/quartzcore/calayer/removefromsuperlayer() · macOS 10.5, iOS 2.0
  open func removeFromSuperlayer() {}
  // https://developer.apple.com/documentation/quartzcore/calayer/add(_:forkey:) · macOS 10.5, iOS 2.0
  open func add(_ anim: CAAnimation, forKey key: String?) {}
  // https://developer.apple.com/documentation/quartzcore/calayer/animationkeys() · macOS 10.5, iOS 2.0
  open func animationKeys() -> [String]? { nil }
  // https://developer.apple.com/documentation/quartzcore/calayer/removeanimation(forkey:) · macOS 10.5, iOS 2.0
  open func removeAnimation(forKey key: String) {}
}

// https://developer.apple.com/documentation/quartzcore/cashapelayer · macOS 10.6, iOS 3.0
open class CAShapeLayer: CALayer {
  // https://developer.apple.com/documentation/quartzcore/cashapelayer/path · macOS 10.6, iOS 3.0
  open var path: CGPath? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/cashapelayer/fillcolor · macOS 10.6, iOS 3.0
  open var fillColor: CGColor? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/cashapelayer/strokecolor · macOS 10.6, iOS 3.0
  open var strokeColor: CGColor? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/cashapelayer/strokeend · macOS 10.6, iOS 3.0
  open var strokeEnd: CGFloat { get { 1 } set {} }
  // https://developer.apple.com/documentation/quartzcore/cashapelayer/linewidth · macOS 10.6, iOS 3.0
  open var lineWidth: CGFloat { get { 1 } set {} }
}

// https://developer.apple.com/documentation/quartzcore/camediatimingfunction · macOS 10.5, iOS 2.0
open class CAMediaTimingFunction: NSObject {
  // https://developer.apple.com/documentation/quartzcore/camediatimingfunction/init(controlpoints:_:_:_:) · macOS 10.5, iOS 2.0
  public init(controlPoints c1x: Float, _ c1y: Float, _ c2x: Float, _ c2y: Float) {}
}

// https://developer.apple.com/documentation/quartzcore/caanimation · macOS 10.5, iOS 2.0
open class CAAnimation: NSObject {
  // https://developer.apple.com/documentation/quartzcore/camediatiming/duration · macOS 10.5, iOS 2.0
  open var duration: Double { get { 0 } set {} }
  // https://developer.apple.com/documentation/quartzcore/caanimation/timingfunction · macOS 10.5, iOS 2.0
  open var timingFunction: CAMediaTimingFunction? { get { nil } set {} }
}

// https://developer.apple.com/documentation/quartzcore/capropertyanimation · macOS 10.5, iOS 2.0
open class CAPropertyAnimation: CAAnimation {
  // https://developer.apple.com/documentation/quartzcore/capropertyanimation/init(keypath:) · macOS 10.5, iOS 2.0
  public convenience init(keyPath path: String?) { self.init() }
}

// https://developer.apple.com/documentation/quartzcore/cabasicanimation · macOS 10.5, iOS 2.0
open class CABasicAnimation: CAPropertyAnimation {
  // https://developer.apple.com/documentation/quartzcore/cabasicanimation/fromvalue · macOS 10.5, iOS 2.0
  open var fromValue: Any? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/cabasicanimation/tovalue · macOS 10.5, iOS 2.0
  open var toValue: Any? { get { nil } set {} }
}

// https://developer.apple.com/documentation/quartzcore/cakeyframeanimation · macOS 10.5, iOS 2.0
open class CAKeyframeAnimation: CAPropertyAnimation {
  // https://developer.apple.com/documentation/quartzcore/cakeyframeanimation/values · macOS 10.5, iOS 2.0
  open var values: [Any]? { get { nil } set {} }
  // https://developer.apple.com/documentation/quartzcore/cakeyframeanimation/keytimes · macOS 10.5, iOS 2.0
  open var keyTimes: [NSNumber]? { get { nil } set {} }
}

// https://developer.apple.com/documentation/quartzcore/catransitiontype · macOS 10.5, iOS 2.0
public struct CATransitionType: Hashable, Sendable {
  // https://developer.apple.com/documentation/quartzcore/catransitiontype/fade · macOS 10.5, iOS 2.0
  public static let fade = CATransitionType()
  // https://developer.apple.com/documentation/quartzcore/catransitiontype/push · macOS 10.5, iOS 2.0
  public static let push = CATransitionType()
}

// https://developer.apple.com/documentation/quartzcore/catransitionsubtype · macOS 10.5, iOS 2.0
public struct CATransitionSubtype: Hashable, Sendable {
  // https://developer.apple.com/documentation/quartzcore/catransitionsubtype/fromleft · macOS 10.5, iOS 2.0
  public static let fromLeft = CATransitionSubtype()
  // https://developer.apple.com/documentation/quartzcore/catransitionsubtype/fromright · macOS 10.5, iOS 2.0
  public static let fromRight = CATransitionSubtype()
  // https://developer.apple.com/documentation/quartzcore/catransitionsubtype/fromtop · macOS 10.5, iOS 2.0
  public static let fromTop = CATransitionSubtype()
  // https://developer.apple.com/documentation/quartzcore/catransitionsubtype/frombottom · macOS 10.5, iOS 2.0
  public static let fromBottom = CATransitionSubtype()
}

// https://developer.apple.com/documentation/quartzcore/kcatransition · macOS 10.5, iOS 2.0
public let kCATransition = "transition"

// https://developer.apple.com/documentation/quartzcore/catransition · macOS 10.5, iOS 2.0
open class CATransition: CAAnimation {
  // https://developer.apple.com/documentation/quartzcore/catransition/type · macOS 10.5, iOS 2.0
  open var type: CATransitionType { get { .fade } set {} }
  // https://developer.apple.com/documentation/quartzcore/catransition/subtype · macOS 10.5, iOS 2.0
  open var subtype: CATransitionSubtype? { get { nil } set {} }
}

// https://developer.apple.com/documentation/quartzcore/catransaction · macOS 10.5, iOS 2.0
open class CATransaction: NSObject {
  // https://developer.apple.com/documentation/quartzcore/catransaction/begin() · macOS 10.5, iOS 2.0
  open class func begin() {}
  // https://developer.apple.com/documentation/quartzcore/catransaction/commit() · macOS 10.5, iOS 2.0
  open class func commit() {}
  // https://developer.apple.com/documentation/quartzcore/catransaction/setdisableactions(_:) · macOS 10.5, iOS 2.0
  open class func setDisableActions(_ flag: Bool) {}
}

// https://developer.apple.com/documentation/quartzcore/catransform3d · macOS 10.5, iOS 2.0
public struct CATransform3D: Sendable {
  public var m34: CGFloat = 0
}

// https://developer.apple.com/documentation/quartzcore/catransform3didentity · macOS 10.5, iOS 2.0
public let CATransform3DIdentity = CATransform3D()

// https://developer.apple.com/documentation/quartzcore/catransform3drotate(_:_:_:_:_:) · macOS 10.5, iOS 2.0
public func CATransform3DRotate(_ t: CATransform3D, _ angle: CGFloat, _ x: CGFloat, _ y: CGFloat, _ z: CGFloat) -> CATransform3D { t }

// https://developer.apple.com/documentation/quartzcore/catransform3dmakerotation(_:_:_:_:) · macOS 10.5, iOS 2.0
public func CATransform3DMakeRotation(_ angle: CGFloat, _ x: CGFloat, _ y: CGFloat, _ z: CGFloat) -> CATransform3D { CATransform3DIdentity }

// https://developer.apple.com/documentation/quartzcore/catransform3dmakescale(_:_:_:) · macOS 10.5, iOS 2.0
public func CATransform3DMakeScale(_ sx: CGFloat, _ sy: CGFloat, _ sz: CGFloat) -> CATransform3D { CATransform3DIdentity }

// https://developer.apple.com/documentation/quartzcore/catransform3dmaketranslation(_:_:_:) · macOS 10.5, iOS 2.0
public func CATransform3DMakeTranslation(_ tx: CGFloat, _ ty: CGFloat, _ tz: CGFloat) -> CATransform3D { CATransform3DIdentity }

// https://developer.apple.com/documentation/quartzcore/catransform3dconcat(_:_:) · macOS 10.5, iOS 2.0
public func CATransform3DConcat(_ a: CATransform3D, _ b: CATransform3D) -> CATransform3D { a }

// https://developer.apple.com/documentation/foundation/nsvalue/init(catransform3d:) · macOS 10.5, iOS 2.0
extension NSValue {
  public convenience init(caTransform3D t: CATransform3D) { self.init() }
}
