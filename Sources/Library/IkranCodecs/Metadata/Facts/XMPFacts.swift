/// What an XMP packet says of who made a picture (XMP part 1, section 8; Dublin Core).
///
/// It is searched for the usual forms, not parsed as XML: what is written otherwise is not found.
public struct XMPFacts: Sendable, Hashable {
  /// The bytes of the packet.
  public var byteCount: Int
  /// `dc:creator`: who made it, at most sixteen.
  public var creators: [String] = []
  /// `dc:rights`: the rights, in the first language.
  public var rights: String?

  /// The most bytes of a packet that are searched.
  private static let longestPacket = 1 << 20
  /// The most bytes of one text.
  private static let longestText = 1_024

  /// Searches a packet.
  init(_ packet: [UInt8]) {
    byteCount = packet.count
    let text = packet.count > Self.longestPacket ? Array(packet[..<Self.longestPacket]) : packet
    creators = Array(Self.items(of: "dc:creator", in: text).prefix(16))
    rights = Self.items(of: "dc:rights", in: text).first
  }

  /// The texts of an element: its list's items, else its own text; of an attribute, its value.
  private static func items(of name: String, in text: [UInt8]) -> [String] {
    if let body = text.element(name, from: 0)?.body {
      var items: [String] = []
      var offset = body.lowerBound
      while items.count < 16, let item = text.element("rdf:li", from: offset),
        item.range.upperBound <= body.upperBound
      {
        items.append(plain(text[item.body]))
        offset = item.range.upperBound
      }
      if items.isEmpty, !text[body].contains(0x3C) { items = [plain(text[body])] }
      return items.filter { !$0.isEmpty }
    }
    guard let value = text.attribute(name) else { return [] }
    return [plain(text[value])].filter { !$0.isEmpty }
  }

  /// Text with its entities resolved, without white space around it.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes.prefix(longestText), as: UTF8.self)
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      guard let end = rest.prefix(12).firstIndex(of: ";"),
        let scalar = character(named: rest[rest.index(after: start)..<end])
      else {
        result += "&"
        rest = rest.dropFirst()
        continue
      }
      result.unicodeScalars.append(scalar)
      rest = rest[rest.index(after: end)...]
    }
    result += rest
    let isSpace = { (letter: Character) in letter.isWhitespace }
    return String(result.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }

  private static func character(named entity: Substring) -> Unicode.Scalar? {
    let named: [Substring: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    if let known = named[entity] { return known }
    guard entity.hasPrefix("#") else { return nil }
    let digits = entity.dropFirst()
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }
}
