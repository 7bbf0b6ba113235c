#if SVG
import IkranPixels

/// The part of a document's coordinates that it shows at its own size, of whole pixels of CSS.
struct SVGArea {
  let x: Double
  let y: Double
  let width: Double
  let height: Double
  /// What shares of the width and the height refer to.
  let viewport: (width: Double, height: Double)

  /// The most pixels of a side where the document's own size counts.
  static let longestSide = 4096.0

  /// Rounds the sides up.
  ///
  /// - Throws: ``DecodeError/malformed(_:offset:reason:)`` when there is no area.
  init(
    x: Double = 0,
    y: Double = 0,
    width: Double,
    height: Double,
    viewport: (width: Double, height: Double)? = nil
  ) throws(DecodeError) {
    // Comparisons with NaN are false.
    guard width > 0, height > 0, max(width, height) <= 1e12, max(abs(x), abs(y)) <= 1e12 else {
      throw .malformed(.svg, offset: 0, reason: "it has no size, or an impossible one")
    }
    (self.x, self.y) = (x, y)
    (self.width, self.height) = (width.rounded(.up), height.rounded(.up))
    self.viewport = viewport ?? (self.width, self.height)
  }

  /// The document's own size in pixels; scaled down when a side would be too long.
  var size: PixelSize {
    let factor = min(1, Self.longestSide / max(width, height))
    return PixelSize(
      width: max(1, Int((width * factor).rounded())),
      height: max(1, Int((height * factor).rounded()))
    )
  }
}
#endif
