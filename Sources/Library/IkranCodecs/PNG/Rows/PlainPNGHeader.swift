import IkranPixels

/// The chunks before the data of a plain PNG file: not interlaced, and with nothing in it that
/// libpng warns of.
struct PlainPNGHeader {
  /// The size as stored.
  let size: PixelSize
  /// Bits of a channel, or of an index.
  let depth: Int
  /// 1 for gray and for indices, 2 with alpha, 3 for colours, 4 with alpha.
  let channels: Int
  /// Where the first chunk with data begins.
  private(set) var dataStart = 0
  private let isIndexed: Bool
  /// Red, green and blue of each index.
  private var palette: [UInt8] = []
  /// The alphas of the first indices, or two bytes for each channel of the colour that is clear.
  private var transparency: [UInt8] = []

  /// Reads the chunks up to the data; nil when anything is unusual or damaged.
  init?(_ bytes: Span<UInt8>) {
    guard let header = PNGChunk(bytes, at: 8), header.has("IHDR", in: bytes),
      header.body.count == 13, header.isIntact(in: bytes),
      let width = bytes.bigEndian32(at: 16), let height = bytes.bigEndian32(at: 20),
      let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][bytes[25]],
      bytes[26] == 0, bytes[27] == 0, bytes[28] == 0
    else { return nil }
    (size, depth) = (PixelSize(width: width, height: height), Int(bytes[24]))
    (self.channels, isIndexed) = (channels, bytes[25] == 3)
    let depths = isIndexed ? [1, 2, 4, 8] : channels == 1 ? [1, 2, 4, 8, 16] : [8, 16]
    guard depths.contains(depth), size.isPositive else { return nil }
    var offset = header.end
    while dataStart == 0 {
      guard let chunk = PNGChunk(bytes, at: offset) else { return nil }
      if chunk.has("IDAT", in: bytes) {
        dataStart = offset
      } else if chunk.has("PLTE", in: bytes) || chunk.has("tRNS", in: bytes) {
        guard chunk.isIntact(in: bytes), read(chunk, bytes) else { return nil }
      } else if !chunk.isAncillary(in: bytes) {
        return nil
      }
      offset = chunk.end
    }
    guard palette.isEmpty != isIndexed else { return nil }
  }

  private mutating func read(_ chunk: PNGChunk, _ bytes: Span<UInt8>) -> Bool {
    let body = chunk.body.map { bytes[$0] }
    if chunk.has("PLTE", in: bytes) {
      // A palette of colours that are not indexed is a suggestion.
      guard isIndexed, palette.isEmpty, transparency.isEmpty, !body.isEmpty,
        body.count % 3 == 0, body.count / 3 <= 1 << depth
      else { return false }
      palette = body
      return true
    }
    guard transparency.isEmpty, channels % 2 == 1 else { return false }
    if isIndexed {
      guard !body.isEmpty, body.count <= palette.count / 3 else { return false }
    } else {
      guard body.count == channels * 2 else { return false }
    }
    transparency = body
    return isIndexed || clearColor.allSatisfy { Int($0) < 1 << depth }
  }

  /// Whether pixels may be translucent.
  var hasAlpha: Bool { channels % 2 == 0 || !transparency.isEmpty }

  /// The bytes of a row, without that of its filter; sides have 31 bits, so it cannot overflow.
  var rowBytes: Int { (size.width * channels * depth + 7) / 8 }

  /// The distance of the bytes that filters compare.
  var pixelBytes: Int { max(channels * depth / 8, 1) }

  /// The one colour that is clear: red, green and blue, or gray three times; empty for none.
  var clearColor: [UInt16] {
    guard !isIndexed, !transparency.isEmpty else { return [] }
    return (0..<3).map { channel in
      let place = channels == 1 ? 0 : channel * 2
      return UInt16(transparency[place]) << 8 | UInt16(transparency[place + 1])
    }
  }

  /// What each index or gray of at most 8 bits stands for: blue, green, red and straight alpha.
  ///
  /// Empty for other pixels. Indices without a colour are black.
  var table: [UInt8] {
    guard channels == 1, depth <= 8 else { return [] }
    let largest = (1 << depth) - 1
    let clear = clearColor.first.map(Int.init)
    return (0...largest).flatMap { index in
      if !isIndexed {
        let gray = UInt8(index * 255 / largest)
        return [gray, gray, gray, index == clear ? 0 : 255]
      }
      let alpha = index < transparency.count ? transparency[index] : 255
      guard index < palette.count / 3 else { return [0, 0, 0, alpha] }
      return palette[index * 3..<index * 3 + 3].reversed() + [alpha]
    }
  }
}
