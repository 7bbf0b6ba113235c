extension Filter {
  /// Moves colours from gray or towards it: a mix of luma and colour.
  ///
  /// - Parameter factor: 0 (gray) … 2; 1 changes nothing.
  /// - Returns: The filter.
  public static func saturation(_ factor: Double = 1) -> Filter {
    Filter(.saturation, .number(factor))
  }

  /// Moves dull colours more than vivid ones.
  ///
  /// - Parameter amount: −1.2 … 1.2; 0 changes nothing.
  /// - Returns: The filter.
  public static func vibrance(_ amount: Double = 0) -> Filter {
    Filter(.vibrance, .number(amount))
  }

  /// Turns all hues by an angle, in YIQ.
  ///
  /// - Parameter degrees: −360 … 360; 0 changes nothing.
  /// - Returns: The filter.
  public static func hue(degrees: Double = 90) -> Filter { Filter(.hue, .number(degrees)) }

  /// The brown of old photographs.
  ///
  /// - Parameter intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func sepia(_ intensity: Double = 1) -> Filter { Filter(.sepia, .number(intensity)) }

  /// The picture in shades of one colour.
  ///
  /// - Parameters:
  ///   - intensity: 0 (nothing) … 1.
  ///   - color: Its alpha does not matter.
  /// - Returns: The filter.
  public static func monochrome(
    _ intensity: Double = 1,
    color: Color = Color(red: 153, green: 115, blue: 77)
  ) -> Filter { Filter(.monochrome, .number(intensity), .color(color)) }

  /// How ``grayed(_:)`` finds the gray of a colour.
  public enum GrayMethod: String, Sendable, Hashable, CaseIterable {
    /// As bright as it looks: 0.2125 red, 0.7154 green, 0.0721 blue.
    case luminosity
    /// The mean of the largest and the smallest channel.
    case desaturation
    case average, maximum, minimum
    /// One channel alone.
    case red, green, blue
  }

  /// Takes all colour away.
  public static func grayed(_ method: GrayMethod = .luminosity) -> Filter {
    Filter(.grayed, .word(method.rawValue))
  }

  /// What ``channels(_:)`` makes of red, green and blue.
  public enum ChannelOrder: String, Sendable, Hashable, CaseIterable {
    /// Each channel's complement.
    case invert
    /// The luma of filters, or (`y`) that of BT.601.
    case gray, y
    /// Other orders: `brga` shows blue as red, red as green and green as blue.
    case bgra, brga, gbra, grba, rbga
  }

  /// Exchanges or inverts channels.
  public static func channels(_ order: ChannelOrder) -> Filter {
    Filter(.channels, .word(order.rawValue))
  }

  /// Multiplies by a colour.
  ///
  /// - Parameters:
  ///   - color: White changes nothing; its alpha does not matter.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func color(_ color: Color, intensity: Double = 1) -> Filter {
    Filter(.color, .color(color), .number(intensity))
  }

  /// Shows dark as one colour and light as another.
  public static func falseColor(
    dark: Color = Color(red: 0, green: 0, blue: 128),
    light: Color = Color(red: 255, green: 0, blue: 0)
  ) -> Filter { Filter(.falseColor, .color(dark), .color(light)) }

  /// Warmer or cooler by factors: red · (1 + 0.3 t), green · (1 − 0.3 tint), blue · (1 − 0.3 t).
  ///
  /// - Parameters:
  ///   - temperature: t, −1 (cool) … 1 (warm); 0 changes nothing.
  ///   - tint: −1 (green) … 1 (magenta); 0 changes nothing.
  ///   - shift: −1 … 1 adds up to a tenth to red and takes it from blue; 0 changes nothing.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func temperature(
    _ temperature: Double = 0,
    tint: Double = 0,
    shift: Double = 0,
    intensity: Double = 1
  ) -> Filter {
    Filter(.temperature, .number(temperature), .number(tint), .number(shift), .number(intensity))
  }

  /// The white balance of a light, as Harbeth shows it.
  ///
  /// - Parameters:
  ///   - temperature: Kelvin, 4000 (cool) … 8000 (warm); 5000 changes nothing.
  ///   - tint: −200 … 200; 0 changes nothing.
  /// - Returns: The filter.
  public static func whiteBalance(_ temperature: Double = 5000, tint: Double = 0) -> Filter {
    Filter(.whiteBalance, .number(temperature), .number(tint))
  }
}

extension FilterDefinition {
  static let saturation = FilterDefinition(
    "saturation",
    "moves colours from gray or towards it",
    [.number("factor", 0...2, 1)],
    neutral: ["factor": .number(1)]
  ) { arguments in
    [.point(.matrix(ColorMatrix(gray: ColorMatrix.luma).mixed(1 - arguments.number(0))))]
  }

