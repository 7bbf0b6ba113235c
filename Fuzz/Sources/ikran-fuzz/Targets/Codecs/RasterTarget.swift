import CFuzz
@testable import IkranCodecs
@testable import IkranPixels

/// QOI, PNM, BMP, icons and raw files: regions have the pixels of the whole, and what is there of a
/// file that is cut off has its size.
///
/// An input is a file, or the description of one whose pixels are the input's own bytes.
enum RasterTarget {
  private nonisolated(unsafe) static let used = Workspace()  // libFuzzer has one thread

  static func run(_ bytes: Input) -> CInt {
    let isFile = Sniffer.format(of: bytes.span) != nil
    check(isFile ? Array(bytes) : RasterFile(InputReader(bytes)).bytes, fnv1a(bytes))
    return 0
  }

  /// Descriptions of small pictures of every kind.
  static var seeds: [[UInt8]] {
    (0..<60).map { kind -> [UInt8] in
      let noise = (0..<200).map { UInt8(truncatingIfNeeded: $0 * $0 * (kind + 1)) }
      let start: [UInt8] = [UInt8(kind % 5), UInt8(kind), UInt8(kind / 5), 9, 7]
      return start + noise
    }
  }

  private static func check(_ file: [UInt8], _ seed: UInt32) {
    guard let info = try? CodecList.standard.probe(file.span) else { return }
    let whole = picture(file, .original, .fuzzing)
    _ = picture(file, fitting(seed), .fuzzing)
    // Parts of a JPEG picture may have other colours at their edges.
    guard [.qoi, .pnm, .bmp, .ico, .cur].contains(info.format) else { return }
    checkCut(file, info, seed)
    guard let whole else { return }
    report("another size than the header's", unless: whole.size == info.uprightSize)
    let (x, y) = (Int(seed >> 4) % whole.width, Int(seed >> 9) % whole.height)
    let region = PixelRectangle(
      x: x,
      y: y,
      width: 1 + Int(seed >> 14) % (whole.width - x),
      height: 1 + Int(seed >> 19) % (whole.height - y)
    )
    guard let part = picture(file, .region(region, region.size), .fuzzing) else {
      return report("a region of a picture is refused")
    }
    report("a region has other pixels", unless: isPart(part, of: whole, at: region))
  }

  private static func picture(
    _ file: [UInt8],
    _ fitting: Fitting,
    _ rules: DecodeRules
  ) -> Bitmap? {
    try? CodecList.standard.decode(file.span, fitting: fitting, rules: rules, workspace: used)
      .bitmap
  }

  /// The beginning of a file shows its first rows, or is refused.
  private static func checkCut(_ file: [UInt8], _ info: ImageInfo, _ seed: UInt32) {
    guard !file.isEmpty else { return }
    var rules = DecodeRules.fuzzing
    rules.acceptsCutFiles = true
    let cut = Array(file[..<(Int(seed) % file.count)])
    guard let format = ImageFormat(of: cut), format == info.format,
      let shown = picture(cut, .original, rules)
    else { return }
    report("a file that is cut off has another size", unless: shown.size == info.uprightSize)
  }

  private static func isPart(_ part: Bitmap, of whole: Bitmap, at region: PixelRectangle) -> Bool {
    guard part.size == region.size, part.format == whole.format else { return false }
    return (0..<part.height).allSatisfy { y in
      part.withRow(y) { mine in
        whole.withRow(region.y + y) { theirs in
          (0..<part.width * 4).allSatisfy { mine[$0] == theirs[region.x * 4 + $0] }
        }
      }
    }
  }
}

/// A file of small pictures, whose header makes sense and whose pixels are any bytes.
private struct RasterFile {
  let bytes: [UInt8]

  init(_ input: InputReader) {
    var input = input
    switch input.below(5) {
    case 0: bytes = Self.qoi(&input)
    case 1: bytes = Self.pnm(&input)
    case 2: bytes = Self.pam(&input)
    case 3:
      let header = Self.information(&input, isIcon: false)
      let offset = Self.word(14 + header.count)
      bytes = Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0] + offset + header + input.rest
    default:
      let count = 1 + input.below(3)
      var (directory, pictures): ([UInt8], [UInt8]) = ([0, 0, 1, 0, UInt8(count), 0], [])
      for _ in 0..<count {
        let picture = Self.information(&input, isIcon: true) + input.rest
        directory += [picture[4], picture[8] / 2, 0, 0, 1, 0, picture[14], 0]
        directory += Self.word(picture.count) + Self.word(6 + count * 16 + pictures.count)
        pictures += picture
      }
      bytes = directory + pictures
    }
  }

  private static func qoi(_ input: inout InputReader) -> [UInt8] {
    let flags = UInt8(input.byte())
    let sides = [UInt8(1 + input.below(60)), UInt8(1 + input.below(60))]
    let header = Array("qoif".utf8) + [0, 0, 0, sides[0], 0, 0, 0, sides[1]]
    return header + [3 + flags & 1, flags >> 1 & 1] + input.rest
  }

  private static func pnm(_ input: inout InputReader) -> [UInt8] {
    let kind = 1 + input.below(6)
    let sides = "\(1 + input.below(40)) \(1 + input.below(40))"
    let maximum = kind % 3 == 1 ? "" : " \(1 + input.below(65_535))"
    let header = Array("P\(kind) \(sides)\(maximum)\n".utf8)
    // Of a text file, only some bytes make sense.
    let digits = Array("0123456789  \n#".utf8)
    return header + (kind < 4 ? input.rest.map { digits[Int($0) % digits.count] } : input.rest)
  }

  private static func pam(_ input: inout InputReader) -> [UInt8] {
    let types = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA", "CMYK"]
    let type = input.below(types.count)
    let lines = [
      "P7", "WIDTH \(1 + input.below(40))", "HEIGHT \(1 + input.below(40))",
      "DEPTH \(min(type + 1, 4))", "MAXVAL \(1 + input.below(65_535))", "TUPLTYPE \(types[type])",
      "ENDHDR",
    ]
    return lines.flatMap { Array("\($0)\n".utf8) } + input.rest
  }

  /// The second header of a BMP file, masks and a palette.
  private static func information(_ input: inout InputReader, isIcon: Bool) -> [UInt8] {
    let length = isIcon ? 40 : [16, 40, 52, 56, 64, 108, 124][input.below(7)]
    let (bits, compression) = [
      (1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (24, 0), (32, 0), (8, 1), (4, 2), (16, 3), (32, 3),
      (16, 6), (32, 6),
    ][input.below(13)]
    let (width, height) = (1 + input.below(40), (1 + input.below(40)) * (isIcon ? 2 : 1))
    let isTopDown = input.byte() & 3 == 0
    let colors = bits > 8 ? 0 : 1 + input.below(1 << bits)
    var header = word(length) + word(width) + word(isTopDown ? -height : height)
    header += [1, 0, UInt8(bits), 0] + word(compression) + word(0) + word(0) + word(0)
    header += word(colors) + word(0)
    while header.count < length { header.append(UInt8(input.byte())) }
    header.removeLast(header.count - length)
    let rest = (length < 52 && compression >= 3 ? 16 : 0) + colors * 4
    return header + (0..<rest).map { _ in UInt8(input.byte()) }
  }

  private static func word(_ value: Int) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
