/// One chunk that lies wholly within a file (PNG 3rd edition, section 5.3).
struct PNGChunk {
  /// Where its type begins.
  private let start: Int
  /// Where its data is.
  let body: Range<Int>

  /// The chunk at `offset`; nil when the file ends before it, or its type is not of four letters.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard let length = bytes.bigEndian32(at: offset), length <= 0x7FFF_FFFF,
      length <= bytes.count - offset - 12
    else { return nil }
    (start, body) = (offset + 4, offset + 8..<offset + 8 + length)
    for place in start..<start + 4 {
      guard (0x41...0x5A).contains(bytes[place] & 0xDF), bytes[place] < 0x80 else { return nil }
    }
  }

  /// Where the next chunk begins.
  var end: Int { body.upperBound + 4 }

  /// Whether it has this type.
  func has(_ type: String, in bytes: Span<UInt8>) -> Bool { bytes.has(type, at: start) }

  /// Whether a decoder may skip it without understanding it.
  func isAncillary(in bytes: Span<UInt8>) -> Bool { bytes[start] & 0x20 != 0 }

  /// Whether its checksum is right.
  func isIntact(in bytes: Span<UInt8>) -> Bool {
    let sum = InflateHandle.crc32(bytes.extracting(start..<body.upperBound))
    return bytes.bigEndian32(at: body.upperBound) == sum
  }
}
