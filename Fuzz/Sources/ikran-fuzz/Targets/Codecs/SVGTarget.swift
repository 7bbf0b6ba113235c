@testable import IkranCodecs
@testable import IkranPixels

/// SVG: a drawing has its size, and is the same when it is drawn again.
enum SVGTarget {
  /// Nil where the package's trait is off.
  private static var codec: (any PrefixCodec)? {
    CodecList.standard.codecs.first { $0.format == .svg } as? any PrefixCodec
  }

  static func run(_ bytes: Input) -> CInt {
    guard let codec, codec.recognizes(bytes.span) else { return 0 }
    let seed = fnv1a(bytes)
    var fitting = fitting(seed)
    if fitting == .original { fitting = .inside(PixelSize(width: 64, height: 64)) }
    let prefix = bytes.span.extracting(first: Int(seed >> 8) % bytes.count)
    guard !isLong(prefix), !isLong(bytes.span) else { return 0 }
    let info = try? codec.probe(bytes.span)
    _ = try? codec.decodePrefix(
      prefix,
      fitting: fitting,
      rules: .fuzzing,
      workspace: Workspace()
    )
    guard let picture = picture(bytes, fitting) else { return 0 }
    report("a drawing has no size", unless: info != nil)
    report("a drawing differs", unless: areSame(picture, self.picture(bytes, fitting)))
    guard let info, case .cover(let size) = fitting else { return 0 }
    report("another size than what was wanted", unless: picture.size == size)
    let region = PixelRectangle(x: 0, y: 0, width: info.size.width, height: info.size.height)
    report(
      "the whole as a rectangle cannot be drawn",
      unless: self.picture(bytes, .region(region, size)) != nil
    )
    return 0
  }

  /// Whether a drawing has so many elements that it takes a minute here; without AddressSanitizer it
  /// takes a second.
  private static func isLong(_ bytes: Span<UInt8>) -> Bool {
    guard let text = try? SVGText(bytes, isBeginning: true), let document = try? SVGDocument(text),
      var counter = try? SVGCostCounter(document), let cost = try? counter.total()
    else { return false }
    return cost.elements > 30_000
  }

  private static func picture(_ bytes: Input, _ fitting: Fitting) -> Bitmap? {
    try? codec?.decode(bytes.span, fitting: fitting, rules: .fuzzing, workspace: Workspace()).bitmap
  }
}
