import Ikran

/// `ikran inspect`: what a file's header says.
struct InspectCommand: Command {
  var input = Input.standardInput
  var isJSON = false

  static let syntax = Syntax<Self>(
    name: "inspect",
    summary: "Prints what an image's header says, without decoding it.",
    operand: Operand("FILE|URL|-", \.input, .input),
    options: [.flag("json", \.isJSON, "prints JSON")],
    notes: [
      """
      Prints format, width and height (as stored, before the orientation turns them), frames,
      durations (milliseconds a frame, none for stills), loops (0 is for ever, none for stills),
      orientation (1…8, as EXIF counts), alpha, bits (of a channel), icc (has a colour profile)
      and animated.
      """
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    let bytes = try await input.bytes()
    let info: ImageInfo
    do throws(DecodeError) {
      info = try CodecList.standard.probe(bytes.span)
    } catch {
      throw ImageError.decode(error, url: input.name)
    }
    try output.report(Self.facts(info), asJSON: isJSON)
    return 0
  }

  static func facts(_ info: ImageInfo) -> JSON {
    [
      "format": .string(info.format.rawValue),
      "width": .integer(info.size.width),
      "height": .integer(info.size.height),
      "frames": .integer(info.frames),
      "durations": .array(info.durations.map(JSON.integer)),
      "loops": .integer(orNull: info.loops),
      "orientation": .integer(Int(info.orientation.rawValue)),
      "alpha": .bool(info.hasAlpha),
      "bits": .integer(info.bitsPerChannel),
      "icc": .bool(info.hasICCProfile),
      "animated": .bool(info.isAnimated),
    ]
  }
}
