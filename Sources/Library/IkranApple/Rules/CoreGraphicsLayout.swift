package import IkranPixels

/// What Core Graphics calls the pixels of a bitmap: the numbers that a `CGImage` is made with.
///
/// They are plain values, so that they can be checked where Core Graphics is not.
package struct CoreGraphicsLayout: Sendable, Hashable {
  /// A colour space by the name that Core Graphics has for it.
  package enum ColorSpace: Sendable, Hashable {
    /// `kCGColorSpaceSRGB`.
    case sRGB
    /// `kCGColorSpaceGenericGrayGamma2_2`, whose curve is next to that of sRGB.
    case grayGamma22
  }

  /// Bits of one channel.
  package let bitsPerComponent: Int
  /// Bits from one pixel to the next.
  package let bitsPerPixel: Int
  /// The raw value of `CGBitmapInfo`: where alpha is, and the order of bytes.
  package let bitmapInfo: UInt32
  /// What the colours of a bitmap without a profile stand for.
  package let colorSpace: ColorSpace

  /// The numbers of a format; nil for one that Core Graphics does not have.
  package init?(_ format: PixelFormat) {
    bitsPerPixel = format.bytesPerPixel * 8
    bitsPerComponent = format == .bgr555 ? 5 : 8
    colorSpace = format == .gray ? .grayGamma22 : .sRGB
    switch format {
    case .bgra: bitmapInfo = AlphaInfo.premultipliedFirst | ByteOrder.little32
    case .bgrx: bitmapInfo = AlphaInfo.noneSkipFirst | ByteOrder.little32
    case .bgr555: bitmapInfo = AlphaInfo.noneSkipFirst | ByteOrder.little16
    case .gray: bitmapInfo = AlphaInfo.none
    case .bgr: return nil
    }
  }

  /// The formats whose memory is shared with Core Graphics.
  package static let formats = Set(PixelFormat.allCases.filter { !copies($0) })

  /// Whether the pixels of a format have to be copied into another one for Core Graphics.
  ///
  /// These are the 24 bits of ``/IkranPixels/PixelFormat/bgr``: Core Graphics has them in the order
  /// of red, green and blue alone, and draws them by a copy all the same.
  package static func copies(_ format: PixelFormat) -> Bool { shared(for: format) != format }

  /// The format whose memory is shared with Core Graphics for pixels of another one.
  package static func shared(for format: PixelFormat) -> PixelFormat {
    format == .bgr ? .bgrx : format
  }

  /// Whether a picture may have transparent pixels, by the raw value of its `CGImageAlphaInfo`.
  package static func hasAlpha(_ info: UInt32) -> Bool {
    ![AlphaInfo.none, AlphaInfo.noneSkipLast, AlphaInfo.noneSkipFirst].contains(info)
  }
}

/// Raw values of `CGImageAlphaInfo`.
private enum AlphaInfo {
  static let none: UInt32 = 0
  static let premultipliedFirst: UInt32 = 2
  static let noneSkipLast: UInt32 = 5
  static let noneSkipFirst: UInt32 = 6
}

/// Raw values of `CGBitmapInfo`'s orders of bytes.
private enum ByteOrder {
  static let little16: UInt32 = 1 << 12
  static let little32: UInt32 = 2 << 12
}
