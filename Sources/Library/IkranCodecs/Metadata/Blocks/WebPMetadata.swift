/// Metadata in a WebP file's chunks (RFC 9649, section 2.7.1.5).
enum WebPMetadata {
  static func read(_ file: Span<UInt8>) -> ImageMetadata {
    var metadata = ImageMetadata()
    forEachChunk(of: file) { type, body in
      guard body.count <= ImageMetadata.largestBlock else { return }
      if file.has("EXIF", at: type), metadata.exif == nil {
        // Some programs write the name that JPEG has there.
        let isNamed = file.has(JPEGMetadata.exifName, at: body.lowerBound)
        metadata.exif = file.bytes(body.dropFirst(isNamed ? 6 : 0))
      } else if file.has("XMP ", at: type), metadata.xmp == nil {
        metadata.xmp = file.bytes(body)
      } else if file.has("ICCP", at: type), metadata.iccProfile == nil {
        metadata.iccProfile = file.bytes(body)
      }
    }
    return metadata
  }

  /// Calls `body` with each whole chunk: where its type and its content are.
  static func forEachChunk(
    of file: Span<UInt8>,
    _ body: (_ type: Int, _ content: Range<Int>) -> Void
  ) {
    var offset = 12
    while let length = file.littleEndian32(at: offset + 4) {
      let start = offset + 8
      guard start + length <= file.count else { return }
      body(offset, start..<start + length)
      offset = start + length + length & 1
    }
  }
}
