import IkranPixels

/// Finds tag 0x0112 in the first directory of an EXIF block (TIFF 6.0 section 2, EXIF 2.32 §4.6.4).
enum ExifOrientation {
  /// The orientation in `block`, which starts at the byte-order mark or with JPEG's preamble before
  /// it, whatever the format: writers mix them up.
  ///
  /// The value may be of any integer type. A damaged block, an absent tag and a value outside 1…8
  /// all mean upright: pictures are shown whatever their metadata says.
  static func read(_ block: Span<UInt8>) -> Orientation {
    let tiff = block.extracting(directory(block, in: 0..<block.count))
    guard isDirectory(tiff, at: 0) else { return .up }
    let isBigEndian = tiff.has("MM", at: 0)
    func word(_ offset: Int) -> Int? {
      isBigEndian ? tiff.bigEndian16(at: offset) : tiff.littleEndian16(at: offset)
    }
    func long(_ offset: Int) -> Int? {
      isBigEndian ? tiff.bigEndian32(at: offset) : tiff.littleEndian32(at: offset)
    }
    guard let directory = long(4), let entries = word(directory) else { return .up }
    for index in 0..<entries {
      let entry = directory + 2 + index * 12
      guard let tag = word(entry), let type = word(entry + 2) else { return .up }
      guard tag == 0x0112 else { continue }
      let value: Int? =
        switch type {
        // BYTE, SHORT and LONG, and the signed ones: what is negative is out of range.
        case 1, 6: tiff.byte(at: entry + 8).map(Int.init)
        case 3, 8: word(entry + 8)
        case 4, 9: long(entry + 8)
        default: nil
        }
      return value.flatMap(UInt8.init(exactly:)).flatMap(Orientation.init(rawValue:)) ?? .up
    }
    return .up
  }

  /// The part of a block after its preamble, if it has one; some writers pad that with another byte
  /// than zero.
  static func directory(_ bytes: Span<UInt8>, in block: Range<Int>) -> Range<Int> {
    guard bytes.has("Exif\0", at: block.lowerBound) else { return block }
    return min(block.lowerBound + 6, block.upperBound)..<block.upperBound
  }

  /// Whether an EXIF block without a preamble begins at `offset`.
  static func isDirectory(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
    bytes.has("MM\0*", at: offset) || bytes.has("II*\0", at: offset)
  }
}
