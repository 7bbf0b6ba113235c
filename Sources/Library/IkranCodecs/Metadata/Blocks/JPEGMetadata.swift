/// Metadata in the segments before a JPEG's picture (T.81, annex B; EXIF 2.32, section 4.5.4; XMP
/// part 3, section 1.1.3; ICC.1, annex B.4).
enum JPEGMetadata {
  static let exifName = "Exif\0\0"
  static let xmpName = "http://ns.adobe.com/xap/1.0/\0"
  private static let profileName = "ICC_PROFILE\0"

  static func read(_ file: Span<UInt8>) -> ImageMetadata {
    var metadata = ImageMetadata()
    var parts: [UInt8: Range<Int>] = [:]
    var partCount: UInt8?
    forEachSegment(of: file) { marker, body in
      switch marker {
      case 0xE1 where metadata.exif == nil && file.has(exifName, at: body.lowerBound):
        metadata.exif = file.bytes(body.dropFirst(exifName.utf8.count))
      case 0xE1 where metadata.xmp == nil && file.has(xmpName, at: body.lowerBound):
        metadata.xmp = file.bytes(body.dropFirst(xmpName.utf8.count))
      case 0xE2 where file.has(profileName, at: body.lowerBound) && body.count > 14:
        let number = file[body.lowerBound + 12]
        if partCount == nil { partCount = file[body.lowerBound + 13] }
        if parts[number] == nil { parts[number] = body.dropFirst(14) }
      default: break
      }
    }
    if let partCount, partCount > 0 {
      let ordered = (1...partCount).compactMap { parts[$0] }
      if ordered.count == partCount { metadata.iccProfile = ordered.flatMap { file.bytes($0) } }
    }
    return metadata
  }

  /// Calls `body` with each segment before the first scan: its marker's low byte and where its
  /// content is, after its length.
  static func forEachSegment(
    of file: Span<UInt8>,
    _ body: (_ marker: UInt8, _ content: Range<Int>) -> Void
  ) {
    var offset = 2
    while let byte = file.byte(at: offset) {
      offset += 1
      guard byte == 0xFF, let marker = file.byte(at: offset), marker != 0xFF, marker != 0 else {
        continue
      }
      offset += 1
      // Restart markers, TEM and a repeated SOI stand alone.
      if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
      guard marker != 0xD9, marker != 0xDA, let length = file.bigEndian16(at: offset), length >= 2,
        offset + length <= file.count
      else { return }
      body(marker, offset + 2..<offset + length)
      offset += length
    }
  }
}

extension Span where Element == UInt8 {
  /// A copy of a part that is wholly inside.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    range.map { self[$0] }
  }
}
