/// Finds what an EXIF block says of colours (EXIF 2.32, §4.6.5 and §4.6.7).
enum ExifColors {
  /// The colours that `tiff` names, which starts at the byte-order mark; nil when it names none.
  ///
  /// 1 stands for sRGB; 65535 for other colours, of which the interoperability index R03 stands for
  /// Adobe RGB.
  static func read(_ tiff: Span<UInt8>) -> ColorSource? {
    guard let directory = Directory(tiff, at: Directory.first(tiff)),
      let exif = Directory(tiff, at: directory.value(of: 0x8769, in: tiff))
    else { return nil }
    switch exif.value(of: 0xA001, in: tiff) {
    case 1: return .sRGB
    case 0xFFFF:
      // In some files the directory hangs on the first one.
      let place = exif.value(of: 0xA005, in: tiff) ?? directory.value(of: 0xA005, in: tiff)
      guard let index = Directory(tiff, at: place)?.offset(of: 1, in: tiff),
        tiff.has("R03", at: index)
      else { return nil }
      return .adobeRGB
    default: return nil
    }
  }

  /// A list of tags (TIFF 6.0, section 2).
  private struct Directory {
    private let start: Int
    private let count: Int
    private let isBigEndian: Bool

    /// Where the first one begins.
    static func first(_ tiff: Span<UInt8>) -> Int? {
      if tiff.has("MM", at: 0) { return tiff.bigEndian32(at: 4) }
      return tiff.has("II", at: 0) ? tiff.littleEndian32(at: 4) : nil
    }

    init?(_ tiff: Span<UInt8>, at offset: Int?) {
      isBigEndian = tiff.has("MM", at: 0)
      guard let offset,
        let count = isBigEndian ? tiff.bigEndian16(at: offset) : tiff.littleEndian16(at: offset)
      else { return nil }
      (start, self.count) = (offset + 2, count)
    }

    /// The number in an entry of one SHORT or LONG.
    func value(of tag: Int, in tiff: Span<UInt8>) -> Int? {
      guard let place = offset(of: tag, in: tiff) else { return nil }
      switch word(tiff, place - 6) {
      case 3: return word(tiff, place)
      case 4: return isBigEndian ? tiff.bigEndian32(at: place) : tiff.littleEndian32(at: place)
      default: return nil
      }
    }

    /// Where the value of an entry of at most four bytes lies.
    func offset(of tag: Int, in tiff: Span<UInt8>) -> Int? {
      for index in 0..<count {
        guard let found = word(tiff, start + 12 * index) else { return nil }
        if found == tag { return start + 12 * index + 8 }
      }
      return nil
    }

    private func word(_ tiff: Span<UInt8>, _ offset: Int) -> Int? {
      isBigEndian ? tiff.bigEndian16(at: offset) : tiff.littleEndian16(at: offset)
    }
  }
}
