import CPeers
import Ikran

/// How a photo becomes a file: what Ikran does not write is written here, without compression.
enum FileEncoding {
  case image(ImageEncoding)
  case bmp
  case tiff
  /// By libheif's encoder.
  case heic
  /// A drawing of its own, of 500 shapes.
  case svg

  /// The file of a picture.
  func file(_ picture: Bitmap) throws -> [UInt8] {
    switch self {
    case .image(let encoding): try picture.encoded(as: encoding)
    case .bmp: Self.bmp(picture)
    case .tiff: Self.tiff(picture)
    case .heic: try Self.heic(picture)
    case .svg: Self.svg(picture.size)
    }
  }

  /// Rows from the bottom, three bytes a pixel.
  private static func bmp(_ picture: Bitmap) -> [UInt8] {
    var rows: [UInt8] = []
    for y in (0..<picture.height).reversed() {
      let row = picture.row(y)
      for x in 0..<picture.width { rows += row[4 * x..<4 * x + 3] }
      rows += [UInt8](repeating: 0, count: picture.width % 4)
    }
    let (planes, depth) = (1, 24 << 16)
    let header = [54, 40, picture.width, picture.height, planes | depth, 0, rows.count, 0, 0, 0, 0]
    var file = Array("BM".utf8)
    for value in [54 + rows.count, 0] + header { file += word(value) }
    return file + rows
  }

  /// One strip, three bytes a pixel.
  private static func tiff(_ picture: Bitmap) -> [UInt8] {
    var pixels: [UInt8] = []
    for y in 0..<picture.height {
      let row = picture.row(y)
      for x in 0..<picture.width { pixels += [row[4 * x + 2], row[4 * x + 1], row[4 * x]] }
    }
    // Eight bits for each of three samples, then the tags of TIFF 6.0, each with a long.
    let end = 8 + pixels.count
    var file = Array("II*\0".utf8) + word(end + 6) + pixels + [8, 0, 8, 0, 8, 0, 9, 0]
    let tags: [(tag: Int, value: Int)] = [
      (256, picture.width), (257, picture.height), (258, end), (259, 1), (262, 2), (273, 8),
      (277, 3), (278, picture.height), (279, pixels.count),
    ]
    for (tag, value) in tags {
      let isBits = tag == 258
      file += word(tag | (isBits ? 3 : 4) << 16) + word(isBits ? 3 : 1) + word(value)
    }
    return file + word(0)
  }

  private static func heic(_ picture: Bitmap) throws -> [UInt8] {
    var file = [UInt8](repeating: 0, count: picture.width * picture.height * 4)
    let stride = picture.width * 4
    let pixels = (0..<picture.height).flatMap { picture.row($0) }
    let (width, height) = (Int32(picture.width), Int32(picture.height))
    let count = peers_heic_encode(pixels, width, height, Int32(stride), 60, &file, file.count)
    guard count > 0 else { throw PeerEnded() }
    return Array(file[..<count])
  }

  private static func svg(_ size: PixelSize) -> [UInt8] {
    var text =
      "<svg xmlns='http://www.w3.org/2000/svg' width='\(size.width)' height='\(size.height)'>"
    for index in 0..<500 {
      let (x, y) = (index * 613 % size.width, index * 389 % size.height)
      text += "<circle cx='\(x)' cy='\(y)' r='\(20 + index % 60)' fill='#\(100_000 + index * 1789)'"
      text += " opacity='.5'/>"
    }
    return Array((text + "</svg>").utf8)
  }

  private static func word(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) }
  }
}

extension Bitmap {
  fileprivate func row(_ y: Int) -> [UInt8] {
    withRow(y) { row in row.indices.map { row[$0] } }
  }
}
