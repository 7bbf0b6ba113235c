/// Metadata in the boxes of a JPEG XL file (ISO/IEC 18181-2); a bare codestream has none.
///
/// Boxes that are compressed are left out, and a profile is part of the codestream.
enum JXLMetadata {
  static func read(_ file: Span<UInt8>) -> ImageMetadata {
    var metadata = ImageMetadata()
    forEachBox(of: file) { type, body in
      guard body.count <= ImageMetadata.largestBlock else { return }
      if file.has("Exif", at: type), metadata.exif == nil {
        // Where the TIFF structure begins after this number.
        guard let offset = file.bigEndian32(at: body.lowerBound), offset <= body.count - 4
        else { return }
        metadata.exif = file.bytes(body.dropFirst(4 + offset))
      } else if file.has("xml ", at: type), metadata.xmp == nil {
        metadata.xmp = file.bytes(body)
      }
    }
    return metadata
  }

  /// Calls `body` with each whole box: where its type and its content are.
  private static func forEachBox(
    of file: Span<UInt8>,
    _ body: (_ type: Int, _ content: Range<Int>) -> Void
  ) {
    guard file.has("JXL ", at: 4) else { return }
    var offset = 0
    while let length = file.bigEndian32(at: offset) {
      var (start, end) = (offset + 8, offset + length)
      if length == 0 {
        end = file.count
      } else if length == 1 {
        // A length of 64 bits, of which no file has more than half.
        guard let high = file.bigEndian32(at: offset + 8), high == 0,
          let low = file.bigEndian32(at: offset + 12)
        else { return }
        (start, end) = (offset + 16, offset + low)
      }
      guard start <= end, end <= file.count else { return }
      body(offset + 4, start..<end)
      offset = end
    }
  }
}
