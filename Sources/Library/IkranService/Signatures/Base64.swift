/// Base64 without padding (RFC 4648), in one of its two alphabets.
struct Base64: Sendable {
  /// That of section 5, with `-` and `_`.
  static let url = Base64(last: "-_")
  /// That of section 4, with `+` and `/`.
  static let standard = Base64(last: "+/")

  private let digits: [UInt8]
  /// By digit; 255 is none.
  private let values: [UInt8]

  private init(last: String) {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    digits = Array((alphabet + last).utf8)
    var table = [UInt8](repeating: 255, count: 256)
    for (value, digit) in digits.enumerated() { table[Int(digit)] = UInt8(value) }
    values = table
  }

  /// The bytes of a text, or nil when it has another character or ends in the middle.
  ///
  /// Bits of the last digit that belong to no byte do not matter.
  func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in text {
      let value = values[Int(digit)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }

  /// Whether a byte is a digit.
  func isDigit(_ byte: UInt8) -> Bool { values[Int(byte)] < 64 }

  /// The text of bytes.
  func encoded(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(digits[Int(bits >> UInt32(bitCount) & 63)])
      }
    }
    if bitCount > 0 { text.append(digits[Int(bits << UInt32(6 - bitCount) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// The text of the bytes; those that are not UTF-8 become U+FFFD.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// The bytes without the `=` at their end.
  var droppingPadding: ArraySlice<UInt8> {
    self[..<((lastIndex { $0 != UInt8(ascii: "=") } ?? startIndex - 1) + 1)]
  }

  /// Where the bytes have others in them first.
  func position(of other: [UInt8]) -> Int? {
    guard let first = other.first else { return nil }
    var start = startIndex
    while let found = self[start...].firstIndex(of: first) {
      if self[found...].starts(with: other) { return found }
      start = found + 1
    }
    return nil
  }
}
