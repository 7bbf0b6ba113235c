#if HEIC
import CHEIF
import IkranPixels

/// A decoded picture: a `heif_image` of red, green, blue and alpha.
struct HEICPixels: ~Copyable {
  private let image: OpaquePointer
  private let format: PixelFormat
  private let isPremultiplied: Bool
  /// What samples of two bytes become; nil for those of one.
  private let levels: SampleLevels?

  deinit { heif_image_release(image) }

  /// Owns an image from `heif_decode_image`.
  init(
    _ image: OpaquePointer,
    format: PixelFormat,
    isPremultiplied: Bool,
    levels: SampleLevels?
  ) {
    (self.image, self.format) = (image, format)
    (self.isPremultiplied, self.levels) = (isPremultiplied, levels)
  }

  /// Width and height.
  var size: PixelSize {
    PixelSize(
      width: Int(heif_image_get_width(image, heif_channel_interleaved)),
      height: Int(heif_image_get_height(image, heif_channel_interleaved))
    )
  }

  /// The bits of a sample that count.
  private var bits: Int {
    Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved))
  }

  /// Crops and scales the picture as `plan` says.
  func render(_ plan: RenderPlan, workspace: Workspace) throws(DecodeError) -> Bitmap {
    var bytesPerRow: CInt = 0
    let (size, bits) = (size, bits)
    guard let pixels = heif_image_get_plane_readonly(image, heif_channel_interleaved, &bytesPerRow),
      Int(bytesPerRow) >= size.width * (levels == nil ? 4 : 8), 8...16 ~= bits
    else { throw .bitmap(.outOfMemory(bytes: 0)) }
    var sink = try PixelSink.open(plan, rows: size, format: format, workspace: workspace)
    for y in sink.neededRows {
      let row = UnsafeRawPointer(pixels + y * Int(bytesPerRow))
      try sink.nextRow { (target) throws(DecodeError) in
        if let levels {
          let samples = UnsafeBufferPointer(
            start: row.assumingMemoryBound(to: UInt16.self),
            count: size.width * 4
          )
          levels.expandWords(samples, bits: bits, hasAlpha: format.hasAlpha, into: target)
        } else {
          swapRedAndBlue(row, into: target, width: size.width)
        }
        finish(target, isStraight: plan.keepsStraightColors)
      }
    }
    return try sink.finish()
  }

  /// Copies a row; words are little-endian.
  private func swapRedAndBlue(
    _ row: UnsafeRawPointer,
    into target: UnsafeMutableRawBufferPointer,
    width: Int
  ) {
    let source = row.assumingMemoryBound(to: UInt32.self)
    let words = target.bindMemory(to: UInt32.self)
    let opaque: UInt32 = format.hasAlpha ? 0 : 0xFF00_0000
    for x in 0..<min(width, words.count) {
      let word = source[x]
      words[x] = word & 0xFF00_FF00 | word >> 16 & 0xFF | (word & 0xFF) << 16 | opaque
    }
  }

  /// Makes what a row of the format holds.
  private func finish(_ row: UnsafeMutableRawBufferPointer, isStraight: Bool) {
    guard format.hasAlpha, isStraight == isPremultiplied else {
      if format.hasAlpha, isPremultiplied { limitToAlpha(row) }
      return
    }
    if isStraight { divideByAlpha(row) } else { premultiply(row) }
  }

  private func divideByAlpha(_ row: UnsafeMutableRawBufferPointer) {
    for x in stride(from: 0, to: row.count - 3, by: 4) where row[x + 3] < 255 {
      let alpha = Int(row[x + 3])
      for channel in x..<x + 3 {
        let color = alpha == 0 ? 0 : (Int(row[channel]) * 255 + alpha / 2) / alpha
        row[channel] = UInt8(min(color, 255))
      }
    }
  }
}
#endif
