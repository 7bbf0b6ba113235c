/// The pixels a decoder has to produce for a style, before its edges are drawn.
///
/// Two styles with equal fittings share one decode.
public enum Fitting: Sendable, Hashable {
  /// Every pixel of the image, upright.
  case original
  /// Exactly this size: the aspect is kept, both sides are covered and the rest is cropped equally
  /// on both ends.
  case cover(PixelSize)
  /// The largest size with the image's aspect inside this box, at least one pixel per side.
  case inside(PixelSize)
}
