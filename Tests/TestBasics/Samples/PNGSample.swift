package import IkranPixels

/// A PNG file written by hand, without compression: three or four channels of 16 bits.
package struct PNGSample {
  package var size: PixelSize
  package var isInterlaced = false
  package var hasAlpha = false
  /// The colour that is clear: red, green, blue.
  package var clear: [UInt16]?
  /// The channels of the pixel at a column and row.
  package var pixel: (_ x: Int, _ y: Int) -> [UInt16]

  /// Describes a file.
  package init(
    size: PixelSize,
    isInterlaced: Bool = false,
    hasAlpha: Bool = false,
    clear: [UInt16]? = nil,
    pixel: @escaping (_ x: Int, _ y: Int) -> [UInt16]
  ) {
    (self.size, self.isInterlaced, self.hasAlpha) = (size, isInterlaced, hasAlpha)
    (self.clear, self.pixel) = (clear, pixel)
  }

  /// The first bytes of every file.
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The bytes of the file.
  package var bytes: [UInt8] {
    var header = Self.word(size.width) + Self.word(size.height)
    header += [16, hasAlpha ? 6 : 2, 0, 0, isInterlaced ? 1 : 0]
    var file = Self.signature + Self.chunk("IHDR", header)
    if let clear { file += Self.chunk("tRNS", clear.flatMap(bigEndian)) }
    return file + Self.chunk("IDAT", Self.stored(rows())) + Self.chunk("IEND", [])
  }

  private func rows() -> [UInt8] {
    let adam7 = [
      (0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2),
      (0, 1, 1, 2),
    ]
    var bytes: [UInt8] = []
    for pass in isInterlaced ? adam7 : [(0, 1, 0, 1)] where pass.0 < size.width {
      for y in stride(from: pass.2, to: size.height, by: pass.3) {
        bytes.append(0)
        for x in stride(from: pass.0, to: size.width, by: pass.1) {
          for channel in pixel(x, y) {
            bytes.append(UInt8(channel >> 8))
            bytes.append(UInt8(channel & 255))
          }
        }
      }
    }
    return bytes
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951).
  package static func stored(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: data.count, by: 65_535) {
      let block = data[start..<min(start + 65_535, data.count)]
      let count = UInt16(block.count)
      stream.append(block.endIndex == data.count ? 1 : 0)
      stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
      stream += block
    }
    var (low, high) = (1, 0)
    for byte in data {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + word(high << 16 | low)
  }

  /// A chunk with its length and checksum.
  package static func chunk(_ kind: String, _ body: [UInt8]) -> [UInt8] {
    let checked = Array(kind.utf8) + body
    let remainder = checked.withUnsafeBufferPointer { checked in
      remainders.withUnsafeBufferPointer { remainders in
        var remainder = ~UInt32(0)
        for byte in checked {
          remainder = remainder >> 8 ^ remainders[Int((remainder ^ UInt32(byte)) & 255)]
        }
        return remainder
      }
    }
    return word(body.count) + checked + word(Int(~remainder))
  }

  /// The checksum of each byte alone: large files are made by code that is not optimised.
  private static let remainders: [UInt32] = (0..<256 as Range<UInt32>).map { byte in
    (0..<8).reduce(byte) { remainder, _ in
      remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0)
    }
  }

  /// Four bytes, the high one first.
  package static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }

  private func bigEndian(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
}
