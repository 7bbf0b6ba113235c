public import IkranPixels

/// A file format to encode pixels in, with its settings.
///
/// All but JPEG, AVIF and BMP store animations too.
public enum ImageEncoding: Sendable, Hashable {
  /// PNG, lossless, with alpha; of an animation an animated PNG.
  case png
  /// JPEG of the given quality, 1…100, chroma halved (4:2:0); alpha is composed over white.
  case jpeg(quality: Int = 85)
  /// Lossy WebP of the given quality, 0…100, with lossless alpha.
  case webp(quality: Int = 80)
  /// Lossless WebP with alpha.
  case webpLossless
  /// GIF: 256 colours per frame at most, and pixels that are opaque or clear.
  ///
  /// A frame with no more colours keeps them exactly; one with more gets the palette that fits it
  /// best, and is dithered. Pixels whose alpha is below a half are clear, which counts as a colour.
  case gif
  /// AVIF of the given qualities, 0…100, of colours and of alpha: 100 loses nothing, and below 90
  /// chroma is halved (4:2:0).
  ///
  /// A `speed` of 0…10 makes smaller files or writes them faster. Only a build whose trait `AVIF`
  /// is on writes them.
  case avif(quality: Int = 65, alphaQuality: Int = 100, speed: Int = 6)
  /// BMP, uncompressed, with alpha: the fastest to write and to read, and the largest.
  case bmp
  /// Lossy JPEG XL of the given quality, 0…100, with alpha, in builds whose trait `JXL` is on.
  ///
  /// An effort, 1…9, that is greater takes longer and makes smaller files.
  case jpegXL(quality: Int = 85, effort: Int = 5)
  /// Lossless JPEG XL with alpha, in builds whose trait `JXL` is on; see
  /// ``jpegXL(quality:effort:)`` for the effort.
  case jpegXLLossless(effort: Int = 5)

  /// The format of the files this writes.
  public var format: ImageFormat {
    switch self {
    case .png: .png
    case .jpeg: .jpeg
    case .webp, .webpLossless: .webp
    case .gif: .gif
    case .avif: .avif
    case .bmp: .bmp
    case .jpegXL, .jpegXLLossless: .jpegXL
    }
  }

  /// Whether a file may have several frames.
  public var storesAnimations: Bool {
    switch self {
    case .png, .webp, .webpLossless, .gif, .jpegXL, .jpegXLLossless: true
    case .jpeg, .avif, .bmp: false
    }
  }

  /// The longest side the format can store, in pixels.
  var largestSide: Int {
    switch self {
    case .png, .bmp: 0x7FFF_FFFF
    case .jpeg: 65_500
    case .webp, .webpLossless: 16_383
    case .gif, .avif: 65_535
    case .jpegXL, .jpegXLLossless: 0x3FFF_FFFF
    }
  }

  func check(_ size: PixelSize) throws(EncodeError) {
    guard max(size.width, size.height) <= largestSide else {
      throw .tooLarge(format, size, largestSide: largestSide)
    }
  }
}

extension Bitmap {
  /// The pixels as the bytes of an image file, with their ``profile`` if they have one; one of
  /// ``PixelFormat/gray`` is left out.
  ///
  /// Cost: makes one straight-alpha copy of the pixels when they have alpha or a packed format; GIF
  /// needs four.
  ///
  /// - Throws: ``EncodeError`` when the format cannot store the size or memory runs out.
  public func encoded(as encoding: ImageEncoding) throws(EncodeError) -> [UInt8] {
    try encoding.check(size)
    let file =
      switch encoding {
      case .png: try PNGWriterHandle.encode(self)
      case .jpeg(let quality): try JPEGWriterHandle.encode(self, quality: quality)
      case .webp(let quality): try WebPWriter.encode(self, quality: quality)
      case .webpLossless: try WebPWriter.encode(self, quality: nil)
      case .gif: try GIFFrameWriter.encode(self)
      case .avif: try encodedAsAVIF(encoding)
      case .bmp: try BMPWriterHandle.encode(self)
      case .jpegXL, .jpegXLLossless: try JXLWriter.encode(self, JXLSettings(encoding))
      }
    // Profiles of colours do not describe grays; the writer of AVIF has already written it.
    guard let profile, format != .gray, encoding.format != .avif else { return file }
    let size = size
    return try EncodedProfile.insert(
      profile.bytes,
      into: file,
      format: encoding.format,
      size: size
    )
  }
}

extension Bitmap {
  /// What ``ImageEncoding/avif(quality:alphaQuality:speed:)`` asks for.
  private func encodedAsAVIF(_ encoding: ImageEncoding) throws(EncodeError) -> [UInt8] {
    #if AVIF
    if let settings = AVIFWriter.Settings(encoding) {
      return try AVIFWriter.encode(self, settings)
    }
    #endif
    throw .failed(.avif, reason: "this build does not write AVIF")
  }
}
