extension Filter {
  /// Multiplies alpha.
  ///
  /// - Parameter factor: 0 (clear) … 1; 1 changes nothing.
  /// - Returns: The filter.
  public static func opacity(_ factor: Double = 1) -> Filter { Filter(.opacity, .number(factor)) }

  /// Adds haze or takes it away: `(c − d) / (1 − d)`, where d is `distance` + `slope` · height.
  ///
  /// - Parameters:
  ///   - distance: −0.5 (more haze) … 0.5 (less); 0 changes nothing.
  ///   - slope: What is added from the top to the bottom, −0.5 … 0.5; 0 changes nothing.
  /// - Returns: The filter.
  public static func haze(distance: Double = 0, slope: Double = 0) -> Filter {
    Filter(.haze, .number(distance), .number(slope))
  }

  /// Grain: takes a random part of an amount from each pixel, the same in every run and frame.
  ///
  /// - Parameter amount: 0 … 1; 0 changes nothing.
  /// - Returns: The filter.
  public static func granularity(_ amount: Double = 0.3) -> Filter {
    Filter(.granularity, .number(amount))
  }

  /// Fades to a colour away from a point.
  ///
  /// - Parameters:
  ///   - start: The distance where it begins, 0 … 2; the picture is 1 wide and 1 high.
  ///   - end: The distance where only the colour is left, 0 … 2.
  ///   - x: The point, 0 (left) … 1.
  ///   - y: The point, 0 (top) … 1.
  ///   - color: Its alpha does not matter.
  /// - Returns: The filter.
  public static func vignette(
    start: Double = 0.3,
    end: Double = 0.75,
    x: Double = 0.5,
    y: Double = 0.5,
    color: Color = .black
  ) -> Filter {
    Filter(.vignette, .number(start), .number(end), .number(x), .number(y), .color(color))
  }

  /// Takes out a colour, such as the green of a studio's wall.
  ///
  /// - Parameters:
  ///   - color: What is taken out; its brightness does not matter.
  ///   - threshold: How far away in chroma a colour still goes, 0 … 1.
  ///   - smoothing: The width of the soft edge after that, 0 … 1.
  ///   - replacement: What is there instead.
  /// - Returns: The filter.
  public static func chromaKey(
    _ color: Color = Color(red: 0, green: 255, blue: 0),
    threshold: Double = 0.4,
    smoothing: Double = 0.1,
    replacement: Color = Color(red: 0, green: 0, blue: 0, alpha: 0)
  ) -> Filter {
    Filter(.chromaKey, .color(color), .number(threshold), .number(smoothing), .color(replacement))
  }

  /// Blends a picture over this one, stretched to its size.
  ///
  /// A picture of another size is stretched each time the filter runs. Cost of making the
  /// filter: one pass, to know the picture again.
  ///
  /// - Parameters:
  ///   - mode: How colours mix; ``BlendMode/mask`` makes the picture as clear as the other is dark.
  ///   - picture: What is blended over.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func blend(
    _ mode: BlendMode = .normal,
    with picture: Bitmap,
    intensity: Double = 1
  ) -> Filter {
    Filter(.blend, .word(mode.rawValue), .image(FilterImage(picture)), .number(intensity))
  }

  /// Blends a colour over the picture and keeps its alpha, except with `mask`.
  ///
  /// - Parameters:
  ///   - color: Its alpha says how much.
  ///   - mode: How colours mix; `normal` fills the picture's shape with the colour.
  /// - Returns: The filter.
  public static func tint(_ color: Color, mode: BlendMode = .normal) -> Filter {
    Filter(.tint, .color(color), .word(mode.rawValue))
  }
}

extension FilterDefinition {
  static let opacity = FilterDefinition(
    "opacity",
    "multiplies alpha",
    [.number("factor", 0...1, 1)],
    neutral: ["factor": .number(1)]
  ) { arguments in [.point(.opacity(arguments.number(0)))] }

  static let haze = FilterDefinition(
    "haze",
    "adds haze or takes it away",
    [.number("distance", -0.5...0.5, 0), .number("slope", -0.5...0.5, 0)],
    neutral: ["distance": .number(0), "slope": .number(0)]
  ) { arguments in
    [.point(.haze(distance: arguments.number(0), slope: arguments.number(1)))]
  }

  static let granularity = FilterDefinition(
    "granularity",
    "grain: takes a random amount from each pixel",
    [.number("amount", 0...1, 0.3)],
    neutral: ["amount": .number(0)]
  ) { arguments in [.point(.grain(arguments.number(0)))] }

  static let vignette = FilterDefinition(
    "vignette",
    "fades to a colour away from a point",
    [
      .number("start", 0...2, 0.3), .number("end", 0...2, 0.75), .number("x", 0...1, 0.5),
      .number("y", 0...1, 0.5), .color("color", .black),
    ]
  ) { arguments in
    [
      .point(
        .vignette(
          start: arguments.number(0),
          end: arguments.number(1),
          x: arguments.number(2),
          y: arguments.number(3),
          RGB(arguments.color(4))
        )
      )
    ]
  }

  static let chromaKey = FilterDefinition(
    "chromaKey",
    "takes out a colour",
    [
      .color("color", Color(red: 0, green: 255, blue: 0)), .number("threshold", 0...1, 0.4),
      .number("smoothing", 0...1, 0.1),
      .color("replacement", Color(red: 0, green: 0, blue: 0, alpha: 0)),
    ]
  ) { arguments in
    [
      .point(
        .chromaKey(
          RGB(arguments.color(0)),
          threshold: arguments.number(1),
          smoothing: arguments.number(2),
          replacement: arguments.color(3)
        )
      )
    ]
  }

  static let blend = FilterDefinition(
    "blend",
    "blends a picture over this one",
    [
      .word("mode", BlendMode.normal),
      FilterParameter(name: "image", kind: .image, defaultValue: nil),
      .number("intensity", 0...1, 1),
    ],
    neutral: ["intensity": .number(0)]
  ) { arguments in
    guard let picture = arguments.image(1) else { return [] }
    let mode = arguments.word(0, BlendMode.normal)
    let (source, share) = (PointStep.BlendSource.picture(picture), arguments.number(2))
    return [.point(.blend(mode, source, share: share, keepsAlpha: mode == .alpha))]
  }

  static let tint = FilterDefinition(
    "tint",
    "blends a colour over the picture and keeps its alpha, except with mask",
    [.color("color", .black), .word("mode", BlendMode.normal)]
  ) { arguments in
    let source = PointStep.BlendSource.color(arguments.color(0))
    let mode = arguments.word(1, BlendMode.normal)
    return [.point(.blend(mode, source, share: 1, keepsAlpha: true))]
  }
}
