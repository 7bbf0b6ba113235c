/// Header lines as they arrived, split into fields when one is read.
///
/// A response has a dozen fields, of which most are never looked at.
struct HeaderText: Sendable {
  /// Whole lines, each with its line feed; those that are no fields are skipped.
  let lines: [UInt8]

  init(_ lines: [UInt8] = []) { self.lines = lines }

  init(_ fields: [HeaderField]) {
    lines = fields.flatMap { FieldText.bytes(of: "\($0.name): \($0.value)\n") }
  }

  /// All fields, in order of arrival.
  var fields: [HeaderField] {
    var fields: [HeaderField] = []
    var position = 0
    while let field = next(from: &position) {
      fields.append(HeaderField(text(field.name), text(field.value)))
    }
    return fields
  }

  /// The fields of these names, compared without regard to case, in order of arrival.
  func fields(named names: [String]) -> [HeaderField] {
    var fields: [HeaderField] = []
    var position = 0
    while let field = next(from: &position) {
      guard names.contains(where: { isSame(field.name, $0) }) else { continue }
      fields.append(HeaderField(text(field.name), text(field.value)))
    }
    return fields
  }

  /// The header without the fields of these names.
  func without(_ names: [String]) -> HeaderText {
    HeaderText(fields.filter { field in !names.contains { field.isNamed($0) } })
  }

  /// The value of the first field of that name, compared without regard to case, or nil.
  func first(_ name: String) -> String? {
    var position = 0
    while let field = next(from: &position) {
      if isSame(field.name, name) { return text(field.value) }
    }
    return nil
  }

  /// The value of the last field of that name, compared without regard to case, or nil.
  func last(_ name: String) -> String? {
    var (position, last) = (0, Range<Int>?.none)
    while let field = next(from: &position) {
      if isSame(field.name, name) { last = field.value }
    }
    return last.map(text)
  }

  private func text(_ range: Range<Int>) -> String {
    FieldText.text(of: lines[range])
  }

  private func isSame(_ range: Range<Int>, _ name: String) -> Bool {
    range.count == name.utf8.count
      && zip(range, name.utf8).allSatisfy { lowercased(lines[$0]) == lowercased($1) }
  }

  /// Where the name and the value of the next field lie; nil behind the last.
  private func next(from position: inout Int) -> (name: Range<Int>, value: Range<Int>)? {
    while position < lines.count {
      let line = position..<(lines[position...].firstIndex(of: 0x0A) ?? lines.count)
      position = line.upperBound + 1
      let field = trimmed(line)
      if let colon = lines[field].firstIndex(of: UInt8(ascii: ":")) {
        return (field.lowerBound..<colon, trimmed(colon + 1..<field.upperBound))
      }
    }
    return nil
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var range = range
    while let first = range.first, Self.isWhite(lines[first]) {
      range = first + 1..<range.upperBound
    }
    while let last = range.last, Self.isWhite(lines[last]) { range = range.lowerBound..<last }
    return range
  }

  /// Whether it is a space, a tab or the end of a line.
  static func isWhite(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0D || byte == 0x0A || byte == 0x09
  }
}

extension HeaderField {
  /// Whether a request may have it: its name is a token and its value neither ends the line nor has
  /// other control characters (RFC 9110, sections 5.1 and 5.5).
  package var canBeSent: Bool {
    let isToken = name.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";")
    }
    let isOneLine = value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    return !name.isEmpty && isToken && isOneLine
  }

  /// Whether it has this name, compared without regard to case.
  package func isNamed(_ other: String) -> Bool {
    let (name, other) = (name.utf8, other.utf8)
    return name.count == other.count
      && zip(name, other).allSatisfy { lowercased($0) == lowercased($1) }
  }
}

/// An ASCII letter in lower case; any other byte as it is.
package func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

extension StringProtocol {
  /// Whether both are the same bytes of UTF-8; `==` takes letters with accents for equal that are
  /// spelled differently.
  package func hasSameBytes(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}

/// A text without the spaces and tabs around it.
package func trimmed(_ text: Substring) -> Substring {
  var text = text
  while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
  while let last = text.last, last == " " || last == "\t" { text.removeLast() }
  return text
}
