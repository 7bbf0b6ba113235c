import IkranPixels

/// Finds tag 0x0112 in the first directory of an EXIF block (TIFF 6.0 section 2, EXIF 2.32 §4.6.4).
enum ExifOrientation {
  /// The orientation in `tiff`, which starts at the byte-order mark.
  ///
  /// A damaged block, an absent tag and a value outside 1…8 all mean upright: pictures are shown
  /// whatever their metadata says.
  static func read(_ tiff: Span<UInt8>) -> Orientation {
    let isBigEndian = tiff.has("MM", at: 0)
    guard isBigEndian || tiff.has("II", at: 0) else { return .up }
    func word(_ offset: Int) -> Int? {
      isBigEndian ? tiff.bigEndian16(at: offset) : tiff.littleEndian16(at: offset)
    }
    func long(_ offset: Int) -> Int? {
      isBigEndian ? tiff.bigEndian32(at: offset) : tiff.littleEndian32(at: offset)
    }
    guard word(2) == 42, let directory = long(4), let entries = word(directory) else { return .up }
    for index in 0..<entries {
      let entry = directory + 2 + index * 12
      guard let tag = word(entry), let type = word(entry + 2) else { return .up }
      guard tag == 0x0112 else { continue }
      let value: Int? =
        switch type {
        case 1: tiff.byte(at: entry + 8).map(Int.init)
        case 3: word(entry + 8)
        case 4: long(entry + 8)
        default: nil
        }
      return value.flatMap(UInt8.init(exactly:)).flatMap(Orientation.init(rawValue:)) ?? .up
    }
    return .up
  }
}
