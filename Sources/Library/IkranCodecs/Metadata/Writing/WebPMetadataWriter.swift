import IkranPixels

/// Adds EXIF and XMP chunks to a WebP file (RFC 9649, section 2.7).
enum WebPMetadataWriter {
  private enum Flag {
    static let xmp: UInt8 = 0x04
    static let exif: UInt8 = 0x08
    static let alpha: UInt8 = 0x10
  }

  /// The file with the blocks after its picture; nil when it cannot be read, or would be larger
  /// than the format allows.
  static func embed(_ metadata: ImageMetadata, in file: [UInt8]) -> [UInt8]? {
    guard let header = try? WebPHeader(file.span) else { return nil }
    var flags: UInt8 = metadata.exif == nil ? 0 : Flag.exif
    if metadata.xmp != nil { flags |= Flag.xmp }
    var chunks = Array(file.dropFirst(12))
    if chunks.span.has("VP8X", at: 0), chunks.count > 8 {
      chunks[8] |= flags
    } else {
      if header.info.hasAlpha { flags |= Flag.alpha }
      let size = header.info.size
      let fields = [flags, 0, 0, 0] + number(size.width - 1, 3) + number(size.height - 1, 3)
      chunks = chunk("VP8X", fields) + chunks
    }
    if let exif = metadata.exif { chunks += chunk("EXIF", exif) }
    if let xmp = metadata.xmp { chunks += chunk("XMP ", xmp) }
    guard chunks.count < Int(UInt32.max) - 16 else { return nil }
    return Array("RIFF".utf8) + number(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
  }

  private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let padding: [UInt8] = body.count % 2 == 1 ? [0] : []
    return Array(type.utf8) + number(body.count, 4) + body + padding
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
