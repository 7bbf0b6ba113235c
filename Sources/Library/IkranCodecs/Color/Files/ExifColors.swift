/// Finds what an EXIF block says of colours (EXIF 2.32, §4.6.5 and §4.6.7).
enum ExifColors {
  /// The colours that `block` names, which starts at the byte-order mark; nil when it names none.
  static func read(_ block: Span<UInt8>) -> ColorSource? {
    guard let tiff = TIFFReader(block) else { return nil }
    let first = ExifDirectory(tiff, block, at: tiff.firstDirectory)
    switch space(of: block, first: first) {
    case .sRGB: return .sRGB
    case .adobeRGB: return .adobeRGB
    case .uncalibrated, nil: return nil
    }
  }

  /// The colour space: 1 stands for sRGB, 2 in files of some cameras for Adobe RGB, 65535 for
  /// others, of which the interoperability index R03 stands for Adobe RGB.
  static func space(
    of block: Span<UInt8>,
    first: ExifDirectory
  ) -> ExifFacts.ColorSpace? {
    guard let photo = first.directory(0x8769, block) else { return nil }
    switch photo.integer(0xA001, block) {
    case 1: return .sRGB
    case 2: return .adobeRGB
    case 0xFFFF:
      // In some files the directory hangs on the first one.
      let rules = photo.directory(0xA005, block) ?? first.directory(0xA005, block)
      return rules?.text(0x0001, block) == "R03" ? .adobeRGB : .uncalibrated
    default: return nil
    }
  }
}
