#if AVIF || HEIC
/// Metadata in items of an AVIF or HEIF file that describe its picture (ISO/IEC 23008-12, annex A).
enum MediaMetadata {
  static func read(_ file: Span<UInt8>, _ format: ImageFormat) -> ImageMetadata {
    var metadata = ImageMetadata()
    // Of a file that cannot be read nothing is known.
    guard let media = try? MediaHeader(file, format, readsTracks: false), let table = media.items
    else { return metadata }
    let limit = ImageMetadata.largestBlock
    let properties = PictureProperties(table.properties(of: table.primary, file), file)
    if let profile = properties.profile, profile.count <= limit {
      metadata.iccProfile = file.bytes(profile)
    }
    for item in table.items("cdsc", of: table.primary, file) {
      switch table.type(of: item, file) {
      case "Exif" where metadata.exif == nil:
        metadata.exif = table.data(of: item, file, atMost: limit).flatMap { block(of: $0) }
      case "mime" where metadata.xmp == nil:
        guard table.contentType(of: item, file) == "application/rdf+xml" else { continue }
        metadata.xmp = table.data(of: item, file, atMost: limit)
      default: break
      }
    }
    return metadata
  }

  /// Whether a file that begins like this has an item of metadata that is not there yet.
  static func mayFollow(_ beginning: Span<UInt8>, _ format: ImageFormat) -> Bool {
    // More of the header follows anyway.
    guard let media = try? MediaHeader(beginning, format, readsTracks: false),
      let table = media.items
    else { return true }
    return table.items("cdsc", of: table.primary, beginning).contains { item in
      guard ["Exif", "mime"].contains(table.type(of: item, beginning)) else { return false }
      return table.data(of: item, beginning, atMost: ImageMetadata.largestBlock) == nil
    }
  }

  /// The TIFF structure of an item, which begins with the number of bytes before that.
  private static func block(of item: [UInt8]) -> [UInt8]? {
    guard let offset = item.span.bigEndian32(at: 0), offset < item.count - 4 else { return nil }
    let block = item.dropFirst(4 + offset)
    // Some programs do not count the name that JPEG has there.
    let name = Array(JPEGMetadata.exifName.utf8)
    return Array(block.starts(with: name) ? block.dropFirst(name.count) : block)
  }
}
#endif
