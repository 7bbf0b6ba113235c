import IkranPixels

/// Detects file formats by their first bytes, never by a name or a declared type.
package enum Sniffer {
  /// The result of looking at the first bytes of a file.
  package enum Verdict: Sendable, Hashable {
    /// No bytes.
    case empty
    /// A format that Ikran decodes.
    case image(ImageFormat)
    /// Too few bytes, but all of them fit this format, which Ikran decodes.
    case beginning(ImageFormat)
    /// A format that Ikran recognizes and does not decode.
    case other(ImageFormat)
    /// Another kind of file, as a phrase: `an HTML page`.
    case foreign(String)
    /// No known format.
    case unknown

    /// Whether it is an image, or may become one, in any known format.
    package var isImage: Bool {
      switch self {
      case .image, .beginning: true
      case .other(let format): format.isPicture
      case .empty, .foreign, .unknown: false
      }
    }
  }

  /// The format of the file that starts with `bytes`; nil when it is not known.
  package static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    let prefix = bytes.extracting(0..<min(bytes.count, ImageFormat.longestSignature))
    for signature in FormatSignature.table where signature.matches(prefix) {
      if let format = checked(signature, prefix) { return format }
    }
    return MediaBrands.format(of: prefix) ?? (isSVG(prefix) ? .svg : nil)
  }

  /// What the file that starts with `bytes` is; a few hundred bytes are enough.
  package static func verdict(on bytes: Span<UInt8>) -> Verdict {
    if bytes.isEmpty { return .empty }
    if let known = format(of: bytes) {
      return ImageFormat.decodable.contains(known) ? .image(known) : .other(known)
    }
    if bytes.count < 12 {
      let signatures = [FormatSignature.jpeg, .png, .webp] + FormatSignature.gif
      if let signature = signatures.first(where: { $0.fits(bytes) }) {
        return .beginning(signature.format)
      }
    }
    let prefix = bytes.extracting(0..<min(bytes.count, ImageFormat.longestSignature))
    if let name = binaryName(prefix) ?? textName(prefix) { return .foreign(name) }
    return .unknown
  }

  /// Whether bytes start with the signature of a format that Ikran decodes.
  static func matches(_ format: ImageFormat, _ prefix: Span<UInt8>) -> Bool {
    switch format {
    case .jpeg: FormatSignature.jpeg.matches(prefix)
    case .png: FormatSignature.png.matches(prefix)
    case .webp: FormatSignature.webp.matches(prefix)
    case .gif: FormatSignature.gif.contains { $0.matches(prefix) }
    case .avif, .heic, .heif: MediaBrands.format(of: prefix) == format
    case .tiff: self.format(of: prefix) == .tiff
    default:
      FormatSignature.table.contains {
        $0.format == format && $0.matches(prefix) && holds($0.check, prefix)
      }
    }
  }

  /// Whether it is SVG, which may be compressed.
  private static func isSVG(_ prefix: Span<UInt8>) -> Bool {
    guard Gzip.recognizes(prefix) else { return MarkupText(prefix)?.isSVG ?? false }
    let text = Gzip.inflate(prefix, atMost: ImageFormat.longestSignature).bytes
    return MarkupText(text.span)?.isSVG ?? false
  }

  /// The format of a file that starts with a signature; nil when its check fails.
  private static func checked(
    _ signature: FormatSignature,
    _ prefix: Span<UInt8>
  ) -> ImageFormat? {
    switch signature.check {
    case .directory: return RawFile.format(of: prefix) ?? signature.format
    case .documentType: return MatroskaHeader.format(of: prefix)
    default: return holds(signature.check, prefix) ? signature.format : nil
    }
  }

  private static func holds(_ check: FormatSignature.Check, _ prefix: Span<UInt8>) -> Bool {
    switch check {
    case .none, .directory, .documentType: true
    case .pictureCount: prefix.littleEndian16(at: 4) ?? 0 > 0
    case .headerLength:
      prefix.littleEndian32(at: 14).map(BMPHeader.isLength) ?? false
    case .channels:
      (3...4).contains(prefix.byte(at: 12) ?? 0) && (0...1).contains(prefix.byte(at: 13) ?? 2)
    case .number: startsNumber(prefix)
    case .encapsulated: isEncapsulated(prefix)
    }
  }

  /// Whether white space or comments come after the first two bytes, and then a digit.
  private static func startsNumber(_ prefix: Span<UInt8>) -> Bool {
    var text = PNMScanner(offset: 2)
    text.skipSpace(prefix)
    return text.offset > 2 && (0x30...0x39).contains(prefix.byte(at: text.offset) ?? 0)
  }

  /// Whether the first line of a PostScript file has the word `EPSF`.
  private static func isEncapsulated(_ prefix: Span<UInt8>) -> Bool {
    for offset in 11..<max(11, min(prefix.count, 64)) {
      if prefix[offset] == 0x0A || prefix[offset] == 0x0D { return false }
      if prefix.has("EPSF", at: offset) { return true }
    }
    return false
  }

  private static func binaryName(_ prefix: Span<UInt8>) -> String? {
    if prefix.has("ftyp", at: 4) { return MediaBrands.name(of: prefix) }
    let signatures: [([UInt8], String)] = [
      (Array("RIFF".utf8), "a RIFF file that is not WebP"), ([0x1F, 0x8B], "gzip-compressed data"),
      (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"), (Array("%!PS".utf8), "a PostScript document"),
      ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM video"),
    ]
    return signatures.first { prefix.has($0.0, at: 0) }?.1
  }

  private static func textName(_ prefix: Span<UInt8>) -> String? {
    if let markup = MarkupText(prefix) { return markup.name }
    var start = prefix.has([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
    while let byte = prefix.byte(at: start), byte == 0x20 || (0x09...0x0D).contains(byte) {
      start += 1
    }
    return prefix.has("{", at: start) || prefix.has("[", at: start) ? "a JSON document" : nil
  }
}
