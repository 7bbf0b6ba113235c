#if SVG
import IkranPixels

/// The pictures that a document embeds as `data` addresses: librsvg decodes them with memory for
/// all of their pixels, so their headers are read before.
struct SVGPictures {
  /// Those of all pictures so far.
  private(set) var pixels = 0

  /// The most pixels of all pictures of a document.
  static let mostPixels = 16_000_000

  /// Refuses a picture that is too large, or of a kind whose size is not known here.
  mutating func check(_ address: [UInt8]) throws(DecodeError) {
    guard let comma = address.firstIndex(of: 0x2C) else { return }
    let head = String(decoding: address[5..<max(5, comma)], as: UTF8.self).lowercased()
    let parts = head.split(separator: ";", omittingEmptySubsequences: false)
    let kind = (parts.first ?? "").filter { $0 > " " }
    let isBase64 = parts.dropFirst().contains { $0.filter { $0 > " " } == "base64" }
    let body = Self.unescaped(address[(comma + 1)...])
    let bytes = isBase64 ? Self.base64(body) : body
    let info: ImageInfo?
    switch kind {
    case "image/png": info = try? PNGDecoder().probe(bytes.span)
    case "image/jpeg", "image/jpg", "image/pjpeg": info = try? JPEGDecoder().probe(bytes.span)
    case "image/gif": info = try? GIFDecoder().probe(bytes.span)
    default: throw .unsupported(.svg, feature: "an embedded picture that is not PNG, JPEG or GIF")
    }
    // What has no readable header is not decoded.
    guard let info else {
      throw .malformed(.svg, offset: 0, reason: "an embedded picture makes no sense")
    }
    let size = info.size.pixelCount ?? .max
    let (sum, overflow) = pixels.addingReportingOverflow(
      size.multipliedReportingOverflow(by: info.format == .gif ? max(info.frames, 1) : 1)
        .partialValue
    )
    pixels = overflow || size > Self.mostPixels ? .max : sum
    guard pixels <= Self.mostPixels else {
      throw .overLimit(.pixels, value: pixels, limit: Self.mostPixels)
    }
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard text.contains(0x25) else { return Array(text) }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var place = text.startIndex
    while place < text.endIndex {
      let code = String(decoding: text[place...].dropFirst().prefix(2), as: UTF8.self)
      if text[place] == 0x25, code.utf8.count == 2, let byte = UInt8(code, radix: 16) {
        result.append(byte)
        place += 3
      } else {
        result.append(text[place])
        place += 1
      }
    }
    return result
  }

  /// The bytes of base64 up to its padding; other characters are left out.
  private static func base64(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var (bits, count) = (0, 0)
    for character in text {
      let digit: Int
      switch character {
      case 0x41...0x5A: digit = Int(character) - 0x41
      case 0x61...0x7A: digit = Int(character) - 0x61 + 26
      case 0x30...0x39: digit = Int(character) - 0x30 + 52
      case 0x2B: digit = 62
      case 0x2F: digit = 63
      case 0x3D: return result
      default: continue
      }
      (bits, count) = (bits << 6 & 0xFFFF | digit, count + 6)
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return result
  }
}
#endif
