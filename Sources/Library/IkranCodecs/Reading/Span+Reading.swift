/// Bounds-checked reads: nil means the bytes end before the value does.
extension Span where Element == UInt8 {
  func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[offset] : nil
  }

  func bigEndian16(at offset: Int) -> Int? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    return Int(self[offset]) << 8 | Int(self[offset + 1])
  }

  func bigEndian32(at offset: Int) -> Int? {
    guard let high = bigEndian16(at: offset), let low = bigEndian16(at: offset + 2) else {
      return nil
    }
    return high << 16 | low
  }

  func littleEndian16(at offset: Int) -> Int? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    return Int(self[offset + 1]) << 8 | Int(self[offset])
  }

  func littleEndian24(at offset: Int) -> Int? {
    guard let low = littleEndian16(at: offset), let high = byte(at: offset + 2) else { return nil }
    return Int(high) << 16 | low
  }

  func littleEndian32(at offset: Int) -> Int? {
    guard let low = littleEndian16(at: offset), let high = littleEndian16(at: offset + 2) else {
      return nil
    }
    return high << 16 | low
  }

  /// Whether `pattern` lies at `offset`, wholly inside the bytes.
  func has(_ pattern: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset <= count - pattern.count else { return false }
    for (index, byte) in pattern.enumerated() where self[offset + index] != byte { return false }
    return true
  }

  /// Whether the ASCII `text` lies at `offset`, wholly inside the bytes.
  func has(_ text: String, at offset: Int, ignoringCase: Bool = false) -> Bool {
    guard offset >= 0, offset <= count - text.utf8.count else { return false }
    var position = offset
    for expected in text.utf8 {
      var byte = self[position]
      if ignoringCase, (0x41...0x5A).contains(byte) { byte |= 0x20 }
      if byte != expected { return false }
      position += 1
    }
    return true
  }
}
