/// Metadata in a GIF file's application extensions (GIF89a, section 26; XMP part 3, section 1.1.2).
enum GIFMetadata {
  static func read(_ file: Span<UInt8>) -> ImageMetadata {
    var metadata = ImageMetadata()
    guard let flags = file.byte(at: 10) else { return metadata }
    var offset = 13 + (flags & 0x80 != 0 ? 3 << (Int(flags & 7) + 1) : 0)
    while let introducer = file.byte(at: offset) {
      switch introducer {
      case 0x21:
        let start = offset + 2
        let isApplication = file.byte(at: offset + 1) == 0xFF && file.byte(at: start) == 11
        let body = isApplication ? start + 12 : start
        guard let end = endOfBlocks(file, from: body) else { return metadata }
        if isApplication, file.has("XMP DataXMP", at: start + 1), metadata.xmp == nil {
          metadata.xmp = packet(file, body..<end)
        } else if isApplication, metadata.iccProfile == nil,
          file.has("ICCRGBG1012", at: start + 1)
        {
          metadata.iccProfile = blocks(file, body..<end)
        }
        offset = end
      case 0x2C:
        guard let flags = file.byte(at: offset + 9) else { return metadata }
        let palette = flags & 0x80 != 0 ? 3 << (Int(flags & 7) + 1) : 0
        // The length of codes comes first.
        guard let end = endOfBlocks(file, from: offset + 11 + palette) else { return metadata }
        offset = end
      default: return metadata
      }
    }
    return metadata
  }

  /// Where a chain of blocks ends: after the block without bytes.
  private static func endOfBlocks(_ file: Span<UInt8>, from offset: Int) -> Int? {
    var offset = offset
    while let length = file.byte(at: offset) {
      offset += 1 + Int(length)
      if length == 0 { return offset }
    }
    return nil
  }

  /// The packet, which is not divided into blocks: 258 bytes after it lead any reader to its end.
  private static func packet(_ file: Span<UInt8>, _ body: Range<Int>) -> [UInt8]? {
    guard body.count <= ImageMetadata.largestBlock else { return nil }
    for length in 257...258 where body.count > length {
      let end = body.upperBound - length
      if file.has([0x01, 0xFF, 0xFE, 0xFD], at: end) { return file.bytes(body.lowerBound..<end) }
    }
    return nil
  }

  private static func blocks(_ file: Span<UInt8>, _ body: Range<Int>) -> [UInt8]? {
    guard body.count <= ImageMetadata.largestBlock else { return nil }
    var bytes: [UInt8] = []
    var offset = body.lowerBound
    while let length = file.byte(at: offset), length > 0, offset + Int(length) < body.upperBound {
      bytes += file.bytes(offset + 1..<offset + 1 + Int(length))
      offset += 1 + Int(length)
    }
    return bytes.isEmpty ? nil : bytes
  }
}
