import IkranPixels

/// The rows of a PNM file.
struct PNMReader: RowReader {
  let info: ImageInfo
  private let header: PNMHeader
  private let rows: PackedRows
  /// The byte of each value a sample may have; those above the largest are white.
  private var levels: [UInt8] = []
  /// The bytes of the samples of one row.
  private var samples: [UInt8] = []
  /// Where text is read, and the row there.
  private var text: PNMScanner
  private var nextRow = 0

  /// Reads the header.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    header = try PNMHeader(bytes)
    rows = PackedRows(start: header.dataOffset, bytesPerRow: header.bytesPerRow)
    text = PNMScanner(offset: header.dataOffset)
    var info = ImageInfo(format: .pnm, size: header.size)
    info.hasAlpha = header.channels == .grayAlpha || header.channels == .rgbAlpha
    info.bitsPerChannel = Int.bitWidth - header.maximum.leadingZeroBitCount
    self.info = info
  }

  mutating func begin(_ bytes: Span<UInt8>, limits: DecodeLimits) throws(DecodeError) {
    samples = [UInt8](repeating: 0, count: info.size.width * header.channels.count)
    let maximum = header.maximum
    switch header.coding {
    // In a bitmap, 1 is black.
    case .bits, .textBits: levels = [255, 0]
    case .text, .binary:
      levels = (0..<(maximum > 255 ? 65_536 : 256)).map { value in
        UInt8((min(value, maximum) * 255 + maximum / 2) / maximum)
      }
    }
  }

  mutating func read(
    row y: Int,
    of bytes: Span<UInt8>,
    into pixels: inout [UInt32]
  ) throws(DecodeError) {
    switch header.coding {
    case .text, .textBits:
      while nextRow <= y {
        try readText(bytes)
        nextRow += 1
      }
    case .binary, .bits:
      guard let range = rows.range(of: y, in: bytes) else {
        throw .truncated(.pnm, offset: bytes.count)
      }
      readBytes(bytes.extracting(range))
    }
    paint(&pixels)
  }

  private mutating func readText(_ bytes: Span<UInt8>) throws(DecodeError) {
    for index in samples.indices {
      let value = header.coding == .textBits ? try text.bit(bytes) : try text.number(bytes)
      samples[index] = levels[min(value, levels.count - 1)]
    }
  }

  private mutating func readBytes(_ row: Span<UInt8>) {
    if header.coding == .bits {
      for x in samples.indices { samples[x] = levels[Int(row[x >> 3] >> (7 - UInt8(x & 7)) & 1)] }
    } else if header.maximum > 255 {
      for index in samples.indices {
        samples[index] = levels[Int(row[index * 2]) << 8 | Int(row[index * 2 + 1])]
      }
    } else {
      for index in samples.indices { samples[index] = levels[Int(row[index])] }
    }
  }

  /// Makes pixels of the samples.
  private func paint(_ pixels: inout [UInt32]) {
    switch header.channels {
    case .gray:
      for x in pixels.indices { pixels[x] = Self.gray(samples[x]) }
    case .grayAlpha:
      for x in pixels.indices { pixels[x] = Self.gray(samples[x * 2], alpha: samples[x * 2 + 1]) }
    case .rgb:
      for x in pixels.indices {
        let first = x * 3
        pixels[x] = UInt32(
          red: samples[first],
          green: samples[first + 1],
          blue: samples[first + 2]
        )
      }
    case .rgbAlpha:
      for x in pixels.indices {
        let first = x * 4
        pixels[x] = UInt32(
          red: samples[first],
          green: samples[first + 1],
          blue: samples[first + 2],
          alpha: samples[first + 3]
        )
      }
    case .cmyk:
      for x in pixels.indices {
        let first = x * 4
        let light = 255 - Int(samples[first + 3])
        pixels[x] = UInt32(
          red: Self.light(through: samples[first], light),
          green: Self.light(through: samples[first + 1], light),
          blue: Self.light(through: samples[first + 2], light)
        )
      }
    }
  }

  private static func gray(_ level: UInt8, alpha: UInt8 = 255) -> UInt32 {
    UInt32(red: level, green: level, blue: level, alpha: alpha)
  }

  /// What an ink leaves of light, 0…255, as in JPEG files of inks without a profile.
  private static func light(through ink: UInt8, _ light: Int) -> UInt8 {
    UInt8(((255 - Int(ink)) * light + 127) / 255)
  }
}
