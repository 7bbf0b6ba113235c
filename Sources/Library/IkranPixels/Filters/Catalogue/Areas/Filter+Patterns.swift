extension Filter {
  /// Dots of the mean colour of square cells, on black.
  ///
  /// - Parameters:
  ///   - scale: The distance of dots, 0 … 1 of the width; 0 changes nothing.
  ///   - size: Their diameter, 0 … 1 of the distance.
  /// - Returns: The filter.
  public static func polkaDot(scale: Double = 0.05, size: Double = 0.9) -> Filter {
    Filter(.polkaDot, .number(scale), .number(size))
  }

  /// Slanted black lines on white, in four layers: more of them where it is darker.
  ///
  /// - Parameters:
  ///   - spacing: The distance of lines along a row, 0 … 1 of the width; 0 changes nothing.
  ///   - lineWidth: 0 … 1 of the width; lines narrower than a pixel are paler.
  /// - Returns: The filter.
  public static func crosshatch(spacing: Double = 0.03, lineWidth: Double = 0.003) -> Filter {
    Filter(.crosshatch, .number(spacing), .number(lineWidth))
  }

  /// The four colours of ``cga(_:scale:)``.
  public enum CGAPalette: String, Sendable, Hashable, CaseIterable {
    /// Black, cyan, magenta and white.
    case cyan
    /// Black, green, red and yellow.
    case green
  }

  /// The screen of an early personal computer: large pixels in four colours.
  ///
  /// Each has the colour that is nearest to the mean of the picture there.
  ///
  /// - Parameters:
  ///   - palette: Which colours.
  ///   - scale: A pixel's side, 0 … 1 of the width; at least a pixel of the picture.
  /// - Returns: The filter.
  public static func cga(_ palette: CGAPalette = .cyan, scale: Double = 0.005) -> Filter {
    Filter(.cga, .word(palette.rawValue), .number(scale))
  }

  /// A bad signal: blocks slip sideways.
  ///
  /// What leaves the picture on one side comes in on the other. Blocks are parts of the picture, so
  /// that it looks alike at every size.
  ///
  /// - Parameters:
  ///   - amount: How far, 0 … 1; 0 changes nothing.
  ///   - seed: Which blocks, 0 … 999,999; the same seed always has the same ones.
  /// - Returns: The filter.
  public static func blockGlitch(_ amount: Double = 0.5, seed: Int = 1) -> Filter {
    Filter(.blockGlitch, .number(amount), .number(Double(seed)))
  }
}

extension Filter.CGAPalette {
  fileprivate var colors: [Color] {
    switch self {
    case .cyan:
      [
        .black, Color(red: 85, green: 255, blue: 255), Color(red: 255, green: 85, blue: 255),
        .white,
      ]
    case .green:
      [
        .black, Color(red: 85, green: 255, blue: 85), Color(red: 255, green: 85, blue: 85),
        Color(red: 255, green: 255, blue: 85),
      ]
    }
  }
}

extension FilterDefinition {
  static let polkaDot = FilterDefinition(
    "polkaDot",
    "dots of the mean colour, on black",
    [.number("scale", 0...1, 0.05), .number("size", 0...1, 0.9)],
    neutral: ["scale": .number(0)]
  ) { arguments in
    let (scale, size) = (arguments.number(0), arguments.number(1))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.polkaDots(scale, dotSize: size, workspace: workspace)
      }
    ]
  }

  static let crosshatch = FilterDefinition(
    "crosshatch",
    "slanted lines, more where it is darker",
    [.number("spacing", 0...1, 0.03), .number("lineWidth", 0...1, 0.003)],
    neutral: ["spacing": .number(0)]
  ) { arguments in
    let (spacing, width) = (arguments.number(0), arguments.number(1))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.crosshatched(spacing: spacing, lineWidth: width, workspace: workspace)
      }
    ]
  }

  static let cga = FilterDefinition(
    "cga",
    "large pixels in four colours",
    [.word("palette", Filter.CGAPalette.cyan), .number("scale", 0...1, 0.005)]
  ) { arguments in
    let colors = arguments.word(0, Filter.CGAPalette.cyan).colors
    let scale = arguments.number(1)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.reduced(to: colors, scale: scale, workspace: workspace)
      }
    ]
  }

  static let blockGlitch = FilterDefinition(
    "blockGlitch",
    "a bad signal: blocks slip sideways",
    [.number("amount", 0...1, 0.5), .number("seed", 0...999_999, 1)],
    neutral: ["amount": .number(0)]
  ) { arguments in
    let blocks = GlitchBlock.all(seed: UInt64(arguments.number(1)))
    let reach = arguments.number(0) / 4
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.moving(blocks, reach: reach, workspace: workspace)
      }
    ]
  }
}
