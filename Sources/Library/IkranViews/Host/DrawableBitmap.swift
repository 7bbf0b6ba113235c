package import Ikran

/// A bitmap in a format that hosts draw, and what its host has made of it.
@MainActor
package final class DrawableBitmap {
  package let bitmap: Bitmap
  /// What draws it, such as a texture; the host makes it when it is first drawn.
  package var drawing: AnyObject?

  /// Takes a bitmap; one that hosts cannot draw is converted.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package init(_ bitmap: Bitmap) throws(BitmapError) { self.bitmap = try Self.drawable(bitmap) }

  /// A bitmap in a format that hosts draw.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  nonisolated static func drawable(_ bitmap: Bitmap) throws(BitmapError) -> Bitmap {
    switch bitmap.format {
    case .bgra, .bgrx, .bgr: bitmap
    case .bgr555, .gray: try bitmap.converted(to: .bgr)
    }
  }
}
