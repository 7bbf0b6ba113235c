package import Ikran

/// A bitmap in a format that its host draws, and what the host has made of it.
@MainActor
package final class DrawableBitmap {
  /// The formats of a host that does not say others.
  package nonisolated static let formats: Set<PixelFormat> = [.bgra, .bgrx, .bgr]

  package let bitmap: Bitmap
  /// What it was made of.
  let source: Bitmap
  /// What draws it, such as a texture; the host makes it when it is first drawn.
  package var drawing: AnyObject?

  /// Takes a bitmap; one in no format of the host's is converted.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package init(
    _ bitmap: Bitmap,
    as formats: Set<PixelFormat> = DrawableBitmap.formats
  ) throws(BitmapError) {
    source = bitmap
    self.bitmap = try Self.drawable(bitmap, as: formats)
  }

  /// Takes a bitmap that was converted before, if it had to be.
  init(_ source: Bitmap, converted bitmap: Bitmap) { (self.source, self.bitmap) = (source, bitmap) }

  /// A bitmap in one of a host's formats.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  nonisolated static func drawable(
    _ bitmap: Bitmap,
    as formats: Set<PixelFormat>
  ) throws(BitmapError) -> Bitmap {
    if formats.contains(bitmap.format) { return bitmap }
    let isOpaque = !bitmap.format.hasAlpha
    return try bitmap.converted(to: !isOpaque ? .bgra : formats.contains(.bgr) ? .bgr : .bgrx)
  }
}
