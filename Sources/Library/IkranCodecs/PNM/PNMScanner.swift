/// Reads the text of a PNM file: numbers and words between white space and comments.
struct PNMScanner: Sendable {
  /// Where the next byte is.
  var offset: Int

  /// Moves to the next byte that is neither white space nor part of a comment, which lasts from `#`
  /// to the end of its line.
  mutating func skipSpace(_ bytes: Span<UInt8>) {
    while let byte = bytes.byte(at: offset) {
      if byte == 0x23 {
        skipLine(bytes)
      } else if Self.isSpace(byte) {
        offset += 1
      } else {
        return
      }
    }
  }

  /// Moves after the next line feed or carriage return.
  mutating func skipLine(_ bytes: Span<UInt8>) {
    while let byte = bytes.byte(at: offset), byte != 0x0A, byte != 0x0D { offset += 1 }
    offset = min(offset + 1, bytes.count)
  }

  /// The next number; what is larger than 2³¹ − 1 counts as that.
  ///
  /// - Throws: ``DecodeError`` when the bytes end before it, or there is none.
  mutating func number(_ bytes: Span<UInt8>) throws(DecodeError) -> Int {
    skipSpace(bytes)
    var (value, hasDigits) = (0, false)
    while let byte = bytes.byte(at: offset), (0x30...0x39).contains(byte) {
      value = min(value * 10 + Int(byte - 0x30), 0x7FFF_FFFF)
      hasDigits = true
      offset += 1
    }
    if hasDigits { return value }
    guard offset < bytes.count else { throw .truncated(.pnm, offset: bytes.count) }
    throw .malformed(.pnm, offset: offset, reason: "there is no number")
  }

  /// The next pixel of a PBM file in text, 0 or 1; white space before it may be missing.
  ///
  /// - Throws: ``DecodeError`` when the bytes end before it, or there is none.
  mutating func bit(_ bytes: Span<UInt8>) throws(DecodeError) -> Int {
    skipSpace(bytes)
    guard let byte = bytes.byte(at: offset) else { throw .truncated(.pnm, offset: bytes.count) }
    guard byte == 0x30 || byte == 0x31 else {
      throw .malformed(.pnm, offset: offset, reason: "a pixel is neither 0 nor 1")
    }
    offset += 1
    return Int(byte - 0x30)
  }

  /// The next word, up to white space, and at most 32 letters of it.
  ///
  /// - Throws: ``DecodeError/truncated(_:offset:)`` when the bytes end with it, or before it.
  mutating func word(_ bytes: Span<UInt8>) throws(DecodeError) -> String {
    skipSpace(bytes)
    var letters: [UInt8] = []
    while let byte = bytes.byte(at: offset), !Self.isSpace(byte) {
      if letters.count < 32 { letters.append(byte) }
      offset += 1
    }
    guard offset < bytes.count else { throw .truncated(.pnm, offset: bytes.count) }
    return String(decoding: letters, as: UTF8.self)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
