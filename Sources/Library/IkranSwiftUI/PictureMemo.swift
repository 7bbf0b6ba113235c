import CoreGraphics
import IkranApple
import IkranPixels
import SwiftUI

/// The picture that was made last: SwiftUI asks for a view's body more often than it changes.
@MainActor
final class PictureMemo {
  private var last: (bitmap: Bitmap, image: CGImage)?

  /// The picture for SwiftUI; nil when Core Graphics refuses it.
  func image(of bitmap: Bitmap, scale: CGFloat) -> Image? {
    if let last, last.bitmap.sharesPixels(with: bitmap) {
      return Image(decorative: last.image, scale: scale)
    }
    guard let image = bitmap.cgImage else { return nil }
    last = (bitmap, image)
    return Image(decorative: image, scale: scale)
  }
}
