extension UIView {
  // https://developer.apple.com/documentation/uikit/uiview/animationoptions · iOS 4.0
  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    // https://developer.apple.com/documentation/uikit/uiview/animationoptions/allowuserinteraction · iOS 4.0
    public static var allowUserInteraction: AnimationOptions { AnimationOptions(rawValue: 1 << 1) }
    // https://developer.apple.com/documentation/uikit/uiview/animationoptions/transitioncurlup · iOS 4.0
    public static var transitionCurlUp: AnimationOptions { AnimationOptions(rawValue: 3 << 20) }
    // https://developer.apple.com/documentation/uikit/uiview/animationoptions/transitioncurldown · iOS 4.0
    public static var transitionCurlDown: AnimationOptions { AnimationOptions(rawValue: 4 << 20) }
  }
  // https://developer.apple.com/documentation/uikit/uiview/transition(with:duration:options:animations:completion:) · iOS 4.0
  public class func transition(
    with view: UIView,
    duration: Double,
    options: UIView.AnimationOptions = [],
    animations: (() -> Void)?,
    completion: ((Bool) -> Void)? = nil
  ) {}
}
