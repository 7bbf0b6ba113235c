/// Writes XMP packets (XMP part 1, section 7).
enum XMPWriter {
  /// A packet of the creators and the rights alone; nil when there are neither.
  static func rights(_ facts: XMPFacts) -> [UInt8]? {
    var properties = ""
    if !facts.creators.isEmpty {
      let items = facts.creators.map { "<rdf:li>\(escaped($0))</rdf:li>" }.joined()
      properties += "<dc:creator><rdf:Seq>\(items)</rdf:Seq></dc:creator>"
    }
    if let rights = facts.rights {
      let item = "<rdf:li xml:lang=\"x-default\">\(escaped(rights))</rdf:li>"
      properties += "<dc:rights><rdf:Alt>\(item)</rdf:Alt></dc:rights>"
    }
    guard !properties.isEmpty else { return nil }
    let packet = """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
      <x:xmpmeta xmlns:x="adobe:ns:meta/">\
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">\
      \(properties)</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
      """
    return Array(packet.utf8)
  }

  /// A packet whose orientation is upright, without thumbnails and without the name of a part in
  /// other segments; nil when it is no packet in UTF-8.
  static func kept(_ packet: [UInt8]) -> [UInt8]? {
    guard packet.position(of: "<rdf:RDF", from: 0) != nil else { return nil }
    var kept = packet
    if let value = kept.attribute("tiff:Orientation") {
      kept.replaceSubrange(value, with: [0x31])
    }
    if let body = kept.element("tiff:Orientation", from: 0)?.body {
      kept.replaceSubrange(body, with: [0x31])
    }
    if let value = kept.attribute("xmpNote:HasExtendedXMP") {
      kept.removeSubrange(value)
    }
    // "xap" is the same in packets of old programs.
    return ["xmp:Thumbnails", "xap:Thumbnails"].reduce(kept) { $0.removing(elements: $1) }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // XML has no other control characters.
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
