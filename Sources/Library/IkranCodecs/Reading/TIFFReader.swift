/// Reads directories of a TIFF structure: EXIF blocks, and TIFF files (TIFF 6.0, section 2).
///
/// Nothing is trusted: offsets, counts and types are held against the bytes that are there.
struct TIFFReader: Sendable {
  /// One entry of a directory, whose value is wholly inside the bytes.
  struct Entry: Sendable {
    let tag: Int
    let type: Int
    /// Values, not bytes.
    let count: Int
    /// Where the value is, from the byte-order mark.
    let range: Range<Int>
  }

  /// The most entries of a directory that are read.
  static let maximumEntries = 512
  /// The most bytes of a text that are read.
  static let maximumText = 4_096

  let isBigEndian: Bool
  /// Where the first directory is, from the byte-order mark; it may be anywhere.
  let firstDirectory: Int

  /// Reads the header; nil when it is none.
  init?(_ block: Span<UInt8>) {
    isBigEndian = block.has("MM", at: 0)
    guard isBigEndian || block.has("II", at: 0) else { return nil }
    let version = isBigEndian ? block.bigEndian16(at: 2) : block.littleEndian16(at: 2)
    let offset = isBigEndian ? block.bigEndian32(at: 4) : block.littleEndian32(at: 4)
    guard version == 42, let offset else { return nil }
    firstDirectory = offset
  }

  func word(_ block: Span<UInt8>, at offset: Int) -> Int? {
    isBigEndian ? block.bigEndian16(at: offset) : block.littleEndian16(at: offset)
  }

  func long(_ block: Span<UInt8>, at offset: Int) -> Int? {
    isBigEndian ? block.bigEndian32(at: offset) : block.littleEndian32(at: offset)
  }

  /// The bytes of one value of a type; nil for a type that does not exist.
  static func size(ofType type: Int) -> Int? {
    switch type {
    case 1, 2, 6, 7: 1
    case 3, 8: 2
    case 4, 9, 11, 13: 4
    case 5, 10, 12: 8
    default: nil
    }
  }

  /// The entries of a directory whose values are there, and where the next directory is; 0 for
  /// none.
  func entries(of block: Span<UInt8>, at offset: Int) -> (entries: [Entry], next: Int) {
    guard let count = word(block, at: offset) else { return ([], 0) }
    var entries: [Entry] = []
    for index in 0..<min(count, Self.maximumEntries) {
      let start = offset + 2 + index * 12
      guard let entry = readEntry(of: block, at: start) else {
        if start + 12 > block.count { break }
        continue
      }
      entries.append(entry)
    }
    return (entries, long(block, at: offset + 2 + count * 12) ?? 0)
  }

  private func readEntry(of block: Span<UInt8>, at offset: Int) -> Entry? {
    guard let tag = word(block, at: offset), let type = word(block, at: offset + 2),
      let count = long(block, at: offset + 4), let value = long(block, at: offset + 8),
      let size = Self.size(ofType: type)
    else { return nil }
    // 2^32 values of eight bytes fit an Int.
    let length = count * size
    let start = length <= 4 ? offset + 8 : value
    guard length <= block.count, start <= block.count - length else { return nil }
    return Entry(tag: tag, type: type, count: count, range: start..<start + length)
  }

  // MARK: - Values

  /// A whole number; nil for another type, and for one that is not there.
  func integer(_ entry: Entry, of block: Span<UInt8>, index: Int = 0) -> Int? {
    guard index < entry.count, let size = Self.size(ofType: entry.type) else { return nil }
    let offset = entry.range.lowerBound + index * size
    switch entry.type {
    case 1, 7: return block.byte(at: offset).map(Int.init)
    case 6: return block.byte(at: offset).map { Int(Int8(bitPattern: $0)) }
    case 3: return word(block, at: offset)
    case 8: return word(block, at: offset).map { Int(Int16(truncatingIfNeeded: $0)) }
    case 4, 13: return long(block, at: offset)
    case 9: return long(block, at: offset).map { Int(Int32(truncatingIfNeeded: $0)) }
    default: return nil
    }
  }

  /// A fraction; nil for another type, for one that is not there, and when its denominator is zero.
  func fraction(
    _ entry: Entry,
    of block: Span<UInt8>,
    index: Int = 0
  ) -> (numerator: Int, denominator: Int)? {
    guard entry.type == 5 || entry.type == 10, index < entry.count,
      let first = long(block, at: entry.range.lowerBound + index * 8),
      let second = long(block, at: entry.range.lowerBound + index * 8 + 4)
    else { return nil }
    let isSigned = entry.type == 10
    let numerator = isSigned ? Int(Int32(truncatingIfNeeded: first)) : first
    let denominator = isSigned ? Int(Int32(truncatingIfNeeded: second)) : second
    return denominator == 0 ? nil : (numerator, denominator)
  }

  /// Whether a fraction is 0/0, which EXIF writes for numbers that are not known.
  func isUnknown(_ entry: Entry, of block: Span<UInt8>, index: Int) -> Bool {
    guard entry.type == 5 || entry.type == 10, index < entry.count else { return false }
    let start = entry.range.lowerBound + index * 8
    return long(block, at: start) == 0 && long(block, at: start + 4) == 0
  }

  /// Text up to its first zero, without spaces around it; nil for another type, and when nothing is
  /// left.
  func text(_ entry: Entry, of block: Span<UInt8>) -> String? {
    guard entry.type == 2 || entry.type == 7 else { return nil }
    var bytes: [UInt8] = []
    for offset in entry.range.prefix(Self.maximumText) {
      guard block[offset] != 0 else { break }
      bytes.append(block[offset])
    }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    let text = String(decoding: bytes.drop { $0 == 0x20 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
