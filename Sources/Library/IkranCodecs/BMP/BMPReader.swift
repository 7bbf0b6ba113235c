import IkranPixels

/// The rows of a BMP file, or of a picture in an icon.
struct BMPReader: RowReader {
  let info: ImageInfo
  private(set) var hasAlpha: Bool
  let colors: FileColors
  private let header: BMPHeader
  private let rows: PackedRows
  private var source = Source.direct

  /// Where the pixels of a row come from.
  private enum Source {
    /// Bytes of blue, green and red, and perhaps alpha.
    case direct
    /// Indices of a palette.
    case indices(palette: [UInt32])
    case runs(BMPRuns, palette: [UInt32])
    /// Fields of words of 16 or 32 bits.
    case fields(red: BitField, green: BitField, blue: BitField, alpha: BitField)
  }

  /// Reads the headers.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>, at place: BMPHeader.Place = .file) throws(DecodeError) {
    let header = try BMPHeader(bytes, at: place)
    var info = ImageInfo(format: .bmp, size: header.size)
    info.hasAlpha = header.alphaMask != 0
    if let masks = header.masks {
      info.bitsPerChannel = masks.map(\.nonzeroBitCount).max() ?? 8
    }
    info.hasICCProfile = BMPColors.hasProfile(bytes, header)
    (self.header, self.info, hasAlpha) = (header, info, info.hasAlpha)
    colors = BMPColors.read(bytes, header)
    rows = PackedRows(start: header.dataOffset, bytesPerRow: header.bytesPerRow)
  }

  var isBottomUp: Bool { header.isBottomUp }

  mutating func begin(_ bytes: Span<UInt8>, limits: DecodeLimits) throws(DecodeError) {
    hasAlpha = header.alphaMask != 0 && hasVisiblePixel(bytes)
    if let masks = header.masks {
      source = .fields(
        red: BitField(masks[0]),
        green: BitField(masks[1]),
        blue: BitField(masks[2]),
        alpha: BitField(hasAlpha ? header.alphaMask : 0, missing: 255)
      )
    } else if header.coding == .runs {
      let runs = BMPRuns(bytes, header)
      // A few bytes leave out as many pixels as one likes.
      if runs.hasGaps { try limits.checkPixels(of: info.size, holding: nil) }
      hasAlpha = runs.hasGaps
      source = .runs(runs, palette: palette(bytes))
    } else if header.bitsPerPixel <= 8 {
      source = .indices(palette: palette(bytes))
    }
  }

  mutating func read(
    row y: Int,
    of bytes: Span<UInt8>,
    into pixels: inout [UInt32]
  ) throws(DecodeError) {
    let stored = isBottomUp ? info.size.height - 1 - y : y
    if case .runs(let runs, let palette) = source {
      guard stored < runs.rowCount else { throw .truncated(.bmp, offset: bytes.count) }
      return runs.paint(row: stored, of: bytes, palette, into: &pixels)
    }
    guard let range = rows.range(of: stored, in: bytes) else {
      throw .truncated(.bmp, offset: bytes.count)
    }
    let row = bytes.extracting(range)
    switch source {
    case .indices(let palette): paintIndices(row, palette, into: &pixels)
    case .fields(let red, let green, let blue, let alpha):
      for x in pixels.indices {
        let word = wordOfPixel(x, in: row)
        pixels[x] = UInt32(
          red: red.level(in: word),
          green: green.level(in: word),
          blue: blue.level(in: word),
          alpha: alpha.level(in: word)
        )
      }
    case .direct, .runs: paintBytes(row, into: &pixels)
    }
  }

  /// Where the pixels of a picture without compression end; nil for others.
  var dataEnd: Int? {
    guard header.coding == .plain else { return nil }
    let (count, overflow) = header.bytesPerRow.multipliedReportingOverflow(by: info.size.height)
    return overflow ? nil : header.dataOffset + count
  }

  // MARK: - Pixels

  private func paintIndices(_ row: Span<UInt8>, _ palette: [UInt32], into pixels: inout [UInt32]) {
    let bits = header.bitsPerPixel
    let mask = UInt8(truncatingIfNeeded: 1 << bits - 1)
    for x in pixels.indices {
      let position = x * bits
      // The first pixel of a byte has its highest bits.
      let index = row[position >> 3] >> UInt8(8 - bits - position & 7) & mask
      pixels[x] = palette[Int(index)]
    }
  }

  private func paintBytes(_ row: Span<UInt8>, into pixels: inout [UInt32]) {
    let length = header.bitsPerPixel / 8
    for x in pixels.indices {
      let first = x * length
      pixels[x] = UInt32(
        red: row[first + 2],
        green: row[first + 1],
        blue: row[first],
        alpha: hasAlpha ? row[first + 3] : 255
      )
    }
  }

  private func wordOfPixel(_ x: Int, in row: Span<UInt8>) -> UInt32 {
    if header.bitsPerPixel == 16 { return UInt32(row[x * 2]) | UInt32(row[x * 2 + 1]) << 8 }
    let first = x * 4
    return UInt32(row[first]) | UInt32(row[first + 1]) << 8 | UInt32(row[first + 2]) << 16
      | UInt32(row[first + 3]) << 24
  }

  /// 256 colours: those of the file, and black.
  private func palette(_ bytes: Span<UInt8>) -> [UInt32] {
    var colors = [UInt32](repeating: UInt32(red: 0, green: 0, blue: 0), count: 256)
    let length = header.paletteEntryLength
    for index in 0..<min(header.palette.count / length, 256) {
      let offset = header.palette.lowerBound + index * length
      guard let blue = bytes.byte(at: offset), let green = bytes.byte(at: offset + 1),
        let red = bytes.byte(at: offset + 2)
      else { break }
      colors[index] = UInt32(red: red, green: green, blue: blue)
    }
    return colors
  }

  /// Whether the alpha of any pixel is not zero; where all are, it stands for nothing.
  private func hasVisiblePixel(_ bytes: Span<UInt8>) -> Bool {
    for row in 0..<info.size.height {
      guard let range = rows.range(of: row, in: bytes) else { return false }
      let pixels = bytes.extracting(range)
      for x in 0..<info.size.width where wordOfPixel(x, in: pixels) & header.alphaMask != 0 {
        return true
      }
    }
    return false
  }
}
