/// A rectangle of whole pixels.
public struct PixelRectangle: Sendable, Hashable {
  /// The column on the left and the row at the top, counted from 0.
  public let x, y: Int
  /// How many columns and rows it has.
  public let size: PixelSize

  /// Creates a rectangle; functions that use it refuse one that is empty or reaches outside their
  /// picture.
  public init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y) = (x, y)
    size = PixelSize(width: width, height: height)
  }

  /// Whether it has pixels, and a picture of `whole` has all of them.
  public func isInside(_ whole: PixelSize) -> Bool {
    size.isPositive && x >= 0 && y >= 0 && size.width <= whole.width && size.height <= whole.height
      && x <= whole.width - size.width && y <= whole.height - size.height
  }
}

extension PixelRectangle: CustomStringConvertible {
  /// Left, top and size, as `x,y width×height`.
  public var description: String { "\(x),\(y) \(size)" }
}
