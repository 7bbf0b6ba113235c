extension Filter {
  /// Adds to each channel: `c + amount`.
  ///
  /// - Parameter amount: −1 (black) … 1 (white); 0 changes nothing.
  /// - Returns: The filter.
  public static func brightness(_ amount: Double = 0) -> Filter {
    Filter(.brightness, .number(amount))
  }

  /// Spreads channels around the middle: `0.5 + (c − 0.5) · factor`.
  ///
  /// - Parameter factor: 0 (gray) … 2; 1 changes nothing.
  /// - Returns: The filter.
  public static func contrast(_ factor: Double = 1) -> Filter { Filter(.contrast, .number(factor)) }

  /// Multiplies light: `c · 2^stops`.
  ///
  /// - Parameter stops: −10 … 10; 0 changes nothing.
  /// - Returns: The filter.
  public static func exposure(_ stops: Double = 0) -> Filter { Filter(.exposure, .number(stops)) }

  /// Bends channels: `c^exponent`.
  ///
  /// - Parameter exponent: 0 … 3; below 1 is brighter, 1 changes nothing.
  /// - Returns: The filter.
  public static func gamma(_ exponent: Double = 1) -> Filter { Filter(.gamma, .number(exponent)) }

  /// Leaves few levels of each channel: `⌊c · levels + 0.5⌋ / levels`.
  ///
  /// - Parameter levels: 1 … 255 steps above black.
  /// - Returns: The filter.
  public static func posterize(levels: Double = 10) -> Filter {
    Filter(.posterize, .number(levels))
  }

  /// Stretches `black`…`white` to the whole range, bends it, and fits it into another.
  ///
  /// - Parameters:
  ///   - black: What becomes 0, 0 … 1.
  ///   - middle: The gamma of the middle, 0.1 … 10; above 1 is brighter.
  ///   - white: What becomes 1, 0 … 1.
  ///   - lowest: The darkest result, 0 … 1.
  ///   - highest: The brightest result, 0 … 1.
  /// - Returns: The filter.
  public static func levels(
    black: Double = 0,
    middle: Double = 1,
    white: Double = 1,
    lowest: Double = 0,
    highest: Double = 1
  ) -> Filter {
    let numbers = [black, middle, white, lowest, highest].map { FilterValue.number($0) }
    return Filter(.levels, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
  }

  /// Bends channels along smooth curves through points; they never swing past a point.
  ///
  /// A channel's own curve comes first, then the one of all.
  ///
  /// - Parameters:
  ///   - all: At least two points, each coordinate 0 … 1; the first 1,024 count.
  ///   - red: The same for red alone; empty changes nothing.
  ///   - green: The same for green.
  ///   - blue: The same for blue.
  /// - Returns: The filter.
  public static func curves(
    _ all: [(x: Double, y: Double)] = [],
    red: [(x: Double, y: Double)] = [],
    green: [(x: Double, y: Double)] = [],
    blue: [(x: Double, y: Double)] = []
  ) -> Filter {
    let lists = [all, red, green, blue].map { points -> FilterValue in
      guard points.count > 1 else { return .list([0, 0, 1, 1]) }
      return .list(points.prefix(FilterParameter.pointLimit).flatMap { [$0.x, $0.y] })
    }
    return Filter(.curves, lists[0], lists[1], lists[2], lists[3])
  }

  /// Darkens highlights and lightens shadows, and keeps colours.
  ///
  /// - Parameters:
  ///   - highlights: 0 … 1; 0 changes nothing.
  ///   - shadows: 0 … 1; 0 changes nothing.
  /// - Returns: The filter.
  public static func highlightShadow(highlights: Double = 0, shadows: Double = 0) -> Filter {
    Filter(.highlightShadow, .number(highlights), .number(shadows))
  }

  /// White where the luma reaches a threshold, else black.
  ///
  /// - Parameter luma: 0 … 1.
  /// - Returns: The filter.
  public static func threshold(_ luma: Double = 0.5) -> Filter { Filter(.threshold, .number(luma)) }
}

extension FilterDefinition {
  static let brightness = FilterDefinition(
    "brightness",
    "adds to each channel",
    [.number("amount", -1...1, 0)],
    neutral: ["amount": .number(0)]
  ) { arguments in [.point(.matrix(ColorMatrix(scale: 1, offset: arguments.number(0))))] }

  static let contrast = FilterDefinition(
    "contrast",
    "spreads channels around the middle",
    [.number("factor", 0...2, 1)],
    neutral: ["factor": .number(1)]
  ) { arguments in
    let factor = arguments.number(0)
    return [.point(.matrix(ColorMatrix(scale: factor, offset: 0.5 - 0.5 * factor)))]
  }

  static let exposure = FilterDefinition(
    "exposure",
    "multiplies light by 2^stops",
    [.number("stops", -10...10, 0)],
    neutral: ["stops": .number(0)]
  ) { arguments in
    [.point(.matrix(ColorMatrix(scale: power(2, arguments.number(0)), offset: 0)))]
  }

  static let gamma = FilterDefinition(
    "gamma",
    "raises channels to a power",
    [.number("exponent", 0...3, 1)],
    neutral: ["exponent": .number(1)]
  ) { arguments in [.point(.gamma(arguments.number(0)))] }

  static let posterize = FilterDefinition(
    "posterize",
    "leaves few levels of each channel",
    [.number("levels", 1...255, 10)],
    neutral: ["levels": .number(255)]
  ) { arguments in [.point(.posterize(levels: arguments.number(0)))] }

  static let levels = FilterDefinition(
    "levels",
    "stretches a range of levels and bends it",
    [
      .number("black", 0...1, 0), .number("middle", 0.1...10, 1), .number("white", 0...1, 1),
      .number("lowest", 0...1, 0), .number("highest", 0...1, 1),
    ],
    neutral: [
      "black": .number(0), "middle": .number(1), "white": .number(1), "lowest": .number(0),
      "highest": .number(1),
    ]
  ) { arguments in
    // Where white is not above black, all that is above black is white.
    let span = max(arguments.number(2) - arguments.number(0), 0.001)
    let (low, high) = (arguments.number(3), arguments.number(4))
    let stretched = ColorMatrix(scale: 1 / span, offset: -arguments.number(0) / span)
    return [
      .point(.matrix(stretched)), .point(.gamma(1 / arguments.number(1))),
      .point(.matrix(ColorMatrix(scale: high - low, offset: low))),
    ]
  }

  static let curves = FilterDefinition(
    "curves",
    "bends channels along curves through points x/y/x/y…",
    ["all", "red", "green", "blue"].map { name in
      FilterParameter(name: name, kind: .points, defaultValue: .list([0, 0, 1, 1]))
    },
    neutral: [
      "all": .list([0, 0, 1, 1]), "red": .list([0, 0, 1, 1]), "green": .list([0, 0, 1, 1]),
      "blue": .list([0, 0, 1, 1]),
    ]
  ) { arguments in
    let curves = (0..<4).map { MonotoneCurve(arguments.list($0)) }
    // A multiple of 255 intervals, so that each byte's value is exact.
    let intervals = 1020
    let tables = (1..<4).map { channel in
      (0...intervals).map { index in
        curves[0].value(at: curves[channel].value(at: Double(index) / Double(intervals)))
      }
    }
    let table = PointTable(red: tables[0], green: tables[1], blue: tables[2])
    return [.point(.curves(table, share: 1))]
  }

  static let highlightShadow = FilterDefinition(
    "highlightShadow",
    "darkens highlights and lightens shadows",
    [.number("highlights", 0...1, 0), .number("shadows", 0...1, 0)],
    neutral: ["highlights": .number(0), "shadows": .number(0)]
  ) { arguments in
    [.point(.highlightsAndShadows(arguments.number(0), arguments.number(1)))]
  }

  static let threshold = FilterDefinition(
    "threshold",
    "white where the luma reaches a threshold, else black",
    [.number("luma", 0...1, 0.5)]
  ) { arguments in [.point(.threshold(arguments.number(0)))] }
}
