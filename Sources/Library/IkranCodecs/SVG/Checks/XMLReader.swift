#if SVG
/// Reads the markup of an XML file, tag by tag, strictly enough to see what an XML parser sees.
///
/// It keeps ranges of the text, which is UTF-8 or another encoding whose markup is ASCII.
struct XMLReader {
  /// One piece of markup, or what lies between two.
  enum Token {
    case start(Tag)
    case end
    /// Text, not decoded.
    case text(Range<Int>)
    /// Text that is not to be decoded: a CDATA section.
    case literal(Range<Int>)
    /// What stands in the brackets of a document type declaration.
    case subset(Range<Int>)
    /// A processing instruction.
    case instruction(Range<Int>)
  }

  /// A start tag.
  struct Tag {
    let name: Range<Int>
    let attributes: [(name: Range<Int>, value: Range<Int>)]
    /// Whether the element ends with it.
    let isEmpty: Bool
  }

  /// Why there is no more.
  enum Fault: Error {
    /// The text ends inside a piece of markup.
    case cut
    case malformed(Int)
  }

  let text: [UInt8]
  /// Where the next token begins.
  private(set) var offset = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The next token; nil at the end of the text.
  mutating func next() throws(Fault) -> Token? {
    while offset < text.count {
      guard text[offset] == 0x3C else {
        let start = offset
        while offset < text.count, text[offset] != 0x3C { offset += 1 }
        return .text(start..<offset)
      }
      if has("<!--") {
        offset = try end(of: "-->", from: offset + 4)
      } else if has("<?") {
        let start = offset
        offset = try end(of: "?>", from: start + 2)
        return .instruction(start..<offset)
      } else if has("<![CDATA[") {
        let start = offset + 9
        offset = try end(of: "]]>", from: start)
        return .literal(start..<offset - 3)
      } else if has("<!") {
        return .subset(try subset())
      } else if has("</") {
        offset = try end(of: ">", from: offset + 2)
        return .end
      } else {
        return .start(try tag())
      }
    }
    return nil
  }

  /// The characters of a name after its prefix.
  func localName(_ name: Range<Int>) -> String {
    let letters = text[name]
    let local = letters.split(separator: 0x3A, omittingEmptySubsequences: false).last ?? letters
    return String(decoding: local, as: UTF8.self)
  }

  // MARK: - Markup

  private mutating func tag() throws(Fault) -> Tag {
    offset += 1
    let name = try readName()
    var attributes: [(name: Range<Int>, value: Range<Int>)] = []
    while true {
      skipSpace()
      guard offset < text.count else { throw .cut }
      if text[offset] == 0x3E {
        offset += 1
        return Tag(name: name, attributes: attributes, isEmpty: false)
      }
      if text[offset] == 0x2F {
        guard offset + 1 < text.count else { throw .cut }
        guard text[offset + 1] == 0x3E else { throw .malformed(offset) }
        offset += 2
        return Tag(name: name, attributes: attributes, isEmpty: true)
      }
      attributes.append(try attribute())
    }
  }

  private mutating func attribute() throws(Fault) -> (name: Range<Int>, value: Range<Int>) {
    let name = try readName()
    skipSpace()
    guard offset < text.count else { throw .cut }
    guard text[offset] == 0x3D else { throw .malformed(offset) }
    offset += 1
    skipSpace()
    return (name, try literal())
  }

  /// What stands in quotes.
  private mutating func literal() throws(Fault) -> Range<Int> {
    guard offset < text.count else { throw .cut }
    let quote = text[offset]
    guard quote == 0x22 || quote == 0x27 else { throw .malformed(offset) }
    let start = offset + 1
    offset = start
    while offset < text.count, text[offset] != quote { offset += 1 }
    guard offset < text.count else { throw .cut }
    offset += 1
    return start..<offset - 1
  }

  private mutating func readName() throws(Fault) -> Range<Int> {
    let start = offset
    while offset < text.count, !endsName(text[offset]) { offset += 1 }
    guard offset < text.count else { throw .cut }
    guard offset > start else { throw .malformed(offset) }
    return start..<offset
  }

  /// A document type declaration; what stands in its brackets, which may be nothing.
  private mutating func subset() throws(Fault) -> Range<Int> {
    var inner = offset..<offset
    offset += 2
    while offset < text.count {
      switch text[offset] {
      case 0x22, 0x27: _ = try literal()
      case 0x5B:
        inner = offset + 1..<offset + 1
        offset += 1
        try skipSubset()
        inner = inner.lowerBound..<offset - 1
      case 0x3E:
        offset += 1
        return inner
      default: offset += 1
      }
    }
    throw .cut
  }

  /// Moves behind the bracket that ends the inner part of a declaration.
  private mutating func skipSubset() throws(Fault) {
    while offset < text.count {
      if has("<!--") {
        offset = try end(of: "-->", from: offset + 4)
      } else if has("<?") {
        offset = try end(of: "?>", from: offset + 2)
      } else if text[offset] == 0x22 || text[offset] == 0x27 {
        _ = try literal()
      } else {
        offset += 1
        if text[offset - 1] == 0x5D { return }
      }
    }
    throw .cut
  }

  private mutating func skipSpace() {
    while offset < text.count, isSpace(text[offset]) { offset += 1 }
  }

  private func has(_ piece: String) -> Bool { text.span.has(piece, at: offset) }

  private func end(of piece: String, from start: Int) throws(Fault) -> Int {
    let length = piece.utf8.count
    var position = start
    let last = text.count - length
    let first = piece.utf8.first ?? 0
    while position <= last {
      if text[position] == first, text.span.has(piece, at: position) { return position + length }
      position += 1
    }
    throw .cut
  }

  private func endsName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x27, 0x2F, 0x3C, 0x3D, 0x3E: true
    default: isSpace(byte)
    }
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
#endif
