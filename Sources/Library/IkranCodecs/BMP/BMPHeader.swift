import IkranPixels

/// The headers of a BMP file, of Windows and of OS/2 (MS-WMF, section 2.2.2; OS/2's BITMAPINFO and
/// BITMAPINFO2).
struct BMPHeader: Sendable {
  /// How pixels are stored.
  enum Coding: Sendable {
    case plain
    /// Run lengths of indices of eight bits, or of four.
    case runs
  }

  /// Where a header is, and which.
  enum Place: Sendable {
    /// After the 14 bytes with which a file begins.
    case file
    /// Alone, at this offset: a picture in an icon, of twice its height.
    case icon(offset: Int)
  }

  /// The length of the second header of OS/2 1.x and Windows 2.
  private static let coreLength = 12
  private enum Length {
    static let info = 40
    /// The first version with masks, and the first with one for alpha.
    static let masks = 52
    static let alphaMask = 56
    static let os2 = 64
    /// The first version with colours.
    static let version4 = 108
    static let version5 = 124
  }

  let size: PixelSize
  let isBottomUp: Bool
  /// 1, 2, 4, 8, 16, 24 or 32.
  let bitsPerPixel: Int
  let coding: Coding
  /// Red, green and blue in a pixel of 16 or 32 bits; nil for indices and for whole bytes.
  let masks: [UInt32]?
  /// Alpha in a pixel of 16 or 32 bits; 0 for none.
  let alphaMask: UInt32
  /// Where the palette is; empty without one.
  let palette: Range<Int>
  /// The bytes of one of its colours: blue, green, red, and perhaps another.
  let paletteEntryLength: Int
  /// Where the pixels are.
  let dataOffset: Int
  /// Where the second header begins, and how long it is.
  let start: Int
  let length: Int

  /// Whether a second header may have this many bytes.
  static func isLength(_ length: Int) -> Bool {
    // OS/2 2.x cuts its header off after any field.
    length == coreLength || (16...Length.os2).contains(length) || length == Length.version4
      || length == Length.version5
  }

  /// Reads the headers.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>, at place: Place = .file) throws(DecodeError) {
    let fields = try BMPFields(bytes, at: place)
    (start, length) = (fields.start, fields.length)
    bitsPerPixel = fields.bitsPerPixel
    isBottomUp = fields.height > 0
    let height = fields.isIcon ? fields.height.magnitude / 2 : fields.height.magnitude
    size = PixelSize(width: fields.width, height: Int(height))
    guard size.isPositive else {
      throw fields.malformed("the image is \(fields.width)×\(fields.height) pixels")
    }
    guard [1, 2, 4, 8, 16, 24, 32].contains(bitsPerPixel) else {
      throw fields.malformed("pixels of \(bitsPerPixel) bits do not exist")
    }
    let hasMasks: Bool
    (coding, hasMasks) = try fields.coding()
    var end = start + length
    if hasMasks {
      let count = length >= Length.alphaMask || fields.compression == 6 ? 4 : 3
      let found = try fields.masks(bytes, count: count)
      (masks, alphaMask) = (Array(found[..<3]), count == 4 ? found[3] : 0)
      if length < Length.masks { end += count * 4 }
    } else {
      masks = bitsPerPixel == 16 ? [0x7C00, 0x03E0, 0x001F] : nil
      let isLong = length >= Length.version4
      alphaMask = bitsPerPixel == 32 ? try fields.alphaByte(bytes, isLong: isLong) : 0
    }
    paletteEntryLength = length == Self.coreLength ? 3 : 4
    palette = fields.palette(from: end, entryLength: paletteEntryLength)
    dataOffset = fields.dataOffset.flatMap { $0 >= end ? $0 : nil } ?? palette.upperBound
  }

  /// The bytes of a row, which is padded to whole words of 32 bits.
  var bytesPerRow: Int {
    // A width has 31 bits.
    (size.width * bitsPerPixel + 31) / 32 * 4
  }

  /// Whether the header says what colours are.
  var hasColors: Bool { length >= Length.version4 }
}

/// The fields of a second header, as they are.
struct BMPFields {
  let start: Int
  let length: Int
  let isIcon: Bool
  let width: Int
  /// Negative when the highest row comes first.
  let height: Int
  let bitsPerPixel: Int
  let compression: Int
  private let colorCount: Int
  /// Where the file says that its pixels are.
  let dataOffset: Int?

