extension Filter {
  /// Draws a circle's pixels towards its centre, as GPUImage's pinch.
  ///
  /// - Parameters:
  ///   - amount: −2 … 2; below 0 it enlarges, 0 changes nothing.
  ///   - radius: Of the circle, 0 … 1 of the shorter side; 0 changes nothing.
  ///   - x: The centre, 0 (left) … 1.
  ///   - y: The centre, 0 (top) … 1.
  /// - Returns: The filter.
  public static func pinch(
    _ amount: Double = 0.5,
    radius: Double = 0.5,
    x: Double = 0.5,
    y: Double = 0.5
  ) -> Filter { Filter(.pinch, .number(amount), .number(radius), .number(x), .number(y)) }

  /// Enlarges the middle of a circle, as GPUImage's bulge.
  ///
  /// - Parameters:
  ///   - amount: −1 … 1; below 0 it makes the middle smaller, 0 changes nothing.
  ///   - radius: Of the circle, 0 … 1 of the shorter side; 0 changes nothing.
  ///   - x: The centre, 0 (left) … 1.
  ///   - y: The centre, 0 (top) … 1.
  /// - Returns: The filter.
  public static func bulge(
    _ amount: Double = 0.5,
    radius: Double = 0.5,
    x: Double = 0.5,
    y: Double = 0.5
  ) -> Filter { Filter(.bulge, .number(amount), .number(radius), .number(x), .number(y)) }

  /// Waves that run away from a point, as on water.
  ///
  /// - Parameters:
  ///   - amplitude: The farthest that a pixel moves, in points, 0 … 100; 0 changes nothing.
  ///   - wavelength: The distance of waves in points, 1 … 1,000, at least a pixel.
  ///   - phase: The moment, 0 … 1 wave.
  ///   - x: The point, 0 (left) … 1.
  ///   - y: The point, 0 (top) … 1.
  /// - Returns: The filter.
  public static func ripple(
    amplitude: Double = 4,
    wavelength: Double = 24,
    phase: Double = 0,
    x: Double = 0.5,
    y: Double = 0.5
  ) -> Filter {
    let (amplitude, wavelength) = (FilterValue.number(amplitude), FilterValue.number(wavelength))
    return Filter(.ripple, amplitude, wavelength, .number(phase), .number(x), .number(y))
  }

  /// A ball of glass in front of the picture: it shows all of it, upside down.
  ///
  /// - Parameters:
  ///   - ratio: The index of air over that of the glass, 0 … 0.99; light bends less with more.
  ///   - radius: Of the ball, 0 … 1 of the shorter side; 0 changes nothing.
  ///   - x: The centre, 0 (left) … 1.
  ///   - y: The centre, 0 (top) … 1.
  /// - Returns: The filter.
  public static func glassSphere(
    _ ratio: Double = 0.71,
    radius: Double = 0.25,
    x: Double = 0.5,
    y: Double = 0.5
  ) -> Filter { Filter(.glassSphere, .number(ratio), .number(radius), .number(x), .number(y)) }

  /// Which half of the picture ``mirror(_:)`` keeps.
  public enum MirrorHalf: String, Sendable, Hashable, CaseIterable {
    case left, right, top, bottom
  }

  /// Shows one half of the picture and its mirror image in place of the other half.
  public static func mirror(_ half: MirrorHalf = .left) -> Filter {
    Filter(.mirror, .word(half.rawValue))
  }
}

extension FilterDefinition {
  static let pinch = FilterDefinition(
    "pinch",
    "draws a circle's pixels towards its centre",
    [.number("amount", -2...2, 0.5)] + circle,
    neutral: ["amount": .number(0)]
  ) { arguments in
    circleSteps(arguments) { .pinch($0) }
  }

  static let bulge = FilterDefinition(
    "bulge",
    "enlarges the middle of a circle",
    [.number("amount", -1...1, 0.5)] + circle,
    neutral: ["amount": .number(0)]
  ) { arguments in
    circleSteps(arguments) { .bulge($0) }
  }

  private static let circle: [FilterParameter] = [
    .number("radius", 0...1, 0.5), .number("x", 0...1, 0.5), .number("y", 0...1, 0.5),
  ]

  private static func circleSteps(
    _ arguments: FilterArguments,
    _ kind: (Double) -> Warp.Kind
  ) -> [FilterStep] {
    let warp = Warp(kind: kind(arguments.number(0)), x: arguments.number(2), y: arguments.number(3))
    let radius = arguments.number(1)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        let pixels = radius * Double(min(picture.width, picture.height))
        return try picture.warped(warp, radius: pixels, workspace: workspace)
      }
    ]
  }

  static let ripple = FilterDefinition(
    "ripple",
    "waves that run away from a point",
    [
      .number("amplitude", 0...100, 4), .number("wavelength", 1...1000, 24),
      .number("phase", 0...1, 0), .number("x", 0...1, 0.5), .number("y", 0...1, 0.5),
    ],
    neutral: ["amplitude": .number(0)]
  ) { arguments in
    let (amplitude, wavelength) = (arguments.pixels(0), max(arguments.pixels(1), 1))
    let kind = Warp.Kind.ripple(amplitude, wavelength: wavelength, phase: arguments.number(2))
    let warp = Warp(kind: kind, x: arguments.number(3), y: arguments.number(4))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.warped(warp, radius: 1, workspace: workspace)
      }
    ]
  }

  static let glassSphere = FilterDefinition(
    "glassSphere",
    "a ball of glass in front of the picture",
    [
      .number("ratio", 0...0.99, 0.71), .number("radius", 0...1, 0.25), .number("x", 0...1, 0.5),
      .number("y", 0...1, 0.5),
    ],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let (ratio, radius) = (arguments.number(0), arguments.number(1))
    let (x, y) = (arguments.number(2), arguments.number(3))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.glassSphere(ratio, radius: radius, x: x, y: y, workspace: workspace)
      }
    ]
  }

  static let mirror = FilterDefinition(
    "mirror",
    "shows one half and its mirror image",
    [.word("half", Filter.MirrorHalf.left)]
  ) { arguments in
    let half = arguments.word(0, Filter.MirrorHalf.left)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.mirrored(half, workspace: workspace)
      }
    ]
  }
}
