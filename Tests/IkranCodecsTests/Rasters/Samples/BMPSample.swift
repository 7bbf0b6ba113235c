import IkranPixels

/// A BMP file of given rows, with any header.
struct BMPSample {
  var size: PixelSize
  /// Bytes of the second header: 12, 16 to 64, 108 or 124.
  var headerLength = 40
  var bits: Int
  var compression = 0
  /// Written into the header, or after one that is too short for them.
  var masks: [Int] = []
  var palette: [Pixel] = []
  /// What the header says of the palette's length.
  var colorCount: Int?
  var isTopDown = false
  /// The pixels, as they are in the file.
  var data: [UInt8] = []
  /// Further fields, by their offset in the second header.
  var fields: [Int: [UInt8]] = [:]
  /// What comes after the pixels.
  var end: [UInt8] = []

  var bytes: [UInt8] {
    let fileHeader =
      Array("BM".utf8) + littleEndian4(dataOffset + data.count) + [0, 0, 0, 0]
      + littleEndian4(dataOffset)
    return fileHeader + information + data + end
  }

  /// Everything before the pixels but for the file's header.
  var information: [UInt8] {
    var masks = masks.flatMap(littleEndian4)
    var header: [UInt8]
    if headerLength == 12 {
      header =
        littleEndian4(12) + littleEndian2(size.width) + littleEndian2(size.height)
        + littleEndian2(1) + littleEndian2(bits)
    } else {
      header = littleEndian4(headerLength) + littleEndian4(size.width)
      header += littleEndian4(isTopDown ? -size.height : size.height)
      header += littleEndian2(1) + littleEndian2(bits) + littleEndian4(compression)
      header += littleEndian4(data.count) + littleEndian4(2_835) + littleEndian4(2_835)
      header += littleEndian4(colorCount ?? (palette.count == 1 << bits ? 0 : palette.count))
      header += littleEndian4(0)
      if headerLength >= 52 {
        header += masks
        masks = []
      }
      header += [UInt8](repeating: 0, count: max(0, headerLength - header.count))
      header = Array(header[..<headerLength])
    }
    for (offset, bytes) in fields {
      header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    let padding: [UInt8] = headerLength == 12 ? [] : [0]
    let colors = palette.flatMap { color -> [UInt8] in
      [color.blue, color.green, color.red] + padding
    }
    return header + masks + colors
  }

  var dataOffset: Int { 14 + information.count }

  /// Sets the data to rows of numbers of ``bits`` bits each, from the top.
  mutating func setRows(_ pixels: [Int]) {
    let rows = (0..<size.height).map { y in
      Self.row(Array(pixels[y * size.width..<(y + 1) * size.width]), bits)
    }
    data = Array((isTopDown ? rows : rows.reversed()).joined())
  }

  private static func row(_ pixels: [Int], _ bits: Int) -> [UInt8] {
    var bytes: [UInt8]
    if bits >= 8 {
      bytes = pixels.flatMap { littleEndian4($0)[..<(bits / 8)] }
    } else {
      bytes = [UInt8](repeating: 0, count: (pixels.count * bits + 7) / 8)
      for (x, pixel) in pixels.enumerated() {
        bytes[x * bits / 8] |= UInt8(pixel << (8 - bits - x * bits % 8))
      }
    }
    return bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
  }
}

extension Pixel {
  /// The pixel in the bytes of blue, green, red and alpha.
  var word: Int { Int(alpha) << 24 | Int(red) << 16 | Int(green) << 8 | Int(blue) }
}
