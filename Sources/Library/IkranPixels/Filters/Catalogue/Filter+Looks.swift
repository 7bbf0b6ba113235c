extension Filter {
  /// Squares of one colour.
  ///
  /// - Parameter scale: A square's side, 0 … 1 of the width; 0 changes nothing.
  /// - Returns: The filter.
  public static func pixellated(scale: Double = 0.05) -> Filter {
    Filter(.pixellated, .number(scale))
  }

  /// Black dots on white, larger where it is darker.
  ///
  /// - Parameter scale: The distance of dots, 0 … 1 of the width; 0 changes nothing.
  /// - Returns: The filter.
  public static func halftone(scale: Double = 0.01) -> Filter { Filter(.halftone, .number(scale)) }

  /// Turns the middle, more towards the centre.
  ///
  /// - Parameters:
  ///   - radius: Of the part that turns, 0 … 1 of the shorter side; 0 changes nothing.
  ///   - angle: An eighth of the centre's turn in radians, −4 … 4; 0 changes nothing.
  /// - Returns: The filter.
  public static func swirl(radius: Double = 0.5, angle: Double = 1) -> Filter {
    Filter(.swirl, .number(radius), .number(angle))
  }

  /// Flat areas with sharp edges, as painted with a broad brush.
  ///
  /// - Parameter radius: Of the brush in points, 0 … 8; 0 changes nothing. More than 32 pixels
  ///   count as 32, whatever the scale.
  /// - Returns: The filter.
  public static func kuwahara(radius: Double = 3) -> Filter { Filter(.kuwahara, .number(radius)) }

  /// Paints with a brush, in 20 brightnesses.
  ///
  /// - Parameters:
  ///   - radius: Of the brush in points, 0 … 32; 0 changes nothing. More than 32 pixels count as
  ///     32, whatever the scale.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func oilPainting(radius: Double = 3, intensity: Double = 1) -> Filter {
    Filter(.oilPainting, .number(radius), .number(intensity))
  }

  /// A bad signal: red and blue slip sideways, row by row, within the picture's shape.
  ///
  /// - Parameter time: The moment, 0 … 1,000; others look different.
  /// - Returns: The filter.
  public static func shiftGlitch(time: Double = 0.5) -> Filter {
    Filter(.shiftGlitch, .number(time))
  }

  /// The soul leaves the picture: it grows and fades over it, as Harbeth shows it.
  ///
  /// - Parameters:
  ///   - soul: How far it has gone, 0 … 1.
  ///   - maxScale: Its size at the end, 1 … 10.
  ///   - maxAlpha: Its opacity at the beginning, 0 … 1; 0 changes nothing.
  /// - Returns: The filter.
  public static func soulOut(
    _ soul: Double = 0.5,
    maxScale: Double = 1.5,
    maxAlpha: Double = 0.5
  ) -> Filter { Filter(.soulOut, .number(soul), .number(maxScale), .number(maxAlpha)) }

  /// The middle of the picture, several times.
  ///
  /// - Parameters:
  ///   - columns: Side by side, 1 … 16.
  ///   - rows: One below the other, 1 … 16.
  /// - Returns: The filter.
  public static func splitScreen(columns: Int = 2, rows: Int = 1) -> Filter {
    Filter(.splitScreen, .number(Double(columns)), .number(Double(rows)))
  }

  /// Small copies of the picture in rows and columns, as Harbeth shows them.
  ///
  /// - Parameter ranks: How many side by side and below each other, 1 … 64; 1 changes nothing.
  /// - Returns: The filter.
  public static func storyboard(_ ranks: Int = 2) -> Filter {
    Filter(.storyboard, .number(Double(ranks)))
  }
}

extension FilterDefinition {
  static let pixellated = FilterDefinition(
    "pixellated",
    "squares of one colour",
    [.number("scale", 0...1, 0.05)],
    neutral: ["scale": .number(0)]
  ) { arguments in
    let scale = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.pixellated(scale, workspace: workspace)
      }
    ]
  }

  static let halftone = FilterDefinition(
    "halftone",
    "black dots on white, larger where it is darker",
    [.number("scale", 0...1, 0.01)],
    neutral: ["scale": .number(0)]
  ) { arguments in
    let scale = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.halftone(scale, workspace: workspace)
      }
    ]
  }

  static let swirl = FilterDefinition(
    "swirl",
    "turns the middle, more towards the centre",
    [.number("radius", 0...1, 0.5), .number("angle", -4...4, 1)],
    neutral: ["angle": .number(0)]
  ) { arguments in
    let (radius, angle) = (arguments.number(0), arguments.number(1))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.swirled(radius: radius, angle: angle, workspace: workspace)
      }
    ]
  }

  static let kuwahara = FilterDefinition(
    "kuwahara",
    "flat areas with sharp edges",
    [.number("radius", 0...8, 3)],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let radius = Int(min(arguments.pixels(0), 32).rounded())
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.kuwahara(radius: radius, workspace: workspace)
      }
    ]
  }

  static let oilPainting = FilterDefinition(
    "oilPainting",
    "paints with a brush",
    [.number("radius", 0...32, 3), .number("intensity", 0...1, 1)],
    neutral: ["intensity": .number(0)]
  ) { arguments in
    let radius = Int(min(arguments.pixels(0), 32).rounded())
    let intensity = arguments.number(1)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.oilPainted(
          radius: radius,
          levels: 20,
          intensity: intensity,
          workspace: workspace
        )
      }
    ]
  }

  static let shiftGlitch = FilterDefinition(
    "shiftGlitch",
    "a bad signal: red and blue slip sideways",
    [.number("time", 0...1000, 0.5)]
  ) { arguments in
    let time = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.shiftGlitch(time: time, workspace: workspace)
      }
    ]
  }

  static let soulOut = FilterDefinition(
    "soulOut",
    "the picture grows and fades over itself",
    [
      .number("soul", 0...1, 0.5), .number("maxScale", 1...10, 1.5),
      .number("maxAlpha", 0...1, 0.5),
    ],
    neutral: ["maxAlpha": .number(0)]
  ) { arguments in
    let (soul, scale, alpha) = (arguments.number(0), arguments.number(1), arguments.number(2))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.soulOut(soul: soul, maxScale: scale, maxAlpha: alpha, workspace: workspace)
      }
    ]
  }

  static let splitScreen = FilterDefinition(
    "splitScreen",
    "the middle of the picture, several times",
    [.number("columns", 1...16, 2), .number("rows", 1...16, 1)],
    neutral: ["columns": .number(1), "rows": .number(1)]
  ) { arguments in
    let (columns, rows) = (Int(arguments.number(0)), Int(arguments.number(1)))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.splitScreen(columns: columns, rows: rows, workspace: workspace)
      }
    ]
  }

  static let storyboard = FilterDefinition(
    "storyboard",
    "small copies in rows and columns",
    [.number("ranks", 1...64, 2)],
    neutral: ["ranks": .number(1)]
  ) { arguments in
    let ranks = Int(arguments.number(0))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.storyboard(ranks: ranks, workspace: workspace)
      }
    ]
  }
}
