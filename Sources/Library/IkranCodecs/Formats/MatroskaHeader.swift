/// The EBML header of a Matroska or WebM film (RFC 8794, section 11.2.4).
enum MatroskaHeader {
  private static let documentType = 0x4282
  /// The most elements of the header that are read.
  private static let maximumElements = 64

  /// The format that the header names; nil for another document type, and when it is not there.
  static func format(of prefix: Span<UInt8>) -> ImageFormat? {
    guard let (length, start) = number(prefix, at: 4, keepsMarker: false) else { return nil }
    let end = length < prefix.count ? min(prefix.count, start + length) : prefix.count
    var offset = start
    for _ in 0..<maximumElements {
      guard offset < end, let (id, afterID) = number(prefix, at: offset, keepsMarker: true),
        let (size, body) = number(prefix, at: afterID, keepsMarker: false), size <= end - body
      else { return nil }
      if id == documentType {
        if prefix.has("webm", at: body), isEnd(of: prefix, at: body + 4, end: body + size) {
          return .webm
        }
        if prefix.has("matroska", at: body), isEnd(of: prefix, at: body + 8, end: body + size) {
          return .mkv
        }
        return nil
      }
      offset = body + size
    }
    return nil
  }

  /// Whether text ends at an offset: with its element, or with zeros.
  private static func isEnd(of prefix: Span<UInt8>, at offset: Int, end: Int) -> Bool {
    offset == end || (offset < end && prefix.byte(at: offset) == 0)
  }

  /// A number of one to eight bytes, whose leading zeros tell how many, and where it ends.
  private static func number(
    _ prefix: Span<UInt8>,
    at offset: Int,
    keepsMarker: Bool
  ) -> (value: Int, end: Int)? {
    guard let first = prefix.byte(at: offset), first != 0 else { return nil }
    let more = first.leadingZeroBitCount
    guard offset + more < prefix.count else { return nil }
    var value = Int(keepsMarker ? first : first & (0x7F >> UInt8(more)))
    // Seven more bytes make 56 bits at most, and an identifier has four bytes at most.
    guard !keepsMarker || more < 4 else { return nil }
    for index in 0..<more { value = value << 8 | Int(prefix[offset + 1 + index]) }
    return (value, offset + 1 + more)
  }
}
