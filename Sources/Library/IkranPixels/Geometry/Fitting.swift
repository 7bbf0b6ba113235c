/// The pixels a decoder has to produce for a style, before its edges are drawn.
///
/// Two styles with equal fittings share one decode.
public enum Fitting: Sendable, Hashable {
  /// Every pixel of the image, upright.
  case original
  /// Exactly this size: the aspect is kept, both sides are covered and the rest is cropped equally
  /// on both ends.
  ///
  /// Where nothing is resized, the crop starts at a whole pixel: an odd rest leaves one pixel more
  /// on the right or at the bottom.
  case cover(PixelSize)
  /// The largest size with the image's aspect inside this box, at least one pixel per side.
  ///
  /// Unless it enlarges, an image that fits into the box as it is keeps its size.
  case inside(PixelSize, enlarges: Bool = true)
  /// The smallest size with the image's aspect around this box; less where a side would be over
  /// 16,384 pixels.
  ///
  /// Unless it enlarges, an image that does not exceed the box on both sides keeps its size.
  case around(PixelSize, enlarges: Bool = true)
  /// A rectangle of the upright image, in its pixels, at exactly this size: pixel for pixel when
  /// both are equally large.
  ///
  /// Resizing looks a few pixels beyond the rectangle's edges, so that tiles fit together. An
  /// isolated one has the pixels that it would have as a picture of its own: the image around it,
  /// such as the other cells of a sprite, does not matter.
  ///
  /// Decoders read no more of the file than they have to. See `RegionDecoder` for many rectangles
  /// of one large image.
  case region(PixelRectangle, PixelSize, isolated: Bool = false)

  /// The size of the result where it is the same for every image.
  package var fixedSize: PixelSize? {
    switch self {
    case .cover(let size), .region(_, let size, _): size
    case .original, .inside, .around: nil
    }
  }

  /// Refuses a region that is not inside an image of `upright` pixels, or has no size.
  ///
  /// - Throws: ``BitmapError/outside(_:of:)``, ``BitmapError/invalidSize(_:)``.
  package func check(in upright: PixelSize) throws(BitmapError) {
    guard case .region(let region, let size, _) = self else { return }
    guard region.isInside(upright) else { throw .outside(region, of: upright) }
    guard size.isPositive else { throw .invalidSize(size) }
  }
}
