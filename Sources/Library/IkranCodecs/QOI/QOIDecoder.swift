import IkranPixels

/// Decodes QOI, "The Quite OK Image Format" (specification 1.0, qoiformat.org).
///
/// The file is a header of 14 bytes and then one chunk after the other, each of which makes the
/// next pixel, or several, out of the pixel before.
package struct QOIDecoder: RowCodec {
  /// Creates the decoder.
  package init() {}

  /// QOI.
  package var format: ImageFormat { .qoi }

  /// Whether `prefix` starts with a header of QOI.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.qoi, prefix) }

  func reader(of bytes: Span<UInt8>) throws(DecodeError) -> QOIReader { try QOIReader(bytes) }
}

/// The header of a QOI file, and its pixels up to the row that was read last.
struct QOIReader: RowReader {
  let info: ImageInfo
  let colors: FileColors
  private var pixel = Pixel(red: 0, green: 0, blue: 0, alpha: 255)
  /// Pixels that were there before, each in the place that its ``Pixel/hash`` says.
  private var seen = [Pixel](repeating: Pixel(red: 0, green: 0, blue: 0, alpha: 0), count: 64)
  /// How many times ``pixel`` still comes again.
  private var repetitions = 0
  private var nextRow = 0
  /// Where the next chunk begins.
  private var offset = 14

  /// Reads the header: `qoif`, width, height, channels, colour space.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    guard let width = bytes.bigEndian32(at: 4), let height = bytes.bigEndian32(at: 8),
      let channels = bytes.byte(at: 12), let space = bytes.byte(at: 13)
    else { throw .truncated(.qoi, offset: bytes.count) }
    var info = ImageInfo(format: .qoi, size: PixelSize(width: width, height: height))
    guard info.size.isPositive else {
      throw .malformed(.qoi, offset: 4, reason: "the image is \(info.size) pixels")
    }
    info.hasAlpha = channels == 4
    self.info = info
    var colors = FileColors()
    // Of the two spaces, 0 is sRGB; samples of the other one are light itself.
    if space == 1 { colors.sources = [.gammaAndPrimaries(gamma: 1, primaries: nil)] }
    self.colors = colors
  }

  mutating func read(
    row y: Int,
    of bytes: Span<UInt8>,
    into pixels: inout [UInt32]
  ) throws(DecodeError) {
    let opaque: UInt32 = hasAlpha ? 0 : 0xFF00_0000
    // Rows that are left out have to be decoded as well.
    while nextRow <= y {
      for x in pixels.indices {
        if repetitions > 0 {
          repetitions -= 1
        } else {
          try readChunk(bytes)
        }
        pixels[x] = pixel.word | opaque
      }
      nextRow += 1
    }
  }

  /// Reads the chunk that makes the next pixel; its first bits say what kind it is.
  private mutating func readChunk(_ bytes: Span<UInt8>) throws(DecodeError) {
    let tag = try nextByte(bytes)
    switch tag {
    case 0xFE, 0xFF:
      pixel.red = try nextByte(bytes)
      pixel.green = try nextByte(bytes)
      pixel.blue = try nextByte(bytes)
      if tag == 0xFF { pixel.alpha = try nextByte(bytes) }
    case 0x00...0x3F:
      pixel = seen[Int(tag)]
    case 0x40...0x7F:
      pixel.add(red: tag >> 4 & 3 &- 2, green: tag >> 2 & 3 &- 2, blue: tag & 3 &- 2)
    case 0x80...0xBF:
      // Red and blue change about as much as green does.
      let green = tag & 0x3F &- 32
      let others = try nextByte(bytes)
      pixel.add(
        red: green &+ (others >> 4) &- 8,
        green: green,
        blue: green &+ (others & 15) &- 8
      )
    default:
      repetitions = Int(tag & 0x3F)
    }
    seen[pixel.hash] = pixel
  }

  private mutating func nextByte(_ bytes: Span<UInt8>) throws(DecodeError) -> UInt8 {
    guard let byte = bytes.byte(at: offset) else { throw .truncated(.qoi, offset: bytes.count) }
    offset += 1
    return byte
  }

  private struct Pixel {
    var red, green, blue, alpha: UInt8

    /// Its place among 64.
    var hash: Int {
      (Int(red) * 3 + Int(green) * 5 + Int(blue) * 7 + Int(alpha) * 11) % 64
    }

    var word: UInt32 { UInt32(red: red, green: green, blue: blue, alpha: alpha) }

    /// Differences wrap around.
    mutating func add(red: UInt8, green: UInt8, blue: UInt8) {
      self.red &+= red
      self.green &+= green
      self.blue &+= blue
    }
  }
}
