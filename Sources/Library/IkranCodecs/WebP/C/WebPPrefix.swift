#if CLibraries
import CWebP
import IkranPixels

/// What is there of a WebP still: libwebp's incremental decoder, given all bytes at once.
enum WebPPrefix {
  /// Decodes the rows that are there, crops and scales as `plan` says, in stored orientation; the
  /// rest is clear.
  ///
  /// - Returns: The pixels, and how many rows of the stored picture are there; nil for none.
  static func render(
    _ bytes: Span<UInt8>,
    plan: RenderPlan,
    info: ImageInfo,
    reduction: WebPReduction,
    workspace: Workspace
  ) throws(DecodeError) -> (picture: Bitmap, rows: Int)? {
    let (stored, size) = (info.size, reduction.size)
    var picture = try Canvas.decoding(size, .bgra, zeroed: true)
    let bytesPerRow = picture.bytesPerRow
    let rows = try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try picture.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
        let rows = try decode(buffer, stored, to: size, into: pixels, bytesPerRow: bytesPerRow)
        finish(pixels, size, rows: rows, bytesPerRow: bytesPerRow, info: info)
        return rows
      }
    }
    guard rows > 0 else { return nil }
    let rest = size == stored ? plan : plan.scaled(to: size, from: stored)
    let drawn = try PixelSink.render(picture, rest, workspace: workspace)
    return (drawn, rows == size.height ? stored.height : rows * stored.height / size.height)
  }

  /// `WebPINewDecoder`, `WebPIUpdate`; returns how many rows there are.
  private static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ stored: PixelSize,
    to size: PixelSize,
    into pixels: UnsafeMutableRawBufferPointer,
    bytesPerRow: Int
  ) throws(DecodeError) -> Int {
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .unsupported(.webp, feature: "another version of libwebp")
    }
    let status = WebPGetFeatures(bytes.baseAddress, bytes.count, &config.input)
    guard status == VP8_STATUS_OK, Int(config.input.width) == stored.width,
      Int(config.input.height) == stored.height
    else { return 0 }
    if size != stored {
      config.options.use_scaling = 1
      config.options.scaled_width = CInt(clamping: size.width)
      config.options.scaled_height = CInt(clamping: size.height)
    }
    config.output.colorspace = MODE_BGRA
    config.output.is_external_memory = 1
    config.output.u.RGBA = WebPRGBABuffer(
      rgba: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
      stride: CInt(clamping: bytesPerRow),
      size: pixels.count
    )
    // The decoder keeps a pointer to the configuration.
    return withUnsafeMutablePointer(to: &config) { config in
      guard let decoder = WebPIDecode(nil, 0, config) else { return 0 }
      defer { WebPIDelete(decoder) }
      let status = WebPIUpdate(decoder, bytes.baseAddress, bytes.count)
      guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else { return 0 }
      var rows: CInt = 0
      guard WebPIDecGetRGB(decoder, &rows, nil, nil, nil) != nil else { return 0 }
      return min(max(Int(rows), 0), size.height)
    }
  }

  /// Premultiplies the rows that are there, and clears the others.
  private static func finish(
    _ pixels: UnsafeMutableRawBufferPointer,
    _ size: PixelSize,
    rows: Int,
    bytesPerRow: Int,
    info: ImageInfo
  ) {
    let end = rows * bytesPerRow
    _ = UnsafeMutableRawBufferPointer(rebasing: pixels[end...])
      .initializeMemory(as: UInt8.self, repeating: 0)
    guard rows > 0 else { return }
    let there = UnsafeMutableRawBufferPointer(rebasing: pixels[..<end])
    let part = PixelSize(width: size.width, height: rows)
    if info.hasAlpha {
      premultiply(there, part, bytesPerRow: bytesPerRow)
    } else {
      // Files without loss may store any alpha and say it is unused.
      makeOpaque(there, part, bytesPerRow: bytesPerRow)
    }
  }
}
#endif
