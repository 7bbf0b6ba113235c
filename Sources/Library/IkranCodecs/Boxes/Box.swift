#if AVIF || HEIC
/// A box of an ISO base media file (ISO/IEC 14496-12, section 4.2).
struct Box: Sendable {
  /// Its four letters.
  let type: String
  /// What follows its header, up to the end that it declares.
  let body: Range<Int>

  /// What follows the version and the flags of a full box; empty where there is nothing.
  var content: Range<Int> { min(body.lowerBound + 4, body.upperBound)..<body.upperBound }
}

/// Boxes side by side, read one by one.
struct BoxSequence {
  /// Where the next box begins.
  private(set) var offset: Int
  private let end: Int

  /// The boxes in a range of the file.
  init(in range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  /// The next box; nil when no header follows, and for a box that reaches past the range.
  mutating func next(_ bytes: Span<UInt8>) -> Box? {
    guard offset <= end - 8, let short = bytes.bigEndian32(at: offset),
      let type = bytes.letters(at: offset + 4)
    else { return nil }
    var start = offset + 8
    var length = short
    if short == 1 {
      guard let high = bytes.bigEndian32(at: start), let low = bytes.bigEndian32(at: start + 4),
        high < 1 << 30
      else { return nil }
      length = high << 32 | low
      start += 8
    } else if short == 0 {
      length = end - offset
    }
    guard length >= start - offset, length <= end - offset else { return nil }
    offset += length
    return Box(type: type, body: start..<offset)
  }

  /// How many boxes of a type a file has, not in others.
  static func count(_ type: String, _ bytes: Span<UInt8>) -> Int {
    var boxes = BoxSequence(in: 0..<bytes.count)
    var count = 0
    while let box = boxes.next(bytes) { count += box.type == type ? 1 : 0 }
    return count
  }

  /// The first box of a type.
  static func first(_ type: String, _ bytes: Span<UInt8>, in range: Range<Int>) -> Box? {
    var boxes = BoxSequence(in: range)
    while let box = boxes.next(bytes) {
      if box.type == type { return box }
    }
    return nil
  }
}

extension Span where Element == UInt8 {
  /// Four bytes as text.
  func letters(at offset: Int) -> String? {
    guard offset >= 0, offset <= count - 4 else { return nil }
    return String(decoding: (offset..<offset + 4).map { self[$0] }, as: UTF8.self)
  }

  /// A number of 16 or 32 bits.
  func bigEndian(_ isWide: Bool, at offset: Int) -> Int? {
    isWide ? bigEndian32(at: offset) : bigEndian16(at: offset)
  }

  /// A number of 64 bits; `Int.max` for one that is larger.
  func bigEndian64(at offset: Int) -> Int? {
    guard let high = bigEndian32(at: offset), let low = bigEndian32(at: offset + 4) else {
      return nil
    }
    return high < 1 << 31 ? high << 32 | low : .max
  }
}
#endif
