/// The entries of one directory of an EXIF block, by tag; the first of each counts.
struct ExifDirectory: Sendable {
  private let tiff: TIFFReader
  private(set) var entries: [TIFFReader.Entry]
  /// Where the next directory is; 0 for none.
  let next: Int

  init(_ tiff: TIFFReader, _ block: Span<UInt8>, at offset: Int) {
    self.tiff = tiff
    (entries, next) = tiff.entries(of: block, at: offset)
  }

  func has(_ tag: Int) -> Bool { entries.contains { $0.tag == tag } }

  func text(_ tag: Int, _ block: Span<UInt8>) -> String? {
    entry(tag).flatMap { tiff.text($0, of: block) }
  }

  func integer(_ tag: Int, _ block: Span<UInt8>) -> Int? {
    entry(tag).flatMap { tiff.integer($0, of: block) }
  }

  func fraction(_ tag: Int, _ block: Span<UInt8>) -> ExifFacts.Fraction? {
    entry(tag).flatMap { tiff.fraction($0, of: block) }.map { ExifFacts.Fraction($0) }
  }

  /// An angle in degrees, from its degrees, minutes and seconds, of which the last may be left out,
  /// or be 0/0; nil when one is damaged, negative or, but for the degrees, 60 or more.
  func angle(_ tag: Int, _ block: Span<UInt8>) -> Double? {
    guard let parts = entry(tag), (1...3).contains(parts.count) else { return nil }
    var (angle, unit) = (0.0, 1.0)
    for index in 0..<parts.count {
      if index == 2, tiff.isUnknown(parts, of: block, index: index) { break }
      guard let part = tiff.fraction(parts, of: block, index: index).map(ExifFacts.Fraction.init),
        part.value >= 0, index == 0 || part.value < 60
      else { return nil }
      angle += part.value * unit
      unit /= 60
    }
    return angle
  }

  /// The directory that an entry points to; nil without that entry.
  func directory(_ tag: Int, _ block: Span<UInt8>) -> ExifDirectory? {
    integer(tag, block).map { ExifDirectory(tiff, block, at: $0) }
  }

  private func entry(_ tag: Int) -> TIFFReader.Entry? { entries.first { $0.tag == tag } }
}
