/// Writes EXIF blocks from the entries of others: no offset and no byte between entries is taken
/// over.
enum ExifWriter {
  private enum Tag {
    static let orientation = 0x0112
    static let artist = 0x013B
    static let copyright = 0x8298
    static let photo = 0x8769
    static let place = 0x8825
    /// The size, layout and colour space of pixels, thumbnails, directories below, and the maker's
    /// notes.
    static let leftOut: Set<Int> = [
      0x00FE, 0x00FF, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x010A, 0x0111, 0x0115, 0x0116,
      0x0117, 0x011C, 0x0140, 0x0142, 0x0143, 0x0144, 0x0145, 0x014A, 0x0152, 0x0153, 0x015B,
      0x0201, 0x0202, 0x0211, 0x0212, 0x0213, 0x02BC, 0x83BB, 0x8649, 0x8773, 0x927C, 0xA001,
      0xA002, 0xA003, 0xA005, 0xA500, 0xC4A5, 0xEA1C,
    ]
  }

  /// An entry to be written; one with a directory has its offset as value.
  private struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    var value: [UInt8] = []
    var directory: [Entry]?
  }

  /// What is kept of a block; nil when that is nothing.
  static func kept(_ block: Span<UInt8>) -> [UInt8]? {
    guard let tiff = TIFFReader(block) else { return nil }
    // Hostile entries may share their bytes: no more is written than was there.
    var room = block.count
    var entries = read(tiff, block, at: tiff.firstDirectory, room: &room)
    for tag in [Tag.photo, Tag.place] {
      guard let offset = pointer(tag, of: block, at: tiff.firstDirectory, tiff) else { continue }
      let directory = read(tiff, block, at: offset, room: &room)
      if !directory.isEmpty {
        entries.append(Entry(tag: tag, type: 4, count: 1, directory: directory))
      }
    }
    guard !entries.isEmpty else { return nil }
    let upright: [UInt8] = tiff.isBigEndian ? [0, 1] : [1, 0]
    entries.append(Entry(tag: Tag.orientation, type: 3, count: 1, value: upright))
    return write(entries, tiff)
  }

  /// The artist and the copyright of a block; nil when it has neither.
  static func rights(_ block: Span<UInt8>) -> [UInt8]? {
    guard let tiff = TIFFReader(block) else { return nil }
    var room = block.count
    let entries = read(tiff, block, at: tiff.firstDirectory, room: &room).filter {
      $0.tag == Tag.artist || $0.tag == Tag.copyright
    }
    return entries.isEmpty ? nil : write(entries, tiff)
  }

  // MARK: - Reading

  private static func read(
    _ tiff: TIFFReader,
    _ block: Span<UInt8>,
    at offset: Int,
    room: inout Int
  ) -> [Entry] {
    let pointers = [Tag.photo, Tag.place, Tag.orientation]
    var known: Set<Int> = []
    var entries: [Entry] = []
    for entry in tiff.entries(of: block, at: offset).entries {
      guard !Tag.leftOut.contains(entry.tag), !pointers.contains(entry.tag), entry.type != 13,
        entry.range.count <= room, known.insert(entry.tag).inserted
      else { continue }
      room -= entry.range.count
      let value = block.bytes(entry.range)
      entries.append(Entry(tag: entry.tag, type: entry.type, count: entry.count, value: value))
    }
    return entries
  }

  /// Where the directory is that an entry names.
  private static func pointer(
    _ tag: Int,
    of block: Span<UInt8>,
    at directory: Int,
    _ tiff: TIFFReader
  ) -> Int? {
    ExifDirectory(tiff, block, at: directory).integer(tag, block)
  }

  // MARK: - Writing

  private static func write(_ entries: [Entry], _ tiff: TIFFReader) -> [UInt8] {
    var file: [UInt8] = tiff.isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
    file += number(42, bytes: 2, tiff) + number(8, bytes: 4, tiff)
    append(entries, to: &file, tiff)
    return file
  }

  /// Appends a directory, its values, and the directories below it.
  private static func append(_ entries: [Entry], to file: inout [UInt8], _ tiff: TIFFReader) {
    let entries = entries.sorted { $0.tag < $1.tag }
    file += number(entries.count, bytes: 2, tiff)
    let start = file.count
    file += [UInt8](repeating: 0, count: entries.count * 12 + 4)
    for (index, entry) in entries.enumerated() {
      var field = number(entry.tag, bytes: 2, tiff) + number(entry.type, bytes: 2, tiff)
      field += number(entry.count, bytes: 4, tiff)
      // Values begin at even offsets.
      if file.count % 2 == 1 { file.append(0) }
      if let directory = entry.directory {
        field += number(file.count, bytes: 4, tiff)
        append(directory, to: &file, tiff)
      } else if entry.value.count <= 4 {
        field += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        field += number(file.count, bytes: 4, tiff)
        file += entry.value
      }
      file.replaceSubrange(start + index * 12..<start + index * 12 + 12, with: field)
    }
  }

  private static func number(_ value: Int, bytes count: Int, _ tiff: TIFFReader) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return tiff.isBigEndian ? bytes.reversed() : bytes
  }
}
