@testable import IkranCodecs
@testable import IkranPixels

/// TIFF: rectangles are those of the whole picture, and a file that is not cut off has all its rows.
enum TIFFTarget {
  /// Nil where the package's trait is off.
  private static var codec: (any PrefixCodec)? {
    CodecList.standard.codecs.first { $0.format == .tiff } as? any PrefixCodec
  }

  static func run(_ bytes: Input) -> CInt {
    guard let codec, codec.recognizes(bytes.span) else { return 0 }
    let whole = picture(bytes, .original)
    var rules = DecodeRules.fuzzing
    rules.page = 1
    _ = try? CodecList.standard.decode(bytes.span, fitting: .original, rules: rules)
    (rules.page, rules.acceptsCutFiles) = (0, true)
    let beginning = try? codec.decodePrefix(
      bytes.span,
      fitting: .original,
      rules: rules,
      workspace: Workspace()
    )
    guard let whole else { return 0 }
    if let beginning, !whole.format.hasAlpha {
      report("the beginning has other pixels", unless: haveSameColors(beginning.bitmap, whole))
    }
    let seed = Int(fnv1a(bytes))
    let (x, y) = (seed % whole.width, seed / 7 % whole.height)
    let size = PixelSize(width: min(9, whole.width - x), height: min(5, whole.height - y))
    let region = PixelRectangle(x: x, y: y, width: size.width, height: size.height)
    guard let part = picture(bytes, .region(region, size, isolated: true)) else {
      report("a rectangle of a picture cannot be decoded")
      return 0
    }
    let rows = (0..<size.height).allSatisfy { row in
      part.withRow(row) { ours in
        whole.withRow(y + row) { theirs in
          (0..<size.width * 4).allSatisfy { ours[$0] == theirs[x * 4 + $0] }
        }
      }
    }
    report("a rectangle has other pixels than the picture", unless: rows)
    return 0
  }

  private static func picture(_ bytes: Input, _ fitting: Fitting) -> Bitmap? {
    try? codec?.decode(
      bytes.span,
      fitting: fitting,
      rules: .fuzzing,
      workspace: Workspace()
    ).bitmap
  }

  private static func haveSameColors(_ first: Bitmap, _ second: Bitmap) -> Bool {
    guard first.size == second.size else { return false }
    return (0..<first.height).allSatisfy { y in
      first.withRow(y) { one in
        second.withRow(y) { other in (0..<first.width * 4).allSatisfy { one[$0] == other[$0] } }
      }
    }
  }
}
