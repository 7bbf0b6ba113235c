#if TIFF
/// The byte order of a TIFF file, and whether its offsets have 32 bits or, in BigTIFF, 64.
struct TIFFStructure: Sendable {
  /// The most directories of a file that are counted.
  static let mostDirectories = 65_536

  let isBigEndian: Bool
  let isBig: Bool
  /// Where the first directory is; it may be anywhere.
  private(set) var firstDirectory = 0

  /// Reads the first bytes of a file.
  ///
  /// - Throws: ``DecodeError``.
  init(_ file: Span<UInt8>) throws(DecodeError) {
    isBigEndian = file.has("MM", at: 0)
    let version = isBigEndian ? file.bigEndian16(at: 2) : file.littleEndian16(at: 2)
    guard let version else { throw .truncated(.tiff, offset: file.count) }
    guard isBigEndian || file.has("II", at: 0), version == 42 || version == 43 else {
      throw .malformed(.tiff, offset: 0, reason: "its header makes no sense")
    }
    isBig = version == 43
    guard file.count >= (isBig ? 16 : 8) else { throw .truncated(.tiff, offset: file.count) }
    guard let first = number(file, at: isBig ? 8 : 4, bytes: isBig ? 8 : 4), first > 0 else {
      throw .malformed(.tiff, offset: 4, reason: "it has no directory")
    }
    firstDirectory = first
  }

  /// A number of 1, 2, 4 or 8 bytes; nil when it is not there, or does not fit an `Int`.
  func number(_ file: Span<UInt8>, at offset: Int, bytes: Int) -> Int? {
    guard offset >= 0, offset <= file.count - bytes else { return nil }
    var value: UInt64 = 0
    for index in 0..<bytes {
      value = value << 8 | UInt64(file[offset + (isBigEndian ? index : bytes - 1 - index)])
    }
    return Int(exactly: value)
  }

  /// How many entries a directory has and where they begin; nil when it is not there.
  private func head(_ file: Span<UInt8>, at offset: Int) -> (count: Int, entries: Int)? {
    let bytes = isBig ? 8 : 2
    guard let count = number(file, at: offset, bytes: bytes), count <= 65_535 else { return nil }
    return (count, offset + bytes)
  }

  private var entryLength: Int { isBig ? 20 : 12 }

  /// Finds the directory of a page, and counts those that follow each other from the first one on,
  /// as far as they are there, each once.
  ///
  /// Cost: reads a few bytes of each, of ``mostDirectories`` at most.
  ///
  /// - Parameters:
  ///   - page: The number of the page, from 0.
  ///   - file: The file, or its beginning.
  ///   - countsAll: Whether the directories after the page are looked at, too.
  /// - Returns: Where the directory is, nil for none, and how many have been looked at: all of them
  ///   where there is none.
  func find(
    page: Int,
    in file: Span<UInt8>,
    countsAll: Bool
  ) -> (directory: Int?, count: Int) {
    var (directory, visited): (Int?, Set<Int>) = (page == 0 ? firstDirectory : nil, [])
    var offset = firstDirectory
    while countsAll || directory == nil, offset > 0, visited.count < Self.mostDirectories,
      let (count, entries) = head(file, at: offset), count > 0
    {
      let end = entries + count * entryLength
      guard end <= file.count, visited.insert(offset).inserted else { break }
      if visited.count - 1 == page { directory = offset }
      offset = number(file, at: end, bytes: isBig ? 8 : 4) ?? 0
    }
    return (directory, visited.count)
  }

  /// The entries of the first directory.
  ///
  /// - Throws: ``DecodeError`` when it is not wholly there.
  func entries(_ file: Span<UInt8>) throws(DecodeError) -> [TIFFEntry] {
    try entries(file, of: firstDirectory)
  }

  /// The entries of the directory at an offset.
  ///
  /// - Throws: ``DecodeError`` when it is not wholly there.
  func entries(
    _ file: Span<UInt8>,
    of directory: Int
  ) throws(DecodeError) -> [TIFFEntry] {
    guard let (count, start) = head(file, at: directory) else {
      guard directory >= file.count - 8 else {
        throw .malformed(.tiff, offset: directory, reason: "its directory makes no sense")
      }
      throw .truncated(.tiff, offset: file.count)
    }
    guard start + count * entryLength <= file.count else {
      throw .truncated(.tiff, offset: file.count)
    }
    return (0..<count).compactMap { entry(file, at: start + $0 * entryLength) }
  }

  /// An entry; nil for one of an unknown type, and for one with more values than can be counted.
  private func entry(_ file: Span<UInt8>, at offset: Int) -> TIFFEntry? {
    let word = isBig ? 8 : 4
    guard let tag = number(file, at: offset, bytes: 2),
      let type = number(file, at: offset + 2, bytes: 2), let size = Self.size(ofType: type),
      let count = number(file, at: offset + 4, bytes: word), count > 0
    else { return nil }
    let (length, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow else { return nil }
    let value = offset + 4 + word
    let start = length <= word ? value : number(file, at: value, bytes: word)
    guard let start, start <= Int.max - length else { return nil }
    return TIFFEntry(tag: tag, type: type, count: count, range: start..<start + length)
  }

  /// The bytes of one value of a type; nil for a type that does not exist.
  private static func size(ofType type: Int) -> Int? {
    switch type {
    case 16, 17, 18: 8
    default: TIFFReader.size(ofType: type)
    }
  }

  /// A whole number of an entry, not below zero; nil for another type, and for one that is not
  /// there.
  func integer(_ entry: TIFFEntry, _ file: Span<UInt8>, index: Int = 0) -> Int? {
    guard index < entry.count, let size = Self.size(ofType: entry.type) else { return nil }
    switch entry.type {
    case 1, 3, 4, 13, 16, 18:
      return number(file, at: entry.range.lowerBound + index * size, bytes: size)
    default: return nil
    }
  }
}

/// One entry of a directory, whose value may be beyond the bytes that are there.
struct TIFFEntry: Sendable {
  let tag: Int
  let type: Int
  /// Values, not bytes.
  let count: Int
  /// Where the value is in the file.
  let range: Range<Int>
}
#endif
