#if canImport(UIKit)
import CoreGraphics
public import IkranPixels
public import UIKit

extension Bitmap {
  /// The picture for UIKit, over the same memory; nil when Core Graphics refuses it.
  ///
  /// See ``cgImage`` for what is copied.
  ///
  /// - Parameter scale: Pixels per point, such as that of the screen; a number that is not above
  ///   zero counts as 1.
  /// - Returns: An upright image.
  public func uiImage(scale: Double = 1) -> UIImage? {
    cgImage.map { image in
      UIImage(cgImage: image, scale: CGFloat(PointSize.usable(scale)), orientation: .up)
    }
  }
}
#endif
