#if SVG
import IkranPixels

/// The entities that a document declares: only plain text is taken, so that none can multiply.
struct SVGEntities {
  private var values: [[UInt8]: [UInt8]] = [:]
  private var expanded = 0

  /// The most bytes that all uses of entities may become.
  private static let mostExpanded = 1 << 20

  /// Reads the inner part of a document type declaration.
  ///
  /// - Throws: ``DecodeError`` for entities of other entities or of markup, and for attributes
  ///   that elements have without saying so.
  mutating func declare(_ subset: ArraySlice<UInt8>) throws(DecodeError) {
    let text = Array(subset)
    var place = 0
    while place < text.count {
      if text.span.has("<!--", at: place) {
        place = Self.end(of: "-->", in: text, from: place + 4)
      } else if text.span.has("<?", at: place) {
        place = Self.end(of: "?>", in: text, from: place + 2)
      } else if text.span.has("<!", at: place) {
        let end = Self.declarationEnd(text, from: place + 2)
        if text.span.has("<!ENTITY", at: place) {
          try declareEntity(text[min(place + 8, end)..<end])
        } else if text.span.has("<!ATTLIST", at: place) {
          try Self.checkAttributes(text[place..<end])
        }
        place = end
      } else {
        place += 1
      }
    }
  }

  /// Counts what references in text become.
  mutating func count(in text: ArraySlice<UInt8>) throws(DecodeError) {
    if !values.isEmpty, text.contains(0x26) { _ = try value(text) }
  }

  /// An attribute's value, with what its references stand for.
  mutating func value(_ text: ArraySlice<UInt8>) throws(DecodeError) -> [UInt8] {
    guard text.contains(0x26) else { return Array(text) }
    var result: [UInt8] = []
    var rest = text
    while let start = rest.firstIndex(of: 0x26) {
      result += rest[..<start]
      let name = rest[(start + 1)...].prefix(64).prefix { $0 != 0x3B }
      guard name.endIndex < rest.endIndex, rest[name.endIndex] == 0x3B else {
        result.append(0x26)
        rest = rest[(start + 1)...]
        continue
      }
      result += try replacement(name)
      rest = rest[(name.endIndex + 1)...]
    }
    return result + rest
  }

  private mutating func replacement(_ name: ArraySlice<UInt8>) throws(DecodeError) -> [UInt8] {
    if name.first == 0x23 {
      let digits = String(decoding: name.dropFirst(), as: UTF8.self)
      let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return code.flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) } ?? []
    }
    switch String(decoding: name, as: UTF8.self) {
    case "lt": return [0x3C]
    case "gt": return [0x3E]
    case "amp": return [0x26]
    case "quot": return [0x22]
    case "apos": return [0x27]
    default: break
    }
    let value = values[Array(name)] ?? []
    expanded += value.count
    guard expanded <= Self.mostExpanded else { throw Self.tooMuch }
    return value
  }

  private mutating func declareEntity(_ text: ArraySlice<UInt8>) throws(DecodeError) {
    let rest = text.drop { $0 <= 0x20 }
    guard rest.first != 0x25 else { throw Self.tooMuch }
    let name = rest.prefix { $0 > 0x20 && $0 != 0x22 && $0 != 0x27 }
    let literal = rest[name.endIndex...].drop { $0 <= 0x20 }
    // Others are in other files, which are not opened.
    guard let quote = literal.first, quote == 0x22 || quote == 0x27 else { return }
    let value = literal.dropFirst().prefix { $0 != quote }
    guard !value.contains(0x26), !value.contains(0x3C), !value.contains(0x25) else {
      throw Self.tooMuch
    }
    // The first declaration counts.
    if values[Array(name)] == nil { values[Array(name)] = Array(value) }
  }

  /// Takes namespaces only, as the values that old files declare.
  private static func checkAttributes(_ text: ArraySlice<UInt8>) throws(DecodeError) {
    var rest = text
    while let start = rest.firstIndex(where: { $0 == 0x22 || $0 == 0x27 }) {
      let value = rest[(start + 1)...].prefix { $0 != rest[start] }
      guard value.starts(with: Array("http".utf8)) else {
        throw .unsupported(.svg, feature: "attributes of a document type declaration")
      }
      rest = rest[min(value.endIndex + 1, rest.endIndex)...]
    }
  }

  private static var tooMuch: DecodeError {
    .unsupported(.svg, feature: "entities that multiply or have markup")
  }

  private static func end(of piece: String, in text: [UInt8], from start: Int) -> Int {
    var place = start
    while place < text.count, !text.span.has(piece, at: place) { place += 1 }
    return min(text.count, place + piece.utf8.count)
  }

  /// Where a declaration ends, whose literals may have a `>`.
  private static func declarationEnd(_ text: [UInt8], from start: Int) -> Int {
    var (place, quote) = (start, UInt8(0))
    while place < text.count {
      let byte = text[place]
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      } else if byte == 0x3E {
        return place + 1
      }
      place += 1
    }
    return text.count
  }
}
#endif