  init(_ bytes: Span<UInt8>, at place: BMPHeader.Place) throws(DecodeError) {
    switch place {
    case .file: (start, isIcon, dataOffset) = (14, false, bytes.littleEndian32(at: 10))
    case .icon(let offset): (start, isIcon, dataOffset) = (offset, true, nil)
    }
    let start = start
    guard let length = bytes.littleEndian32(at: start) else {
      throw .truncated(.bmp, offset: bytes.count)
    }
    guard BMPHeader.isLength(length) else {
      let reason = "a header of \(length) bytes does not exist"
      throw .malformed(.bmp, offset: start, reason: reason)
    }
    guard length <= bytes.count - start else { throw .truncated(.bmp, offset: bytes.count) }
    self.length = length
    let header = bytes.extracting(start..<start + length)
    if length == 12 {
      width = header.littleEndian16(at: 4) ?? 0
      height = header.littleEndian16(at: 6) ?? 0
      bitsPerPixel = header.littleEndian16(at: 10) ?? 0
      (compression, colorCount) = (0, 0)
    } else {
      width = Self.signed(header, at: 4)
      height = Self.signed(header, at: 8)
      bitsPerPixel = header.littleEndian16(at: 14) ?? 0
      // A short header of OS/2 has zeros here.
      compression = header.littleEndian32(at: 16) ?? 0
      colorCount = header.littleEndian32(at: 32) ?? 0
    }
  }

  private static func signed(_ header: Span<UInt8>, at offset: Int) -> Int {
    Int(Int32(truncatingIfNeeded: header.littleEndian32(at: offset) ?? 0))
  }

  func malformed(_ reason: String) -> DecodeError {
    .malformed(.bmp, offset: start + 4, reason: reason)
  }

  /// How pixels are stored, and whether masks say where their channels are.
  func coding() throws(DecodeError) -> (BMPHeader.Coding, hasMasks: Bool) {
    switch (compression, bitsPerPixel) {
    case (0, _): return (.plain, false)
    case (1, 8), (2, 4): return (.runs, false)
    // In a header of OS/2 2.x the numbers stand for others.
    case (3, 1) where length == 64: throw .unsupported(.bmp, feature: "Huffman coding")
    case (4, 24) where length == 64: throw .unsupported(.bmp, feature: "run lengths of 24 bits")
    case (3, 16), (3, 32), (6, 16), (6, 32): return (.plain, true)
    case (3, 24): return (.plain, false)
    case (4, _): throw .unsupported(.bmp, feature: "a JPEG picture inside it")
    case (5, _): throw .unsupported(.bmp, feature: "a PNG picture inside it")
    default:
      throw malformed("compression \(compression) of \(bitsPerPixel) bits does not exist")
    }
  }

  /// The masks of red, green, blue and alpha, which are in a long header, and after a short one.
  func masks(_ bytes: Span<UInt8>, count: Int) throws(DecodeError) -> [UInt32] {
    var masks: [UInt32] = []
    for index in 0..<count {
      guard let mask = bytes.littleEndian32(at: start + 40 + index * 4) else {
        throw .truncated(.bmp, offset: bytes.count)
      }
      masks.append(UInt32(truncatingIfNeeded: mask))
    }
    return masks
  }

  /// The mask of alpha in whole bytes: in icons, and where a header of version 4 or 5 names the
  /// last byte, as browsers do when they copy a picture.
  func alphaByte(_ bytes: Span<UInt8>, isLong: Bool) throws(DecodeError) -> UInt32 {
    let lastByte: UInt32 = 0xFF00_0000
    if isIcon { return lastByte }
    guard isLong else { return 0 }
    return try masks(bytes, count: 4)[3] == lastByte ? lastByte : 0
  }

  /// Where the palette is, which ends with the pixels' beginning at the latest.
  func palette(from offset: Int, entryLength: Int) -> Range<Int> {
    guard bitsPerPixel <= 8 else {
      // It is a suggestion for other screens.
      let count = min(colorCount, 256)
      return offset..<offset + (isIcon ? count * entryLength : 0)
    }
    let most = 1 << bitsPerPixel
    let count = colorCount == 0 ? most : min(colorCount, most)
    let end = offset + count * entryLength
    guard let dataOffset, dataOffset > offset else { return offset..<end }
    return offset..<min(end, dataOffset)
  }
}
