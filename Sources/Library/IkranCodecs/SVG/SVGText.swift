#if SVG
import IkranPixels

/// The text of an SVG file: inflated, and in an encoding whose markup is ASCII.
struct SVGText {
  /// UTF-8 or another encoding that its declaration names.
  let bytes: [UInt8]
  /// Whether more follows in a file that was cut off before it was inflated.
  let isCut: Bool

  /// The most bytes of text: librsvg takes half a second for a million.
  static let largest = 8 << 20

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - most: The bytes of text that are wanted.
  ///   - isBeginning: Whether what comes after them does not matter; else a file that has more is
  ///     refused.
  /// - Throws: ``DecodeError``.
  init(_ file: Span<UInt8>, atMost most: Int = largest, isBeginning: Bool = false)
    throws(DecodeError)
  {
    var (text, isCut) = ([UInt8](), false)
    if Gzip.recognizes(file) {
      let inflated = Gzip.inflate(file, atMost: most)
      text = inflated.bytes
      switch inflated.end {
      case .complete: break
      case .cut: isCut = true
      case .more where isBeginning: isCut = true
      case .more: throw .overLimit(.bytes, value: .max, limit: most)
      case .outOfMemory: throw .bitmap(.outOfMemory(bytes: most))
      case .damaged where isBeginning: isCut = true
      case .damaged:
        throw .malformed(.svg, offset: 0, reason: "its compressed data makes no sense")
      }
    } else if file.count > most {
      guard isBeginning else { throw .overLimit(.bytes, value: file.count, limit: most) }
      isCut = true
      text = [UInt8](copying: file.extracting(first: most))
    } else {
      text = [UInt8](copying: file)
    }
    bytes = try Self.singleBytes(text)
    self.isCut = isCut
  }

  /// The text of UTF-16 as UTF-8, without the declaration that says otherwise; other text as it
  /// is.
  private static func singleBytes(_ text: [UInt8]) throws(DecodeError) -> [UInt8] {
    let isBig: Bool
    if text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0, 0x3C]) {
      isBig = true
    } else if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0x3C, 0]) {
      isBig = false
    } else {
      try checkEncoding(text)
      return text
    }
    let units = stride(from: 0, to: text.count - 1, by: 2).map { place in
      let (first, second) = (UInt16(text[place]), UInt16(text[place + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    let characters = String(decoding: units.drop { $0 == 0xFEFF }, as: UTF16.self)
    let bytes = Array(characters.utf8)
    guard let end = declarationEnd(bytes) else { return bytes }
    return Array(bytes[end...])
  }

  /// Refuses encodings whose markup may not be ASCII: what would be checked is not what is drawn.
  private static func checkEncoding(_ text: [UInt8]) throws(DecodeError) {
    guard let end = declarationEnd(text) else { return }
    let declaration = String(decoding: text[..<end], as: UTF8.self).lowercased()
    guard let key = declaration.split(separator: "encoding", maxSplits: 1).dropFirst().first
    else { return }
    let name = key.drop { " \t\r\n=\"'".contains($0) }.prefix { !"\"' \t\r\n?".contains($0) }
    let isASCII = ["utf-8", "utf8", "us-ascii", "ascii"].contains(name)
    guard isASCII || name.hasPrefix("iso-8859-") || name.hasPrefix("windows-125") else {
      throw .unsupported(.svg, feature: "an unusual encoding of its text")
    }
  }

  /// Where an XML declaration ends; nil without one.
  private static func declarationEnd(_ text: [UInt8]) -> Int? {
    let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard text.span.has("<?xml", at: start) else { return nil }
    return text.dropFirst(start).firstIndex(of: 0x3E).map { $0 + 1 }
  }
}
#endif
