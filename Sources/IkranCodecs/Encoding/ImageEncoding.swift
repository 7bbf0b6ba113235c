public import IkranPixels

/// A file format to encode pixels in, with its settings.
public enum ImageEncoding: Sendable, Hashable {
  /// PNG, lossless, with alpha.
  case png
  /// JPEG of the given quality, 1…100, chroma halved (4:2:0); alpha is composed over white.
  case jpeg(quality: Int = 85)
  /// Lossy WebP of the given quality, 0…100, with lossless alpha.
  case webp(quality: Int = 80)
  /// Lossless WebP with alpha.
  case webpLossless

  /// The format of the files this writes.
  public var format: ImageFormat {
    switch self {
    case .png: .png
    case .jpeg: .jpeg
    case .webp, .webpLossless: .webp
    }
  }

  /// The longest side the format can store, in pixels.
  var largestSide: Int {
    switch self {
    case .png: 0x7FFF_FFFF
    case .jpeg: 65_500
    case .webp, .webpLossless: 16_383
    }
  }
}

extension Bitmap {
  /// The pixels as the bytes of an image file.
  ///
  /// Cost: makes one straight-alpha copy of the pixels when they have alpha or a packed format.
  ///
  /// - Throws: ``EncodeError`` when the format cannot store the size or memory runs out.
  public func encoded(as encoding: ImageEncoding) throws(EncodeError) -> [UInt8] {
    let largest = encoding.largestSide
    guard max(width, height) <= largest else {
      throw .tooLarge(encoding.format, size, largestSide: largest)
    }
    return switch encoding {
    case .png: try PNGWriterHandle.encode(self)
    case .jpeg(let quality): try JPEGWriterHandle.encode(self, quality: quality)
    case .webp(let quality): try WebPWriterHandle.encode(self, quality: quality)
    case .webpLossless: try WebPWriterHandle.encode(self, quality: nil)
    }
  }
}
