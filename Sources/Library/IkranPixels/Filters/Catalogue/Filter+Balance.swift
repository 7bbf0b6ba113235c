extension Filter {
  /// Changes hue, saturation and lightness, those of the HSL of CSS Color 4.
  ///
  /// Grays stay gray.
  ///
  /// - Parameters:
  ///   - hue: Degrees by which hues turn, −360 … 360; 0 changes nothing.
  ///   - saturation: −1 (gray) … 1 (as vivid as there can be); 0 changes nothing.
  ///   - lightness: −1 (black) … 1 (white); 0 changes nothing.
  /// - Returns: The filter.
  public static func hsl(
    hue: Double = 0,
    saturation: Double = 0,
    lightness: Double = 0
  ) -> Filter { Filter(.hsl, .number(hue), .number(saturation), .number(lightness)) }

  /// Adds colour to shadows, midtones and highlights, each by itself.
  ///
  /// Each parameter has three numbers, −1 … 1: cyan to red, magenta to green and yellow to blue. 1
  /// adds 0.7 of the range where a channel is in the middle of its part; parts fade into each other
  /// over a quarter of the range, around a third and two thirds. Missing numbers are 0.
  ///
  /// - Parameters:
  ///   - shadows: For dark channels; zeros change nothing.
  ///   - midtones: For those between; zeros change nothing.
  ///   - highlights: For light channels; zeros change nothing.
  /// - Returns: The filter.
  public static func colorBalance(
    shadows: [Double] = [],
    midtones: [Double] = [],
    highlights: [Double] = []
  ) -> Filter {
    let values = [shadows, midtones, highlights].map { shifts in
      FilterValue.list(Array((shifts + [0, 0, 0]).prefix(3)))
    }
    return Filter(.colorBalance, values[0], values[1], values[2])
  }

  /// Spreads lumas evenly: a flat picture gains contrast.
  ///
  /// All channels follow one curve, that of the luma's distribution, where pixels count as much as
  /// their alpha.
  ///
  /// - Parameter intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func equalize(_ intensity: Double = 1) -> Filter {
    Filter(.equalize, .number(intensity))
  }
}

extension FilterDefinition {
  private static let noShift = FilterValue.list([0, 0, 0])

  static let hsl = FilterDefinition(
    "hsl",
    "changes hue, saturation and lightness",
    [
      .number("hue", -360...360, 0), .number("saturation", -1...1, 0),
      .number("lightness", -1...1, 0),
    ],
    neutral: ["hue": .number(0), "saturation": .number(0), "lightness": .number(0)]
  ) { arguments in
    [
      .point(
        .hsl(
          degrees: arguments.number(0),
          saturation: arguments.number(1),
          lightness: arguments.number(2)
        )
      )
    ]
  }

  static let colorBalance = FilterDefinition(
    "colorBalance",
    "adds red, green and blue to shadows, midtones and highlights",
    ["shadows", "midtones", "highlights"].map { name in
      FilterParameter(name: name, kind: .list(-1...1, count: 3), defaultValue: noShift)
    },
    neutral: ["shadows": noShift, "midtones": noShift, "highlights": noShift]
  ) { arguments in
    let shifts = (0..<3).map { arguments.list($0) }
    let channels = (0..<3).map { channel in
      (0..<256).map { level in balanced(Double(level) / 255, shifts.map { $0[channel] }) }
    }
    let table = PointTable(red: channels[0], green: channels[1], blue: channels[2])
    return [.point(.curves(table, share: 1))]
  }

  /// A level with what is added to it in shadows, midtones and highlights, in this order.
  private static func balanced(_ level: Double, _ shifts: [Double]) -> Double {
    func clamped(_ value: Double) -> Double { min(max(value, 0), 1) }
    let isShadow = clamped((1.0 / 3 - level) / 0.25 + 0.5)
    let isHighlight = clamped((level - 2.0 / 3) / 0.25 + 0.5)
    let isMiddle = (1 - isShadow) * (1 - isHighlight)
    let added = shifts[0] * isShadow + shifts[1] * isMiddle + shifts[2] * isHighlight
    return level + 0.7 * added
  }

  static let equalize = FilterDefinition(
    "equalize",
    "spreads lumas evenly",
    [.number("intensity", 0...1, 1)],
    neutral: ["intensity": .number(0)]
  ) { arguments in
    let intensity = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        guard let curve = picture.lumaDistribution() else { return picture }
        let table = PointTable(red: curve, green: curve, blue: curve)
        let program = PointProgram([.curves(table, share: intensity)])
        return try program.run(picture, workspace: workspace)
      }
    ]
  }
}
