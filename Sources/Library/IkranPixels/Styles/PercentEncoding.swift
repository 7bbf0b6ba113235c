/// Percent-encoding of text (RFC 3986, section 2.1): `%` and two hexadecimal digits for a byte.
package enum PercentEncoding {
  /// Encodes all bytes of a text but ASCII letters, digits and the punctuation in `punctuation`.
  package static func encoded(
    _ text: some StringProtocol,
    keeping punctuation: String,
    uppercase: Bool = true
  ) -> String {
    if text.utf8.allSatisfy({ isKept($0, punctuation) }) { return String(text) }
    return encoded(bytes: text.utf8, keeping: punctuation, uppercase: uppercase)
  }

  /// Encodes all bytes but ASCII letters, digits and the punctuation in `punctuation`.
  package static func encoded(
    bytes: some Sequence<UInt8>,
    keeping punctuation: String,
    uppercase: Bool = true
  ) -> String {
    let digits = Array((uppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    var encoded: [UInt8] = []
    for byte in bytes {
      if isKept(byte, punctuation) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func isKept(_ byte: UInt8, _ punctuation: String) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: punctuation.utf8.contains(byte)
    }
  }
}
