extension OptionRule {
  /// The options of what is cut off and put around.
  static let framing: [String: OptionRule] = [
    "gravity g": .custom { (reader, arguments) throws(ServiceError) in
      try arguments.read(&reader.options.framing.gravity, allowsSmart: true)
    },
    "crop c": .custom(readCrop),
    "trim t": .custom(readTrim),
    "padding pd": .custom(readPadding),
  ]

  private static func readCrop(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    reader.options.framing.crop.width = try arguments.number(in: 0...1e9)
    if !arguments.isAtEnd {
      reader.options.framing.crop.height = try arguments.number(in: 0...1e9)
    }
    guard !arguments.isAtEnd else { return }
    var gravity = reader.options.framing.crop.gravity ?? Gravity()
    try arguments.read(&gravity, allowsSmart: true)
    reader.options.framing.crop.gravity = gravity
  }

  private static func readTrim(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    let threshold = try arguments.optionalNumber()
    var trim = reader.options.framing.trim ?? Framing.Trim()
    trim.threshold = threshold ?? 0
    trim.color = nil
    if let text = arguments.filled() { trim.color = try arguments.color(text) }
    if let isEqual = arguments.optionalFlag() { trim.isEqualHorizontally = isEqual }
    if let isEqual = arguments.optionalFlag() { trim.isEqualVertically = isEqual }
    reader.options.framing.trim = threshold == nil ? nil : trim
  }

  private static func readPadding(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    var padding = reader.options.framing.padding
    if let top = try arguments.optionalInteger() { padding.top = top }
    padding.right = try arguments.optionalInteger() ?? padding.top
    padding.bottom = try arguments.optionalInteger() ?? padding.top
    padding.left = try arguments.optionalInteger() ?? padding.right
    reader.options.framing.padding = padding
  }
}
