import IkranPixels

/// Metadata in a PNG file's chunks (PNG 3rd edition, sections 11.3.2.3, 11.3.3.4 and 11.3.4.5).
enum PNGMetadata {
  static let xmpKeyword = "XML:com.adobe.xmp"

  static func read(_ file: Span<UInt8>) -> ImageMetadata {
    var metadata = ImageMetadata()
    forEachChunk(of: file) { type, body in
      guard body.count <= ImageMetadata.largestBlock else { return true }
      if file.has("eXIf", at: type), metadata.exif == nil {
        // Some programs write the name that JPEG has there.
        let isNamed = file.has(JPEGMetadata.exifName, at: body.lowerBound)
        metadata.exif = file.bytes(body.dropFirst(isNamed ? 6 : 0))
      } else if file.has("iTXt", at: type), metadata.xmp == nil {
        metadata.xmp = packet(file, body)
      } else if file.has("iCCP", at: type), metadata.iccProfile == nil {
        metadata.iccProfile = profile(file, body)
      }
      return !file.has("IEND", at: type)
    }
    return metadata
  }

  /// Whether the first chunk of pixels is there.
  static func reachesPicture(_ file: Span<UInt8>) -> Bool {
    var offset = 8
    while let length = file.bigEndian32(at: offset), offset + 8 <= file.count {
      if file.has("IDAT", at: offset + 4) { return true }
      offset += 12 + length
    }
    return false
  }

  /// Calls `body` with each whole chunk, where its type and its content are, until it returns
  /// false.
  static func forEachChunk(
    of file: Span<UInt8>,
    _ body: (_ type: Int, _ content: Range<Int>) -> Bool
  ) {
    var offset = 8
    while let length = file.bigEndian32(at: offset) {
      let start = offset + 8
      // The checksum follows.
      guard length <= 0x7FFF_FFFF, start + length + 4 <= file.count else { return }
      guard body(offset + 4, start..<start + length) else { return }
      offset = start + length + 4
    }
  }

  /// The XMP packet in a chunk of international text; nil for another keyword.
  private static func packet(_ file: Span<UInt8>, _ body: Range<Int>) -> [UInt8]? {
    let keyword = xmpKeyword + "\0"
    guard file.has(keyword, at: body.lowerBound), body.count > keyword.utf8.count + 2 else {
      return nil
    }
    let flags = body.lowerBound + keyword.utf8.count
    // A language and a translated keyword, each with a zero after it.
    var start = flags + 2
    for _ in 0..<2 {
      while start < body.upperBound, file[start] != 0 { start += 1 }
      start += 1
    }
    guard start <= body.upperBound else { return nil }
    let text = file.bytes(start..<body.upperBound)
    switch (file[flags], file[flags + 1]) {
    case (0, _): return text
    case (1, 0): return InflateHandle().inflate(text.span, atMost: ImageMetadata.largestBlock)
    default: return nil
    }
  }

  /// The profile in a chunk: a name of at most 79 bytes, a zero, the method 0, a zlib stream.
  private static func profile(_ file: Span<UInt8>, _ body: Range<Int>) -> [UInt8]? {
    guard let end = body.prefix(80).first(where: { file[$0] == 0 }), end + 2 <= body.upperBound,
      file[end + 1] == 0
    else { return nil }
    let stream = file.bytes(end + 2..<body.upperBound)
    return InflateHandle().inflate(stream.span, atMost: ImageMetadata.largestBlock)
  }
}
