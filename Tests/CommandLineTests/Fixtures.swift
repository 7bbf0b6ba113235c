import Ikran
import Support

/// A picture generated in a file format.
enum Fixture: String, CaseIterable, Sendable {
  case jpeg, png, webp, gif

  /// The size of every fixture.
  static let size = PixelSize(width: 40, height: 30)

  var name: String { "picture.\(rawValue)" }

  func bytes() throws -> [UInt8] {
    let image = try TestImages.gradient(width: Self.size.width, height: Self.size.height)
    return switch self {
    case .jpeg: try image.encoded(as: .jpeg())
    case .png: try image.encoded(as: .png)
    case .webp: try image.encoded(as: .webp())
    case .gif: Self.plainGIF
    }
  }

  /// 40 × 30 pixels of one colour, in codes of at most three bits.
  private static var plainGIF: [UInt8] {
    var bytes: [UInt8] = Array("GIF89a".utf8) + [40, 0, 30, 0, 0x80, 0, 0]
    bytes += [200, 100, 50, 0, 0, 0]
    bytes += [0x2C, 0, 0, 0, 0, 40, 0, 30, 0, 0, 2]
    // A clear code before every two pixels keeps the width of codes at three bits.
    var codes: [UInt8] = []
    for _ in 0..<600 { codes += [4, 0, 0] }
    codes.append(5)
    var packed: [UInt8] = []
    var word = 0
    var bits = 0
    for code in codes {
      word |= Int(code) << bits
      bits += 3
      while bits >= 8 {
        packed.append(UInt8(word & 255))
        word >>= 8
        bits -= 8
      }
    }
    if bits > 0 { packed.append(UInt8(word)) }
    for start in stride(from: 0, to: packed.count, by: 255) {
      let block = packed[start..<min(start + 255, packed.count)]
      bytes.append(UInt8(block.count))
      bytes += block
    }
    return bytes + [0, 0x3B]
  }
}

/// A picture that does not compress.
enum Noise {
  static func png(side: Int) throws -> [UInt8] {
    var canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgrx)
    var random = SystemRandomNumberGenerator()
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &random) }
    }
    return try canvas.finish().encoded(as: .png)
  }
}

/// The header of `bytes`.
func header(of bytes: [UInt8]) throws -> ImageInfo { try CodecList.standard.probe(bytes.span) }

/// The pixels of `bytes`.
func decoded(_ bytes: [UInt8]) throws -> Bitmap {
  try CodecList.standard.decode(bytes.span).bitmap
}
