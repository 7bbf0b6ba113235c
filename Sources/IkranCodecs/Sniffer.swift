/// Detects file formats by their first bytes, never by a name or a declared type.
package enum Sniffer {
  /// The result of looking at the first bytes of a file.
  package enum Verdict: Sendable, Hashable {
    /// No bytes.
    case empty
    /// A format that Ikran decodes.
    case image(ImageFormat)
    /// Too few bytes, but all of them fit this format.
    case beginning(ImageFormat)
    /// Another known format, as a phrase: `an AVIF image`, `an HTML page`.
    case foreign(String)
    /// No known format.
    case unknown

    /// Whether it is an image, or may become one, in any known format.
    package var isImage: Bool {
      switch self {
      case .image, .beginning: true
      case .foreign(let name): name.hasSuffix(" image") || name == Sniffer.iconName
      case .empty, .unknown: false
      }
    }
  }

  private static let iconName = "an icon file"

  /// The format of the file that starts with `prefix`, nil when Ikran does not decode it.
  ///
  /// Twelve bytes are enough.
  package static func format(of prefix: Span<UInt8>) -> ImageFormat? {
    ImageFormat.known.first { matches($0, prefix) }
  }

  /// What the file that starts with `prefix` is; a few hundred bytes are enough.
  package static func verdict(on prefix: Span<UInt8>) -> Verdict {
    if prefix.isEmpty { return .empty }
    if let format = format(of: prefix) { return .image(format) }
    if prefix.count < 12, let format = ImageFormat.known.first(where: { begins($0, prefix) }) {
      return .beginning(format)
    }
    if let name = binaryName(prefix) ?? textName(prefix) { return .foreign(name) }
    return .unknown
  }

  static func matches(_ format: ImageFormat, _ prefix: Span<UInt8>) -> Bool {
    switch format {
    case .jpeg: prefix.has([0xFF, 0xD8, 0xFF], at: 0)
    case .png: prefix.has(pngSignature, at: 0)
    case .webp: prefix.has("RIFF", at: 0) && prefix.has("WEBP", at: 8)
    case .gif: prefix.has("GIF87a", at: 0) || prefix.has("GIF89a", at: 0)
    default: false
    }
  }

  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Whether every byte of a short prefix fits the format's signature.
  private static func begins(_ format: ImageFormat, _ prefix: Span<UInt8>) -> Bool {
    func fits(_ signature: [UInt8?]) -> Bool {
      prefix.indices.allSatisfy { index in
        index >= signature.count || signature[index] == nil || signature[index] == prefix[index]
      }
    }
    return switch format {
    case .jpeg: prefix.count < 3 && fits([0xFF, 0xD8, 0xFF])
    case .png: prefix.count < 8 && fits(pngSignature)
    case .webp: fits(Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBP".utf8))
    case .gif: prefix.count < 6 && (fits(Array("GIF87a".utf8)) || fits(Array("GIF89a".utf8)))
    default: false
    }
  }

  private static func binaryName(_ prefix: Span<UInt8>) -> String? {
    if prefix.has("ftyp", at: 4) { return brandName(prefix) }
    if prefix.has("RIFF", at: 0) { return "a RIFF file that is not WebP" }
    let signatures: [([UInt8], String)] = [
      ([0xFF, 0x0A], "a JPEG XL image"),
      ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "a JPEG XL image"),
      ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "a JPEG 2000 image"),
      ([0x49, 0x49, 0x2A, 0], "a TIFF image"), ([0x4D, 0x4D, 0, 0x2A], "a TIFF image"),
      ([0x49, 0x49, 0x2B, 0], "a TIFF image"), ([0x4D, 0x4D, 0, 0x2B], "a TIFF image"),
      (Array("8BPS".utf8), "a Photoshop document"), ([0, 0, 1, 0], iconName),
      (Array("%PDF".utf8), "a PDF document"), (Array("qoif".utf8), "a QOI image"),
      ([0x1F, 0x8B], "gzip-compressed data"), (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
      ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM video"), (Array("BM".utf8), "a BMP image"),
    ]
    return signatures.first { prefix.has($0.0, at: 0) }?.1
  }

  /// ISO base media files have a four-letter brand; AVIF and HEIC sometimes only as a later one.
  private static func brandName(_ prefix: Span<UInt8>) -> String {
    let end = min(prefix.bigEndian32(at: 0) ?? 0, prefix.count, 64)
    var offset = 8
    while offset + 4 <= max(end, 12) {
      if prefix.has("avif", at: offset) || prefix.has("avis", at: offset) {
        return "an AVIF image"
      }
      for brand in ["heic", "heix", "hevc", "heim", "heis"] where prefix.has(brand, at: offset) {
        return "an HEIC image"
      }
      offset += 4
    }
    return "an MP4 or other ISO media file"
  }

  private static func textName(_ prefix: Span<UInt8>) -> String? {
    var start = prefix.has([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
    while let byte = prefix.byte(at: start), byte == 0x20 || (0x09...0x0D).contains(byte) {
      start += 1
    }
    if prefix.has("<svg", at: start, ignoringCase: true) { return "an SVG image" }
    for tag in ["<!doctype html", "<html", "<head", "<body", "<title", "<script"]
    where prefix.has(tag, at: start, ignoringCase: true) {
      return "an HTML page"
    }
    if prefix.has("<?xml", at: start) || prefix.has("<!", at: start) {
      return xmlName(prefix, from: start)
    }
    if prefix.has("{", at: start) || prefix.has("[", at: start) {
      return "a JSON document"
    }
    return nil
  }

  private static func xmlName(_ prefix: Span<UInt8>, from start: Int) -> String {
    for offset in start..<min(prefix.count, start + 4_096) {
      if prefix.has("<svg", at: offset, ignoringCase: true) { return "an SVG image" }
      if prefix.has("<html", at: offset, ignoringCase: true) {
        return "an HTML page"
      }
    }
    return "an XML document"
  }
}