  static let vibrance = FilterDefinition(
    "vibrance",
    "moves dull colours more than vivid ones",
    [.number("amount", -1.2...1.2, 0)],
    neutral: ["amount": .number(0)]
  ) { arguments in [.point(.vibrance(arguments.number(0)))] }

  static let hue = FilterDefinition(
    "hue",
    "turns all hues by an angle",
    [.number("degrees", -360...360, 90)],
    neutral: ["degrees": .number(0)]
  ) { arguments in [.point(.matrix(ColorMatrix(hue: arguments.number(0))))] }

  static let sepia = FilterDefinition(
    "sepia",
    "the brown of old photographs",
    [.number("intensity", 0...1, 1)],
    neutral: ["intensity": .number(0)]
  ) { arguments in [.point(.matrix(ColorMatrix.sepia.mixed(arguments.number(0))))] }

  static let monochrome = FilterDefinition(
    "monochrome",
    "shades of one colour",
    [
      .number("intensity", 0...1, 1), .color("color", Color(red: 153, green: 115, blue: 77)),
    ],
    neutral: ["intensity": .number(0)]
  ) { arguments in
    [.point(.monochrome(RGB(arguments.color(1)), share: arguments.number(0)))]
  }

  static let grayed = FilterDefinition(
    "grayed",
    "takes all colour away",
    [.word("method", Filter.GrayMethod.luminosity)]
  ) { arguments in
    let point: PointStep =
      switch arguments.word(0, Filter.GrayMethod.luminosity) {
      case .luminosity: .matrix(ColorMatrix(gray: ColorMatrix.luma))
      case .average: .matrix(ColorMatrix(gray: RGB(1.0 / 3, 1.0 / 3, 1.0 / 3)))
      case .red: .matrix(ColorMatrix(gray: RGB(1, 0, 0)))
      case .green: .matrix(ColorMatrix(gray: RGB(0, 1, 0)))
      case .blue: .matrix(ColorMatrix(gray: RGB(0, 0, 1)))
      case .desaturation: .gray(.desaturation)
      case .maximum: .gray(.maximum)
      case .minimum: .gray(.minimum)
      }
    return [.point(point)]
  }

  static let channels = FilterDefinition(
    "channels",
    "exchanges or inverts channels",
    [.word("order", Filter.ChannelOrder.invert)]
  ) { arguments in
    [.point(.matrix(ColorMatrix(arguments.word(0, Filter.ChannelOrder.invert))))]
  }

  static let color = FilterDefinition(
    "color",
    "multiplies by a colour",
    [.color("color", .white), .number("intensity", 0...1, 1)],
    neutral: ["color": .color(.white)]
  ) { arguments in
    let all = ColorMatrix(scale: RGB(arguments.color(0)), offset: RGB(0, 0, 0))
    return [.point(.matrix(all.mixed(arguments.number(1))))]
  }

  static let falseColor = FilterDefinition(
    "falseColor",
    "shows dark as one colour and light as another",
    [
      .color("dark", Color(red: 0, green: 0, blue: 128)),
      .color("light", Color(red: 255, green: 0, blue: 0)),
    ]
  ) { arguments in
    let (dark, light) = (RGB(arguments.color(0)), RGB(arguments.color(1)))
    return [.point(.matrix(ColorMatrix(from: dark, to: light)))]
  }

  static let temperature = FilterDefinition(
    "temperature",
    "warmer or cooler by factors",
    [
      .number("temperature", -1...1, 0), .number("tint", -1...1, 0), .number("shift", -1...1, 0),
      .number("intensity", 0...1, 1),
    ],
    neutral: ["temperature": .number(0), "tint": .number(0), "shift": .number(0)]
  ) { arguments in
    let warmth = 0.3 * arguments.number(0)
    let shift = 0.1 * arguments.number(2)
    let all = ColorMatrix(
      scale: RGB(1 + warmth, 1 - 0.3 * arguments.number(1), 1 - warmth),
      offset: RGB(shift, 0, -shift)
    )
    return [.point(.matrix(all.mixed(arguments.number(3))))]
  }

  static let whiteBalance = FilterDefinition(
    "whiteBalance",
    "the white balance of a light in Kelvin",
    [.number("temperature", 4000...8000, 5000), .number("tint", -200...200, 0)],
    neutral: ["temperature": .number(5000), "tint": .number(0)]
  ) { arguments in
    let above = arguments.number(0) - 5000
    let share = above < 0 ? 0.0004 * above : 0.00006 * above
    let tint = arguments.number(1) / 100 * 0.5226 * 0.1
    // Warm light is laid over; its share is below zero where the picture becomes cooler.
    let warm = PointStep.overlay(RGB(0.93, 0.54, 0), share: share)
    return (tint == 0 ? [] : [.point(.whiteBalanceTint(tint))]) + (share == 0 ? [] : [.point(warm)])
  }
}
