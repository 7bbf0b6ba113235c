import CZlib

/// Compression of bodies with zlib.
enum Deflation {
  /// Smaller bodies are not worth the time, larger ones exceed zlib's counters.
  private static let sizes = 256...1 << 30

  /// The bytes as a zlib stream, or nil when it would not be smaller by an eighth.
  ///
  /// C function: `compress2`, with its fastest level: the next ones take twice as long for a tenth.
  static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
    guard sizes.contains(bytes.count), !isCompressed(bytes) else { return nil }
    let limit = bytes.count - bytes.count / 8
    var code = Z_BUF_ERROR
    let result = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
      var count = uLongf(buffer.count)
      code = compress2(buffer.baseAddress, &count, bytes, uLong(bytes.count), Z_BEST_SPEED)
      filled = code == Z_OK ? Int(count) : 0
    }
    return code == Z_OK ? result : nil
  }

  /// The decompressed bytes of a zlib stream; nil when it is damaged or has another length.
  ///
  /// C function: `uncompress2`, which checks the stream's end and its Adler-32.
  static func inflated(_ stream: [UInt8], byteCount: Int) -> [UInt8]? {
    guard sizes.contains(byteCount) else { return nil }
    var code = Z_BUF_ERROR
    var used = uLong(stream.count)
    let result = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
      var count = uLongf(byteCount)
      code = uncompress2(buffer.baseAddress, &count, stream, &used)
      filled = code == Z_OK ? Int(count) : 0
    }
    guard code == Z_OK, result.count == byteCount, Int(used) == stream.count else { return nil }
    return result
  }

  /// Whether the bytes begin like a format that is already compressed.
  static func isCompressed(_ bytes: [UInt8]) -> Bool {
    let beginnings: [[UInt8]] = [
      [0xFF, 0xD8, 0xFF],  // JPEG
      [0x89, 0x50, 0x4E, 0x47],  // PNG
      Array("GIF8".utf8),
      [0xFF, 0x0A],  // JPEG XL
      [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20],  // JPEG XL in boxes
      [0x1F, 0x8B],  // gzip
      [0x50, 0x4B, 3, 4],  // ZIP
      [0x28, 0xB5, 0x2F, 0xFD],  // Zstandard
      [0xFD, 0x37, 0x7A, 0x58, 0x5A],  // xz
      Array("wOF2".utf8),
    ]
    if beginnings.contains(where: { bytes.starts(with: $0) }) { return true }
    if bytes.starts(with: Array("RIFF".utf8)) {
      return bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
    }
    // AVIF, HEIC, MP4 and their relatives.
    return bytes.dropFirst(4).starts(with: Array("ftyp".utf8))
  }
}
