import CIkranCodecs
import IkranPixels

/// Writes PNG with libpng.
enum PNGWriterHandle {
  /// zlib's default: level 9 takes twice as long and saves a percent or two.
  private static let level: CInt = 6

  static func encode(_ bitmap: Bitmap) throws(EncodeError) -> [UInt8] {
    switch bitmap.format {
    case .gray:
      return try bitmap.withUnsafeBytes { (bytes) throws(EncodeError) in
        try write(bytes, bytesPerRow: bitmap.bytesPerRow, bitmap.size, channels: 1)
      }
    case .bgra: return try encode(bitmap, channels: 4)
    case .bgrx, .bgr, .bgr555: return try encode(bitmap, channels: 3)
    }
  }

  private static func encode(_ bitmap: Bitmap, channels: Int) throws(EncodeError) -> [UInt8] {
    var pixels: [UInt8]
    do throws(BitmapError) { pixels = try bitmap.straightRGBA() } catch { throw .bitmap(error) }
    if channels == 3 { dropAlpha(&pixels) }
    return try write(pixels, bitmap.size, channels: channels)
  }

  /// Encodes rows without padding of 1 gray, 3 red, green, blue, or 4 channels with straight alpha.
  static func write(
    _ pixels: [UInt8],
    _ size: PixelSize,
    channels: Int
  ) throws(EncodeError) -> [UInt8] {
    try pixels.span.withUnsafeBytes { (bytes) throws(EncodeError) in
      try write(bytes, bytesPerRow: size.width * channels, size, channels: channels)
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
