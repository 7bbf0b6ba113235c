/// The layout of a pixel's channels in memory.
public enum PixelFormat: UInt8, Sendable, Hashable, CaseIterable {
  /// Four bytes: blue, green, red, alpha; colours premultiplied by alpha.
  case bgra = 0
  /// Four bytes: blue, green, red, and one that is always 255.
  case bgrx = 1
  /// Three bytes: blue, green, red.
  case bgr = 2
  /// Two bytes, a little-endian word: blue in bits 0…4, green 5…9, red 10…14, bit 15 zero.
  case bgr555 = 3
  /// One byte of luma (BT.601).
  case gray = 4

  /// The bytes of one pixel.
  public var bytesPerPixel: Int {
    switch self {
    case .bgra, .bgrx: 4
    case .bgr: 3
    case .bgr555: 2
    case .gray: 1
    }
  }

  /// Whether the format stores transparency.
  public var hasAlpha: Bool { self == .bgra }

  /// Bytes per row of memory allocated here: the row's bytes rounded up to 64, or nil when that
  /// does not fit an `Int`.
  public func bytesPerRow(width: Int) -> Int? {
    let (bytes, overflow) = width.multipliedReportingOverflow(by: bytesPerPixel)
    let (padded, overflows) = bytes.addingReportingOverflow(63)
    return overflow || overflows || width < 0 ? nil : padded & ~63
  }
}
