import IkranPixels

extension Double {
  /// Whole pixels, halves away from zero; more than a picture can have become the most there are
  /// here, and what is no number 0.
  var pixels: Int { Self.bounded(rounded()) }

  /// Whole pixels, halves to the even ones, bounded as ``pixels``.
  var evenPixels: Int { Self.bounded(rounded(.toNearestOrEven)) }

  /// Far over every limit, and small enough that sums and doubles stay exact.
  static let mostPixels = 1 << 40

  private static func bounded(_ value: Double) -> Int {
    if value.isNaN { return 0 }
    let most = Double(mostPixels)
    return Int(Swift.min(Swift.max(value, -most), most))
  }
}

extension PixelSize {
  /// The sides with those of another size in place of its own that are 0.
  func filled(from whole: PixelSize) -> PixelSize {
    PixelSize(
      width: width == 0 ? whole.width : width,
      height: height == 0 ? whole.height : height
    )
  }

  /// The shorter of each side; a side of 0 of the other is open.
  func inside(_ other: PixelSize) -> PixelSize {
    let box = other.filled(from: self)
    return PixelSize(width: min(width, box.width), height: min(height, box.height))
  }

  /// The longer of each side.
  func around(_ other: PixelSize) -> PixelSize {
    PixelSize(width: max(width, other.width), height: max(height, other.height))
  }

  /// The longer side.
  var longest: Int { max(width, height) }
}
