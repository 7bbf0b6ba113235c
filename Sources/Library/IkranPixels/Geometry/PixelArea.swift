/// A rectangle in pixel coordinates; its edges may fall between pixels.
///
/// Pixel (0, 0) covers the square from 0 to 1 on both axes.
package struct PixelArea: Sendable, Hashable {
  /// The left edge.
  package let x: Double
  /// The top edge.
  package let y: Double
  /// The distance from the left edge to the right one.
  package let width: Double
  /// The distance from the top edge to the bottom one.
  package let height: Double

  /// Creates an area; functions that use it refuse one outside their image.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The area of a whole image.
  package init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  /// The area of a rectangle of whole pixels.
  package init(_ rectangle: PixelRectangle) {
    self.init(
      x: Double(rectangle.x),
      y: Double(rectangle.y),
      width: Double(rectangle.size.width),
      height: Double(rectangle.size.height)
    )
  }
}
