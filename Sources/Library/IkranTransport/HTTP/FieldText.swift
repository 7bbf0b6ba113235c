/// Values of header fields as text, from which their bytes can be restored.
///
/// A field's value is bytes (RFC 9110, section 5.5), nearly always ASCII or UTF-8, but an entity
/// tag has to go back exactly as it came. So each byte that is no part of UTF-8 becomes one of 128
/// characters for private use, U+EF80 to U+EFFF. Where a value has one of these itself, its bytes
/// are kept in this way too, so each text decodes to exactly one byte sequence.
package enum FieldText {
  private static let escapes: ClosedRange<UInt32> = 0xEF80...0xEFFF

  /// The text of some bytes.
  package static func text(of bytes: ArraySlice<UInt8>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    var (text, rest) = (String.UnicodeScalarView(), bytes)
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let scalars = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars
      if let scalar = scalars?.first, !escapes.contains(scalar.value) {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let escape = Unicode.Scalar(0xEF00 + UInt32(first)) { text.append(escape) }
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// The bytes of a text.
  package static func bytes(of text: some StringProtocol) -> [UInt8] {
    // The first byte of U+E000 to U+EFFF in UTF-8.
    guard text.utf8.contains(0xEE) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      escapes.contains(scalar.value)
        ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(scalar.utf8)
    }
  }
}
