extension OptionRule {
  /// The options of a result's size.
  static let resizing: [String: OptionRule] = [
    "resize rs": .custom(readResize),
    "size s": .custom(readSize),
    "resizing_type rt": .custom { (reader, arguments) throws(ServiceError) in
      reader.options.resizing.kind = try resizingKind(arguments.required(), arguments)
    },
    "width w": .integer(OptionArguments.sizes) { $0.resizing.width = $1 },
    "height h": .integer(OptionArguments.sizes) { $0.resizing.height = $1 },
    "min-width mw": .integer(OptionArguments.sizes) { $0.resizing.minimumWidth = $1 },
    "min-height mh": .integer(OptionArguments.sizes) { $0.resizing.minimumHeight = $1 },
    "zoom z": .custom { (reader, arguments) throws(ServiceError) in
      let x = try arguments.number(in: OptionArguments.factors)
      let y = arguments.isAtEnd ? x : try arguments.number(in: OptionArguments.factors)
      reader.options.resizing.zoom = Zoom(x: x, y: y)
    },
    "dpr": .number(OptionArguments.factors) { $0.resizing.dpr = $1 },
    "enlarge el": .flag { $0.resizing.enlarges = $1 },
    "extend ex": .custom { (reader, arguments) throws(ServiceError) in
      try arguments.read(&reader.options.framing.extends, isOn: try arguments.flag())
    },
    "extend_aspect_ratio extend_ar exar": .custom { (reader, arguments) throws(ServiceError) in
      try arguments.read(&reader.options.framing.extendsAspect, isOn: try arguments.flag())
    },
  ]

  private static func readResize(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    if let text = arguments.filled() {
      reader.options.resizing.kind = try resizingKind(text, arguments)
    }
    try readSize(&reader, &arguments)
  }

  private static func readSize(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    if let width = try arguments.optionalInteger() { reader.options.resizing.width = width }
    if let height = try arguments.optionalInteger() { reader.options.resizing.height = height }
    if let enlarges = arguments.optionalFlag() { reader.options.resizing.enlarges = enlarges }
    let isOn = arguments.optionalFlag() ?? reader.options.framing.extends.isOn
    try arguments.read(&reader.options.framing.extends, isOn: isOn)
  }

  private static func resizingKind(
    _ text: ArraySlice<UInt8>,
    _ arguments: OptionArguments
  ) throws(ServiceError) -> Resizing.Kind {
    guard let kind = Resizing.Kind(rawValue: text.text) else {
      throw arguments.fault(text, expected: "fit, fill, fill-down, force or auto")
    }
    return kind
  }
}

extension OptionArguments {
  /// Switches a canvas on or off, and reads its gravity where one is left.
  fileprivate mutating func read(
    _ canvas: inout Framing.Extension,
    isOn: Bool
  ) throws(ServiceError) {
    canvas.isOn = isOn
    if !isAtEnd { try read(&canvas.gravity, allowsSmart: false) }
  }

  /// Reads a gravity to the end; offsets that are not there stay.
  mutating func read(_ gravity: inout Gravity, allowsSmart: Bool) throws(ServiceError) {
    let text = try required()
    if text.elementsEqual("obj".utf8) || text.elementsEqual("objw".utf8) {
      throw .unsupportedOption(name: name, reason: "does not look for objects")
    }
    guard let kind = Gravity.Kind(rawValue: text.text), allowsSmart || kind != .smart else {
      throw fault(text, expected: "a gravity")
    }
    gravity.kind = kind
    switch kind {
    case .smart: (gravity.x, gravity.y) = (0, 0)
    case .focusPoint:
      gravity.x = try number(in: 0...1)
      gravity.y = try number(in: 0...1)
    default:
      if let x = try optionalNumber() { gravity.x = x }
      if let y = try optionalNumber() { gravity.y = y }
    }
    try end()
  }
}
