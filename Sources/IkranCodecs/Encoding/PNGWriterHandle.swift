import CIkranCodecs
import CIkranKernels
import IkranPixels

/// Writes PNG: rows filtered here, compressed by libdeflate or zlib; larger pictures with libpng.
enum PNGWriterHandle {
  /// Pictures of more bytes are written by libpng, which needs memory for a few rows only.
  static let largestRows = 64 << 20
  /// zlib's default: level 9 takes twice as long and saves a percent or two.
  private static let level: CInt = 6

  /// Encodes a bitmap; a picture of more bytes than `largestRows` with libpng.
  static func encode(
    _ bitmap: Bitmap,
    largestRows: Int = largestRows
  ) throws(EncodeError) -> [UInt8] {
    if bitmap.format == .gray {
      return try bitmap.withUnsafeBytes { (bytes) throws(EncodeError) in
        try write(bytes, bytesPerRow: bitmap.bytesPerRow, bitmap.size, channels: 1, largestRows)
      }
    }
    let channels = bitmap.format.hasAlpha ? 4 : 3
    var pixels: [UInt8]
    do throws(BitmapError) { pixels = try bitmap.straightRGBA() } catch { throw .bitmap(error) }
    if channels == 3 { dropAlpha(&pixels) }
    return try write(pixels, bitmap.size, channels: channels, largestRows: largestRows)
  }

  /// Encodes rows without padding of 1 gray, 3 red, green, blue, or 4 channels with straight alpha.
  static func write(
    _ pixels: [UInt8],
    _ size: PixelSize,
    channels: Int,
    largestRows: Int = largestRows
  ) throws(EncodeError) -> [UInt8] {
    try pixels.span.withUnsafeBytes { (bytes) throws(EncodeError) in
      try write(bytes, bytesPerRow: size.width * channels, size, channels: channels, largestRows)
    }
  }

  private static func dropAlpha(_ pixels: inout [UInt8]) {
    var target = 0
    for source in stride(from: 0, to: pixels.count, by: 4) {
      pixels[target] = pixels[source]
      pixels[target + 1] = pixels[source + 1]
      pixels[target + 2] = pixels[source + 2]
      target += 3
    }
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer,
    bytesPerRow: Int,
    _ size: PixelSize,
    channels: Int,
    _ largestRows: Int
  ) throws(EncodeError) -> [UInt8] {
    let row = size.width * channels
    if row < largestRows, (row + 1) * size.height <= largestRows,
      let rows = filtered(bytes, bytesPerRow: bytesPerRow, row, size.height, pixel: channels),
      let stream = PNGDeflateHandle.compressed(rows)
    {
      return file(of: stream, size, channels: channels)
    }
    return try writeWithLibpng(bytes, bytesPerRow: bytesPerRow, size, channels: channels)
  }

  /// Every row with the filter that suits it, which is before it; nil for an empty picture.
  private static func filtered(
    _ bytes: UnsafeRawBufferPointer,
    bytesPerRow: Int,
    _ row: Int,
    _ height: Int,
    pixel: Int
  ) -> [UInt8]? {
    guard row > 0, height > 0, let pixels = bytes.bindMemory(to: UInt8.self).baseAddress else {
      return nil
    }
    let zero = [UInt8](repeating: 0, count: row)
    var other = [UInt8](repeating: 0, count: row + 1)
    let (count, simd) = ((row + 1) * height, ikran_has_simd())
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      guard let out = target.baseAddress else { return }
      for y in 0..<height {
        let (start, place) = (pixels + y * bytesPerRow, out + y * (row + 1))
        if y == 0 {
          ikran_png_filter(start, zero, row, pixel, place, &other, simd)
        } else {
          ikran_png_filter(start, start - bytesPerRow, row, pixel, place, &other, simd)
        }
      }
      filled = count
    }
  }

  private static func file(of stream: [UInt8], _ size: PixelSize, channels: Int) -> [UInt8] {
    let color: UInt8 = channels == 1 ? 0 : channels == 3 ? 2 : 6
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file.reserveCapacity(stream.count + 64)
    let sides = [UInt8](bigEndian: UInt32(size.width)) + [UInt8](bigEndian: UInt32(size.height))
    file.appendChunk("IHDR", sides + [8, color, 0, 0, 0])
    file.appendChunk("IDAT", stream)
    file.appendChunk("IEND", [])
    return file
  }

  /// Compresses row by row.
  private static func writeWithLibpng(
    _ bytes: UnsafeRawBufferPointer,
    bytesPerRow: Int,
    _ size: PixelSize,
    channels: Int
  ) throws(EncodeError) -> [UInt8] {
    let picture = try ikran_picture(bytes, bytesPerRow: bytesPerRow, size)
    var fault = ikran_fault()
    var count = 0
    let file = ikran_png_write(picture, CInt(channels), level, &count, &fault)
    return try [UInt8](takingOver: file, count: count, fault, .png)
  }
}

extension ikran_picture {
  init(
    _ bytes: UnsafeRawBufferPointer,
    bytesPerRow: Int,
    _ size: PixelSize
  ) throws(EncodeError) {
    guard let start = bytes.baseAddress else { throw .bitmap(.invalidSize(size)) }
    self.init(
      pixels: start.assumingMemoryBound(to: UInt8.self),
      bytes_per_row: bytesPerRow,
      width: UInt32(size.width),
      height: UInt32(size.height)
    )
  }
}

extension [UInt8] {
  /// The bytes of a number in a PNG file.
  init(bigEndian value: UInt32) {
    self = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Appends a chunk of a PNG file.
  mutating func appendChunk(_ type: String, _ body: some Collection<UInt8>) {
    self += [UInt8](bigEndian: UInt32(body.count))
    let start = count
    self += type.utf8
    self += body
    let sum = InflateHandle.crc32(span.extracting(start..<count))
    self += [UInt8](bigEndian: UInt32(sum))
  }

  /// Copies an encoder's output and frees it; throws its fault when there is none.
  init(
    takingOver file: UnsafeMutablePointer<UInt8>?,
    count: Int,
    _ fault: ikran_fault,
    _ format: ImageFormat
  ) throws(EncodeError) {
    guard let file else {
      if fault.kind == IKRAN_FAULT_MEMORY { throw .bitmap(.outOfMemory(bytes: 0)) }
      throw .failed(format, reason: fault.reason)
    }
    defer { ikran_codec_free(file) }
    self.init(UnsafeBufferPointer(start: file, count: count))
  }
}
