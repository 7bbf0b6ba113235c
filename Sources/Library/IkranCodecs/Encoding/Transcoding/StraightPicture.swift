import IkranPixels

// Decision 69: what is neither resized nor drawn keeps its straight colours.
/// Pixels with straight alpha, as a file stores them: blue, green, red and alpha.
struct StraightPicture {
  /// Its colours are not premultiplied, whatever its format says.
  private let bitmap: Bitmap

  /// Wraps pixels that a plan with ``RenderPlan/keepsStraightColors`` has brought.
  init(_ bitmap: Bitmap) { self.bitmap = bitmap }

  /// The pixels as the bytes of a file; nil for formats that do not store straight alpha.
  func encoded(as encoding: ImageEncoding) throws(EncodeError) -> [UInt8]? {
    try encoding.check(bitmap.size)
    switch encoding {
    case .png:
      let writer = try PNGWriterHandle(bitmap.size, .straight)
      try writer.append(bitmap)
      return try writer.finish()
    case .bmp:
      let writer = try BMPWriterHandle(bitmap.size, .straight)
      try writer.append(bitmap)
      return try writer.finish()
    case .webp(let quality): return try WebPWriter.encode(straight: bitmap, quality: quality)
    case .webpLossless: return try WebPWriter.encode(straight: bitmap, quality: nil)
    #if AVIF
    case .avif(let quality, let alphaQuality, let speed):
      let settings =
        AVIFWriter.Settings(quality: quality, alphaQuality: alphaQuality, speed: speed)
      let pixels: [UInt8]
      do throws(BitmapError) { pixels = try rgba() } catch { throw .bitmap(error) }
      return try AVIFWriter.encode(pixels, of: bitmap, settings)
    #else
    case .avif: return nil
    #endif
    case .jpegXL, .jpegXLLossless:
      let pixels: [UInt8]
      do throws(BitmapError) { pixels = try rgba() } catch { throw .bitmap(error) }
      return try JXLWriter.encode(
        pixels,
        JXLCanvas(size: bitmap.size, hasAlpha: bitmap.format.hasAlpha),
        settings: JXLSettings(encoding)
      )
    case .jpeg, .gif: return nil
    }
  }

  /// Red, green, blue and alpha, rows without padding.
  func rgba() throws(BitmapError) -> [UInt8] {
    guard let pixels = bitmap.size.pixelCount else { throw .invalidSize(bitmap.size) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pixels.multipliedReportingOverflow(by: 4).partialValue)
    for y in 0..<bitmap.height {
      bitmap.withRow(y) { row in
        for x in stride(from: 0, to: row.count, by: 4) {
          bytes.append(row[x + 2])
          bytes.append(row[x + 1])
          bytes.append(row[x])
          bytes.append(row[x + 3])
        }
      }
    }
    return bytes
  }
}
