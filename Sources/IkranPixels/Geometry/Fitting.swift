/// The pixels a style needs before its edges are drawn: what a decoder has to produce.
///
/// Two styles with equal fittings share one decode.
public enum Fitting: Sendable, Hashable {
  /// Every pixel of the image, upright.
  case original
  /// Exactly this size: aspect kept, both sides covered, the surplus cut equally on both ends.
  case cover(PixelSize)
  /// The largest size of the image's own aspect inside this box, never below one pixel a side.
  case inside(PixelSize)
}
