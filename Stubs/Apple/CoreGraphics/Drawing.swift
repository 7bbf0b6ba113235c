// https://developer.apple.com/documentation/coregraphics/cgcolor · macOS 10.3, iOS 2.0
public final class CGColor: @unchecked Sendable {
  // https://developer.apple.com/documentation/coregraphics/cgcolor/init(gray:alpha:) · macOS 10.5, iOS 13.0
  public init(gray: CGFloat, alpha: CGFloat) {}
}

// https://developer.apple.com/documentation/coregraphics/cgaffinetransform · macOS 10.0, iOS 2.0 ?
public struct CGAffineTransform: Sendable {}

// https://developer.apple.com/documentation/coregraphics/cgpath · macOS 10.2, iOS 2.0 ?
public class CGPath {
  // https://developer.apple.com/documentation/coregraphics/cgpath/init(ellipsein:transform:) · macOS 10.7, iOS 5.0
  public init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {}
}
