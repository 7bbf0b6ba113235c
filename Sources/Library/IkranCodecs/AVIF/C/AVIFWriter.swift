#if AVIF
import CAVIF
import IkranPixels

/// Writes AVIF with libavif, on the caller's thread alone.
struct AVIFWriter: ~Copyable {
  /// How a picture is coded.
  struct Settings {
    /// 0…100; 100 loses nothing.
    var quality: Int
    var alphaQuality: Int
    /// 0…10, from the smallest file to the fastest writer.
    var speed: Int
  }

  private let encoder: UnsafeMutablePointer<avifEncoder>
  private let settings: Settings

  deinit { avifEncoderDestroy(encoder) }

  private init(_ encoder: UnsafeMutablePointer<avifEncoder>, _ settings: Settings) {
    self.encoder = encoder
    self.settings = settings
    encoder.pointee.maxThreads = 1
    encoder.pointee.speed = CInt(min(max(settings.speed, 0), 10))
    let (colors, alpha) = (Self.quantizer(settings.quality), Self.quantizer(settings.alphaQuality))
    encoder.pointee.minQuantizer = colors
    encoder.pointee.maxQuantizer = colors
    encoder.pointee.minQuantizerAlpha = alpha
    encoder.pointee.maxQuantizerAlpha = alpha
  }

  /// The pixels of a bitmap as a file, with its profile.
  static func encode(_ bitmap: Bitmap, _ settings: Settings) throws(EncodeError) -> [UInt8] {
    let pixels: [UInt8]
    do throws(BitmapError) { pixels = try bitmap.straightRGBA() } catch { throw .bitmap(error) }
    return try encode(pixels, of: bitmap, settings)
  }

  /// Encodes pixels whose colours are not premultiplied, whatever the format of the bitmap says.
  ///
  /// - Parameters:
  ///   - pixels: Red, green, blue and alpha, rows without padding.
  ///   - bitmap: What else is written of it: its size, its profile, and whether it has alpha.
  ///   - settings: How it is coded.
  /// - Returns: The file.
  /// - Throws: ``EncodeError``.
  static func encode(
    _ pixels: [UInt8],
    of bitmap: Bitmap,
    _ settings: Settings
  ) throws(EncodeError) -> [UInt8] {
    guard let encoder = avifEncoderCreate() else { throw .bitmap(.outOfMemory(bytes: 0)) }
    let writer = AVIFWriter(encoder, settings)
    let chroma = writer.chroma(of: bitmap)
    guard
      let image = avifImageCreate(UInt32(bitmap.width), UInt32(bitmap.height), 8, chroma)
    else { throw .bitmap(.outOfMemory(bytes: 0)) }
    defer { avifImageDestroy(image) }
    image.pointee.colorPrimaries = avifColorPrimaries(AVIF_COLOR_PRIMARIES_BT709)
    image.pointee.transferCharacteristics =
      avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
    let isExact = settings.quality >= 100 && chroma == AVIF_PIXEL_FORMAT_YUV444
    image.pointee.matrixCoefficients =
      avifMatrixCoefficients(
        isExact ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601
      )
    // Profiles of colours do not describe grays.
    if let profile = bitmap.profile, bitmap.format != .gray {
      avifImageSetProfileICC(image, profile.bytes, profile.bytes.count)
    }
    try writer.load(pixels, into: image, hasAlpha: bitmap.format.hasAlpha)
    return try writer.write(image)
  }

  /// Four pixels share the colours of one below a quality where that can be seen.
  private func chroma(of bitmap: Bitmap) -> avifPixelFormat {
    if bitmap.format == .gray { return AVIF_PIXEL_FORMAT_YUV400 }
    return settings.quality >= 90 ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
  }

  /// The step of AV1 for a quality, 0…63, as newer versions of libavif choose it.
  private static func quantizer(_ quality: Int) -> CInt {
    CInt(((100 - min(max(quality, 0), 100)) * 63 + 50) / 100)
  }

  /// `avifImageRGBToYUV`.
  private func load(
    _ pixels: [UInt8],
    into image: UnsafeMutablePointer<avifImage>,
    hasAlpha: Bool
  ) throws(EncodeError) {
    var rgb = avifRGBImage()
    avifRGBImageSetDefaults(&rgb, image)
    rgb.depth = 8
    rgb.format = AVIF_RGB_FORMAT_RGBA
    rgb.ignoreAlpha = hasAlpha ? 0 : 1
    rgb.rowBytes = rgb.width * 4
    let result = pixels.withUnsafeBufferPointer { source in
      // It is only read.
      rgb.pixels = UnsafeMutablePointer(mutating: source.baseAddress)
      return avifImageRGBToYUV(image, &rgb)
    }
    try check(result)
  }

  /// `avifEncoderWrite`.
  private func write(_ image: UnsafeMutablePointer<avifImage>) throws(EncodeError) -> [UInt8] {
    var output = avifRWData()
    defer { avifRWDataFree(&output) }
    try check(avifEncoderWrite(encoder, image, &output))
    return [UInt8](UnsafeBufferPointer(start: output.data, count: output.size))
  }

  private func check(_ result: avifResult) throws(EncodeError) {
    switch result {
    case AVIF_RESULT_OK: return
    case AVIF_RESULT_OUT_OF_MEMORY: throw .bitmap(.outOfMemory(bytes: 0))
    default: throw .failed(.avif, reason: String(cString: avifResultToString(result)))
    }
  }
}

extension AVIFWriter.Settings {
  /// Those of an encoding; nil for another format.
  init?(_ encoding: ImageEncoding) {
    guard case .avif(let quality, let alphaQuality, let speed) = encoding else { return nil }
    self.init(quality: quality, alphaQuality: alphaQuality, speed: speed)
  }
}
#endif
