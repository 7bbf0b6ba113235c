import IkranPixels
import TestBasics

@testable import IkranCodecs

/// A PNG file of random bytes in every row, without compression: each is a picture, whatever the
/// filters are.
struct RandomPNG {
  var size: PixelSize
  var depth: Int
  /// As in the header: 0, 2, 3, 4 or 6.
  var color: UInt8
  /// The filters of rows, repeated.
  var filters: [UInt8]
  var hasTransparency = false
  var seed: UInt64
  /// The most bytes of a data chunk; an empty one follows each when they are few.
  var chunkBytes = Int.max

  /// Every colour type with each of its depths.
  static let kinds: [(color: UInt8, depth: Int)] =
    [1, 2, 4, 8, 16].map { (0, $0) } + [8, 16].map { (2, $0) } + [1, 2, 4, 8].map { (3, $0) }
    + [8, 16].map { (4, $0) } + [8, 16].map { (6, $0) }

  /// Bytes of a row without that of its filter.
  var rowBytes: Int {
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color] ?? 1
    return (size.width * channels * depth + 7) / 8
  }

  /// The filter byte and bytes of each row.
  var rows: [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<size.height).flatMap { y in
      // Few values, so that neighbours are often equal and Paeth has ties.
      [filters[y % filters.count]]
        + (0..<rowBytes).map { _ in
          let isFar = UInt8.random(in: 0...3, using: &random) == 0
          return UInt8.random(in: isFar ? 0...255 : 0...2, using: &random)
        }
    }
  }

  /// The bytes of the file.
  var bytes: [UInt8] { bytes(of: PNGSample.stored(rows)) }

  /// The bytes of the file with another stream.
  func bytes(of stream: [UInt8]) -> [UInt8] {
    var random = SeededGenerator(seed: seed &+ 1)
    let header = PNGSample.word(size.width) + PNGSample.word(size.height)
    var file = PNGSample.signature
    file += PNGSample.chunk("IHDR", header + [UInt8(depth), color, 0, 0, 0])
    file += PNGSample.chunk("tEXt", Array("Title\0Noise".utf8))
    // Some indices have no colour.
    let colors = max(1, (1 << depth) * 3 / 4)
    if color == 3 {
      let palette = (0..<colors * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
      file += PNGSample.chunk("PLTE", palette)
    }
    if hasTransparency { file += PNGSample.chunk("tRNS", transparency(colors, &random)) }
    for start in stride(from: 0, to: stream.count, by: min(chunkBytes, stream.count)) {
      let part = stream[start...].prefix(chunkBytes)
      file += PNGSample.chunk("IDAT", Array(part))
      if chunkBytes < 64 { file += PNGSample.chunk("IDAT", []) }
    }
    return file + PNGSample.chunk("IEND", [])
  }

  private func transparency(_ colors: Int, _ random: inout SeededGenerator) -> [UInt8] {
    if color == 3 {
      return (0..<(colors + 1) / 2).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    return (0..<(color == 0 ? 1 : 3)).flatMap { _ in depth == 16 ? [0, 1] : [0, UInt8(1)] }
  }
}

/// The same file through this package's reader of rows and through libpng, the reference.
enum BothPNGReaders {
  static let fittings = [
    Fitting.original, .cover(PixelSize(width: 24, height: 20)),
    .cover(PixelSize(width: 96, height: 3)), .cover(PixelSize(width: 9, height: 9)),
  ]

  /// The pixels; nil when this package's reader leaves the file to libpng.
  static func ours(
    _ bytes: [UInt8],
    _ fitting: Fitting = .original,
    usesSIMD: Bool = true,
    usesISAL: Bool = PNGDataHandle.hasISAL
  ) throws(DecodeError) -> Bitmap? {
    let info = try PNGDecoder().probe(bytes.span)
    let workspace = Workspace()
    workspace.usesSIMD = workspace.usesSIMD && usesSIMD
    return PNGRowDecoder.render(
      bytes.span,
      RenderPlan(stored: info.size, orientation: .up, fitting: fitting),
      info,
      workspace: workspace,
      usesISAL: usesISAL
    )
  }

  static func libpngs(
    _ bytes: [UInt8],
    _ fitting: Fitting = .original
  ) throws(DecodeError) -> Bitmap {
    let info = try PNGDecoder().probe(bytes.span)
    let plan = RenderPlan(stored: info.size, orientation: .up, fitting: fitting)
    return try PNGHandle.render(bytes.span, plan, of: info, workspace: Workspace())
  }

  static func areSame(_ first: Bitmap, _ second: Bitmap) -> Bool {
    first.format == second.format && BothDecoders.areSame(first, second)
  }
}
