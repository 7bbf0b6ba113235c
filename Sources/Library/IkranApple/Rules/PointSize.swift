package import IkranPixels

/// The size of a picture in points.
package struct PointSize: Sendable, Hashable {
  package let width: Double
  package let height: Double

  /// The points of a picture with `scale` pixels for each; a scale that is not above zero counts as
  /// one.
  package init(_ size: PixelSize, scale: Double) {
    let scale = Self.usable(scale)
    width = Double(size.width) / scale
    height = Double(size.height) / scale
  }

  /// Pixels per point; one for a number that is not above zero.
  package static func usable(_ scale: Double) -> Double {
    scale > 0 && scale.isFinite ? scale : 1
  }
}
