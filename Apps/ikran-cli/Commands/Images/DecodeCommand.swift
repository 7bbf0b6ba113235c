import Ikran
import IkranPixels

/// `ikran decode`: a file's pixels, without caches and network.
struct DecodeCommand: Command {
  var input = Input.standardInput
  var frame = 0
  var style: Style?
  var region = RegionChoice()
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
        "which frame of an animated image, or page, from 0"
      ),
      .one("style", \.style, "STYLE", .style, "the style, see ikran styles (default: original)"),
    ] + Option.region(\.region, unit: "the result") + [
      .filters(\.filters)
    ] + Option.destination(\.destination) + Option.fidelity(\.destination)
      + [.metadata(\.destination), .maximumPixels(\.maximumPixels)],
    notes: [
      """
      rgba is straight (not premultiplied) 8-bit RGBA, upright, sRGB, top row first, no header.
      """
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    try destination.check(output, command: "decode")
    try region.check(style, command: "decode")
  }

  func run(_ output: Output) async throws -> Int32 {
    var rules = DecodeRules()
    rules.limits.maximumPixels = maximumPixels
    let bytes = try await input.bytes()
    let look = (style ?? region.style(scale: 1) ?? .original).filtered(filters)
    let (file, isOtherPage) = try await Computation.value { [rules] in
      let movie = try Movie(bytes, name: input.name, rules: rules)
      let isOtherPage = movie.hasPages && frame > 0
      let fitting = try look.fitting(scale: 1)
      if movie.source == nil, !look.hasFiltersOrEdges {
        let file = try movie.still(frame, as: destination.encoding(), fitting: fitting)
        return (file, isOtherPage)
      }
      let decoded = try movie.picture(frame, fitting: fitting)
      let styled = try look.applyFiltersAndEdges(decoded, scale: 1, workspace: Workspace())
      return (try destination.encode(styled), isOtherPage)
    }
    var target = destination
    // What the first page says is not said of another one.
    if !isOtherPage { target.metadata = ImageMetadata(of: bytes) }
    try target.write(file, output)
    return 0
  }
}
