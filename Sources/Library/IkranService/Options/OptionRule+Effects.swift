import IkranPixels

extension OptionRule {
  /// The options of what is done to pixels.
  static let effects: [String: OptionRule] = [
    "auto_rotate ar": .flag { $0.effects.turnsUpright = $1 },
    "rotate rot": .custom { (reader, arguments) throws(ServiceError) in
      let angle = try arguments.integer(in: -1_000_000_000...1_000_000_000)
      guard angle % 90 == 0 else { throw arguments.fault("is no multiple of 90") }
      reader.options.effects.quarterTurns = (angle / 90 % 4 + 4) % 4
    },
    "flip fl": .custom { (reader, arguments) throws(ServiceError) in
      if let flips = arguments.optionalFlag() { reader.options.effects.flip.horizontally = flips }
      if let flips = arguments.optionalFlag() { reader.options.effects.flip.vertically = flips }
    },
    "background bg": .custom(readBackground),
    "blur bl": .number(0...1e9) { $0.effects.blur = $1 },
    "sharpen sh": .number(0...1e9) { $0.effects.sharpen = $1 },
    "pixelate pix": .integer(OptionArguments.sizes) { $0.effects.pixelate = $1 },
    "watermark wm": .custom(readWatermark),
  ]

  private static func readBackground(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    let first = try arguments.required()
    if arguments.isAtEnd {
      reader.options.effects.background = first.isEmpty ? nil : try arguments.color(first)
      return
    }
    let (second, third) = (try arguments.required(), try arguments.required())
    reader.options.effects.background = Color(
      red: try channel(first, arguments),
      green: try channel(second, arguments),
      blue: try channel(third, arguments)
    )
  }

  private static func channel(
    _ text: ArraySlice<UInt8>,
    _ arguments: OptionArguments
  ) throws(ServiceError) -> UInt8 {
    guard let first = text.first, first >= UInt8(ascii: "0"), let value = UInt8(text.text) else {
      throw arguments.fault(text, expected: "an integer of 0 to 255")
    }
    return value
  }

  private static func readWatermark(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    var watermark = reader.options.effects.watermark
    watermark.opacity = try arguments.number(in: 0...1)
    if let text = arguments.filled() {
      watermark.position = try watermarkPosition(text, arguments)
    }
    if let x = try arguments.optionalNumber() { watermark.x = x }
    if let y = try arguments.optionalNumber() { watermark.y = y }
    if let scale = try arguments.optionalNumber(in: 0...1e9) { watermark.scale = scale }
    reader.options.effects.watermark = watermark
  }

  /// Nil is the repetition over the whole picture.
  private static func watermarkPosition(
    _ text: ArraySlice<UInt8>,
    _ arguments: OptionArguments
  ) throws(ServiceError) -> Gravity.Kind? {
    let name = text.text
    if name == "re" { return nil }
    if name == "ch" {
      throw .unsupportedOption(name: arguments.name, reason: "does not draw a chessboard")
    }
    guard let kind = Gravity.Kind(rawValue: name), kind != .smart, kind != .focusPoint else {
      throw arguments.fault(text, expected: "a gravity, or re,")
    }
    return kind
  }
}
