/// A rectangle in pixel coordinates; its edges may fall between pixels.
///
/// Pixel (0, 0) covers the square from 0 to 1 on both axes.
public struct PixelArea: Sendable, Hashable {
  /// The left edge.
  public let x: Double
  /// The top edge.
  public let y: Double
  /// The distance from the left edge to the right one.
  public let width: Double
  /// The distance from the top edge to the bottom one.
  public let height: Double

  /// Creates an area; functions that use it refuse one outside their image.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The area of a whole image.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }
}
