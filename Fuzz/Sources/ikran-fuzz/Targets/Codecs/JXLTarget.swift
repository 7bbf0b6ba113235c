@testable import IkranCodecs
@testable import IkranPixels

/// JPEG XL: a part has the pixels of the whole, a beginning has its size, and frames are the same
/// in any order.
enum JXLTarget {
  /// Nil where the package's trait is off.
  private static var codec: (any PrefixCodec)? {
    CodecList.standard.codecs.first { $0.format == .jpegXL } as? any PrefixCodec
  }

  static func run(_ bytes: Input) -> CInt {
    guard let codec, codec.recognizes(bytes.span), let info = try? codec.probe(bytes.span) else {
      return 0
    }
    let seed = fnv1a(bytes)
    checkBeginning(bytes.span.extracting(first: Int(seed >> 8) % bytes.count), codec)
    checkBeginning(bytes.span, codec)
    if info.isAnimated { composeFrames(Array(bytes)) }
    _ = picture(bytes, fitting(seed))
    guard let whole = picture(bytes, .original) else { return 0 }
    report("another size than the header's", unless: whole.size == info.uprightSize)
    let (x, y) = (Int(seed & 0xFF) % whole.width, Int(seed >> 8 & 0xFF) % whole.height)
    let size = PixelSize(
      width: 1 + Int(seed >> 16 & 0xFF) % (whole.width - x),
      height: 1 + Int(seed >> 24) % (whole.height - y)
    )
    let region = PixelRectangle(x: x, y: y, width: size.width, height: size.height)
    guard let part = picture(bytes, .region(region, size)) else {
      report("a part cannot be decoded")
      return 0
    }
    for row in 0..<size.height {
      let isSame = part.withRow(row) { ours in
        whole.withRow(y + row) { theirs in
          (0..<size.width * 4).allSatisfy { ours[$0] == theirs[x * 4 + $0] }
        }
      }
      report("row \(row) of a part differs", unless: isSame)
    }
    return 0
  }

  private static func picture(_ bytes: Input, _ fitting: Fitting) -> Bitmap? {
    try? codec?.decode(bytes.span, fitting: fitting, rules: .fuzzing, workspace: Workspace()).bitmap
  }

  private static func checkBeginning(_ bytes: Span<UInt8>, _ codec: any PrefixCodec) {
    guard let info = try? codec.probe(bytes),
      let picture = try? codec.decodePrefix(
        bytes,
        fitting: .original,
        rules: .fuzzing,
        workspace: Workspace()
      )
    else { return }
    report("a beginning has another size", unless: picture.bitmap.size == info.uprightSize)
  }

  private static func composeFrames(_ bytes: [UInt8]) {
    guard let source = try? CodecList.standard.frames(of: bytes, rules: .fuzzing) else { return }
    let count = min(source.info.frames.count, 4)
    let (composer, other) = (source.makeComposer(), source.makeComposer())
    let inOrder = (0..<count).map { try? composer.compose($0) }
    for number in (0..<count).reversed() {
      let again = try? other.compose(number)
      report("frame \(number) differs", unless: areSame(inOrder[number], again))
    }
  }
}
