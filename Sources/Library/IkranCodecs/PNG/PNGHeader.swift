import IkranPixels

/// The chunks of a PNG file that describe it (PNG 3rd edition, sections 11 and 12).
enum PNGHeader {
  private enum ColorType {
    static let palette: UInt8 = 3
    static let alphaBit: UInt8 = 4
  }

  /// Parses the chunks in `bytes`; 26 bytes are enough for the size.
  static func read(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    var info = try readImageHeader(bytes)
    var offset = 33
    var seenPixels = false
    var plays: Int?
    var durations: [Int] = []
    while let length = bytes.bigEndian32(at: offset), offset + 8 <= bytes.count {
      let body = offset + 8
      guard length <= 0x7FFF_FFFF else { break }
      if bytes.has("IDAT", at: offset + 4) {
        seenPixels = true
      } else if bytes.has("IEND", at: offset + 4) {
        // All is there, and more frames were declared than that has room for: a still.
        if PNGFrameList.cannotHold(info.frames, byteCount: bytes.count) { info.frames = 1 }
        break
      } else if bytes.has("acTL", at: offset + 4), !seenPixels, plays == nil {
        // Numbers have 31 bits; one that cannot be makes no animation.
        if length == 8, let count = bytes.bigEndian32(at: body),
          let loops = bytes.bigEndian32(at: body + 4), (1...0x7FFF_FFFF).contains(count)
        {
          info.frames = count
          plays = loops
        }
      } else if bytes.has("fcTL", at: offset + 4) {
        if let delay = delay(bytes, at: body + 20) { durations.append(delay) }
      } else {
        readMetadata(bytes, offset: offset, length: length, seenPixels: seenPixels, into: &info)
      }
      offset = body + length + 4
    }
    if info.isAnimated {
      info.durations = durations
      info.loops = plays
    }
    return info
  }

  /// Whether a file's animation has one frame, and that is not the default picture.
  static func hidesDefault(_ bytes: Span<UInt8>) -> Bool {
    var offset = 33
    var hasOneFrame: Bool?
    while let length = bytes.bigEndian32(at: offset), length <= 0x7FFF_FFFF,
      !bytes.has("IDAT", at: offset + 4), !bytes.has("fcTL", at: offset + 4)
    {
      let count = bytes.bigEndian32(at: offset + 8) ?? 0
      if bytes.has("acTL", at: offset + 4), length == 8, (1...0x7FFF_FFFF).contains(count) {
        hasOneFrame = hasOneFrame ?? (count == 1)
      }
      offset += length + 12
    }
    return hasOneFrame == true && bytes.has("IDAT", at: offset + 4)
  }

  private static func readImageHeader(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard bytes.count >= 26 else { throw .truncated(.png, offset: bytes.count) }
    guard bytes.has("IHDR", at: 12), bytes.bigEndian32(at: 8) == 13 else {
      let isApple = bytes.has("CgBI", at: 12)
      if isApple { throw .unsupported(.png, feature: "Apple's CgBI variant") }
      throw .malformed(.png, offset: 8, reason: "the first chunk is not an image header")
    }
    guard let width = bytes.bigEndian32(at: 16), let height = bytes.bigEndian32(at: 20),
      let depth = bytes.byte(at: 24), let color = bytes.byte(at: 25)
    else { throw .truncated(.png, offset: bytes.count) }
    guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else {
      throw .malformed(.png, offset: 16, reason: "the image is \(width)×\(height) pixels")
    }
    let depths: [UInt8] =
      switch color {
      case 0: [1, 2, 4, 8, 16]
      case ColorType.palette: [1, 2, 4, 8]
      case 2, 4, 6: [8, 16]
      default: []
      }
    guard depths.contains(depth) else {
      let reason = "colour type \(color) of \(depth) bits does not exist"
      throw .malformed(.png, offset: 24, reason: reason)
    }
    var info = ImageInfo(format: .png, size: PixelSize(width: width, height: height))
    info.bitsPerChannel = color == ColorType.palette ? 8 : Int(depth)
    info.hasAlpha = color & ColorType.alphaBit != 0
    return info
  }

  private static func readMetadata(
    _ bytes: Span<UInt8>,
    offset: Int,
    length: Int,
    seenPixels: Bool,
    into info: inout ImageInfo
  ) {
    if bytes.has("tRNS", at: offset + 4), !seenPixels {
      info.hasAlpha = true
    } else if bytes.has("iCCP", at: offset + 4) {
      info.hasICCProfile = true
    } else if bytes.has("eXIf", at: offset + 4), info.orientation == .up {
      let end = min(offset + 8 + length, bytes.count)
      info.orientation = ExifOrientation.read(bytes.extracting(offset + 8..<end))
    }
  }

  /// A frame's delay in milliseconds: a fraction of a second whose denominator 0 means 100.
  static func delay(_ bytes: Span<UInt8>, at offset: Int) -> Int? {
    guard let numerator = bytes.bigEndian16(at: offset),
      let denominator = bytes.bigEndian16(at: offset + 2)
    else { return nil }
    let divisor = denominator == 0 ? 100 : denominator
    return (numerator * 1_000 + divisor / 2) / divisor
  }
}
