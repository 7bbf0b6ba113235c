/// Percent-encoding of text (RFC 3986, section 2.1): `%` and two hexadecimal digits for a byte.
package enum PercentEncoding {
  /// Encodes a path for a URL: all bytes but the unreserved ones (section 2.3) and the slash.
  package static func path(_ path: String) -> String { encoded(path, keeping: "-._~/") }

  /// Encodes all bytes of a text but ASCII letters, digits and the punctuation in `punctuation`.
  package static func encoded(
    _ text: some StringProtocol,
    keeping punctuation: String,
    uppercase: Bool = true
  ) -> String {
    let kept = Array(punctuation.utf8)
    let digits = Array((uppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        bytes.append(byte)
      case _ where kept.contains(byte):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
