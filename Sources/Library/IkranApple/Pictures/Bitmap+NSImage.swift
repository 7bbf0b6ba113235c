#if canImport(AppKit) && !canImport(UIKit)
public import AppKit
import CoreGraphics
public import IkranPixels

extension Bitmap {
  /// The picture for AppKit, over the same memory; nil when Core Graphics refuses it.
  ///
  /// See ``cgImage`` for what is copied.
  ///
  /// - Parameter scale: Pixels per point, such as that of the window; a number that is not above
  ///   zero counts as 1.
  /// - Returns: An image of as many points.
  public func nsImage(scale: Double = 1) -> NSImage? {
    let points = PointSize(size, scale: scale)
    let size = CGSize(width: CGFloat(points.width), height: CGFloat(points.height))
    return cgImage.map { NSImage(cgImage: $0, size: size) }
  }
}
#endif
