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

  /// The directory that an entry points to; nil without that entry.
  func directory(_ tag: Int, _ block: Span<UInt8>) -> ExifDirectory? {
    integer(tag, block).map { ExifDirectory(tiff, block, at: $0) }
  }

  private func entry(_ tag: Int) -> TIFFReader.Entry? { entries.first { $0.tag == tag } }
}
