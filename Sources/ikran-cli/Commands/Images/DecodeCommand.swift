import Ikran

/// `ikran decode`: a file's pixels, without caches and network.
struct DecodeCommand: Command {
  var input = Input.standardInput
  var frame = 0
  var style: Style?
  var region: PixelRectangle?
  var size: PixelSize?
  var filters: [Filter] = []
  var destination = Destination()
  var maximumPixels = DecodeLimits().maximumPixels

  static let syntax = Syntax<Self>(
    name: "decode",
    summary: "Decodes a file and writes its pixels.",
    operand: Operand("FILE|-", \.input, .path),
    options: [
      .one(
        "frame",
        \.frame,
        "N",
        .integer(0...Int.max),
        "which frame of an animated image, from 0"
      ),
      .one("style", \.style, "STYLE", .style, "the style, see ikran styles (default: original)"),
      .one(
        "region",
        \.region,
        "X,Y,W,H",
        .rectangle,
        "only this rectangle of the upright picture,\nin its pixels; no more of the file is decoded"
      ),
      .one("size", \.size, "WxH", .pixelSize, "the region's size in the result (default: its own)"),
      .filters(\.filters),
    ] + Option.destination(\.destination) + [
      .one(
        "max-pixels",
        \.maximumPixels,
        "N",
        .integer(1...Int.max),
        "refuses larger images (default: 100000000);\nwith --region, larger results"
      )
    ],
    notes: [
      """
      rgba is straight (not premultiplied) 8-bit RGBA, upright, sRGB, top row first, no header.
      """
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    try destination.check(output, command: "decode")
    if region != nil, style != nil {
      throw UsageError(reason: "--region and --style exclude each other", command: "decode")
    }
    if region == nil, size != nil {
      throw UsageError(reason: "--size needs --region", command: "decode")
    }
  }

  func run(_ output: Output) async throws -> Int32 {
    var limits = DecodeLimits()
    limits.maximumPixels = maximumPixels
    let bytes = try await input.bytes()
    let picture = try await Computation.value { [limits] in
      let movie = try Movie(bytes, name: input.name, limits: limits)
      let style = style ?? .original
      let fitting = try region.map { .region($0, size ?? $0.size) } ?? style.fitting(scale: 1)
      let decoded = try movie.picture(frame, fitting: fitting)
      return try style.filtered(filters).finish(decoded, scale: 1, workspace: Workspace())
    }
    try destination.write(picture, output)
    return 0
  }
}

extension Reading where Value == PixelRectangle {
  /// `X,Y,W,H`.
  fileprivate static var rectangle: Reading {
    Reading("a rectangle such as 0,0,640,480: left, top, width and height in pixels") { word in
      let numbers = word.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
        let height = numbers[3], x >= 0, y >= 0, width > 0, height > 0
      else { return nil }
      return PixelRectangle(x: x, y: y, width: width, height: height)
    }
  }
}

extension Reading where Value == Input {
  /// A file or `-`; any other word is a path.
  static var path: Reading {
    Reading("") { $0 == "-" ? .standardInput : .file($0) }
  }
}
