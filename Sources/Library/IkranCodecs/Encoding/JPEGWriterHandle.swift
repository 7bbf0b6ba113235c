#if CLibraries
import CIkranCodecs
import IkranPixels

/// Writes JPEG with libjpeg-turbo, row by row.
final class JPEGWriterHandle: RowWriter {
  /// Larger pictures get the standard's codes: for others, three bytes would be kept for each
  /// pixel, to save a few hundredths of the file.
  static let mostOptimized = 16_000_000

  private let settings: ikran_jpeg_settings
  private let colors: RowColors
  private var writer: OpaquePointer?
  /// A row over white.
  private var row: [UInt8]

  /// A writer of rows of four bytes a pixel, of quality 1…100; alpha is composed over white.
  ///
  /// - Throws: ``EncodeError`` when a side is too long.
  convenience init(_ size: PixelSize, _ colors: RowColors, quality: Int) throws(EncodeError) {
    try self.init(size, colors, channels: 4, quality: quality)
  }

  private init(
    _ size: PixelSize,
    _ colors: RowColors,
    channels: CInt,
    quality: Int
  ) throws(EncodeError) {
    try ImageEncoding.jpeg().check(size)
    guard size.isPositive, let pixels = size.pixelCount else { throw .bitmap(.invalidSize(size)) }
    settings = ikran_jpeg_settings(
      width: UInt32(size.width),
      height: UInt32(size.height),
      channels: channels,
      quality: CInt(min(max(quality, 1), 100)),
      is_optimized: pixels <= Self.mostOptimized ? 1 : 0
    )
    self.colors = colors
    row = [UInt8](repeating: 0, count: colors == .opaque ? 0 : size.width * 4)
    try begin()
  }

  deinit { ikran_jpeg_write_close(writer) }

  func begin() throws(EncodeError) {
    ikran_jpeg_write_close(writer)
    writer = ikran_jpeg_write_open(settings)
    if writer == nil { throw .bitmap(.outOfMemory(bytes: 0)) }
  }

  func append(_ pixels: UnsafeRawBufferPointer) throws(EncodeError) {
    let (colors, writer) = (colors, writer)
    let isWritten =
      colors == .opaque
      ? Self.write(pixels, to: writer)
      : row.withUnsafeMutableBytes { row in
        if colors == .premultiplied {
          Self.composeOverWhite(pixels, row)
        } else {
          Self.blendOverWhite(pixels, row)
        }
        return Self.write(UnsafeRawBufferPointer(row), to: writer)
      }
    guard isWritten else { throw fault() }
  }

  func finish() throws(EncodeError) -> [UInt8] {
    var count = 0
    guard let writer, let bytes = ikran_jpeg_write_finish(writer, &count) else { throw fault() }
    return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Premultiplied colours only need 255 - alpha added.
  private static func composeOverWhite(
    _ pixels: UnsafeRawBufferPointer,
    _ row: UnsafeMutableRawBufferPointer
  ) {
    for start in stride(from: 0, to: min(pixels.count, row.count), by: 4) {
      let white = 255 - Int(pixels[start + 3])
      for channel in start..<start + 3 {
        // A colour above its alpha is not premultiplied; it must not overflow either.
        row[channel] = UInt8(clamping: Int(pixels[channel]) + white)
      }
    }
  }

  private static func blendOverWhite(
    _ pixels: UnsafeRawBufferPointer,
    _ row: UnsafeMutableRawBufferPointer
  ) {
    for start in stride(from: 0, to: min(pixels.count, row.count), by: 4) {
      let alpha = Int(pixels[start + 3])
      for channel in start..<start + 3 {
        row[channel] = UInt8((Int(pixels[channel]) * alpha + 255 * (255 - alpha) + 127) / 255)
      }
    }
  }

  private static func write(_ row: UnsafeRawBufferPointer, to writer: OpaquePointer?) -> Bool {
    guard let writer, let start = row.baseAddress else { return false }
    return ikran_jpeg_write_row(writer, start.assumingMemoryBound(to: UInt8.self)) != 0
  }

  private func fault() -> EncodeError {
    guard let writer else { return .bitmap(.outOfMemory(bytes: 0)) }
    return .failed(.jpeg, reason: ikran_jpeg_write_fault(writer).pointee.reason)
  }
}

extension JPEGWriterHandle {
  /// Encodes a bitmap.
  static func encode(_ bitmap: Bitmap, quality: Int) throws(EncodeError) -> [UInt8] {
    let isGray = bitmap.format == .gray
    let writer = try JPEGWriterHandle(
      bitmap.size,
      RowColors(bitmap.format),
      channels: isGray ? 1 : 4,
      quality: quality
    )
    guard isGray else {
      try writer.append(bitmap)
      return try writer.finish()
    }
    try bitmap.withUnsafeBytes { (bytes) throws(EncodeError) in
      for y in 0..<bitmap.height {
        let row = bytes[(y * bitmap.bytesPerRow)...].prefix(bitmap.width)
        try writer.append(UnsafeRawBufferPointer(rebasing: row))
      }
    }
    return try writer.finish()
  }
}
#endif
