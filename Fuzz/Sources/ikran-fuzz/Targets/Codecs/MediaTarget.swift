@testable import IkranCodecs
@testable import IkranPixels

/// AVIF, of which a part of a picture has the pixels of the whole, and HEIC, of which libde265
/// leaves pixels of damaged pictures as they were in memory.
enum MediaTarget {
  private static let formats: Set<ImageFormat> = [.avif, .heic, .heif]

  static func run(_ bytes: Input) -> CInt {
    guard let format = ImageFormat(of: bytes.span), formats.contains(format),
      let whole = try? decode(bytes, .original)
    else { return 0 }
    if format != .avif { return decodeSmall(bytes) }
    let seed = fnv1a(bytes)
    let left = Int(seed & 0xFF) % whole.width
    let top = Int(seed >> 8 & 0xFF) % whole.height
    let region = PixelRectangle(
      x: left,
      y: top,
      width: 1 + Int(seed >> 16 & 0xFF) % (whole.width - left),
      height: 1 + Int(seed >> 24) % (whole.height - top)
    )
    guard let part = try? decode(bytes, .region(region, region.size)) else {
      report("a part cannot be decoded")
      return 0
    }
    for y in 0..<part.height {
      let isSame = part.withRow(y) { row in
        whole.withRow(top + y) { other in
          (0..<row.count).allSatisfy { row[$0] == other[left * 4 + $0] }
        }
      }
      report("row \(y) of a part differs", unless: isSame)
    }
    return 0
  }

  /// From a thumbnail, where there is one, and another picture of the file.
  private static func decodeSmall(_ bytes: Input) -> CInt {
    // They may be damaged.
    _ = try? decode(bytes, fitting(fnv1a(bytes)))
    var rules = DecodeRules.fuzzing
    rules.page = 1
    _ = try? CodecList.standard.decode(bytes.span, fitting: .original, rules: rules)
    return 0
  }

  private static func decode(_ bytes: Input, _ fitting: Fitting) throws(DecodeError) -> Bitmap {
    try CodecList.standard.decode(bytes.span, fitting: fitting, rules: .fuzzing).bitmap
  }
}
