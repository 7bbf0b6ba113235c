/// A size in whole pixels.
public struct PixelSize: Sendable, Hashable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int

  /// Creates a size; functions that use it refuse a size below 1 × 1.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Whether both sides are at least one pixel.
  public var isPositive: Bool { width > 0 && height > 0 }

  /// The size with its axes exchanged.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// The number of pixels, or nil when the product does not fit an `Int`.
  public var pixelCount: Int? {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? nil : product
  }
}

extension PixelSize: CustomStringConvertible {
  /// The size as `width×height`.
  public var description: String { "\(width)×\(height)" }
}
