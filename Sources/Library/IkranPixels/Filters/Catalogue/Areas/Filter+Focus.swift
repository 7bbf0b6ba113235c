extension Filter {
  /// Contrast of areas: `c + a (c − b)`, where b is the picture blurred.
  ///
  /// - Parameters:
  ///   - amount: a, −1 (blurred) … 1; 0 changes nothing.
  ///   - radius: The blur's standard deviation in points, 0 … 100; 0 changes nothing.
  /// - Returns: The filter.
  public static func clarity(_ amount: Double = 0.5, radius: Double = 16) -> Filter {
    Filter(.clarity, .number(amount), .number(radius))
  }

  /// Keeps a band of the picture sharp and blurs the rest, as of a small model.
  ///
  /// - Parameters:
  ///   - radius: The blur's standard deviation in points, 0 … 100; 0 changes nothing.
  ///   - center: The middle of the band, 0 (top) … 1.
  ///   - width: Of the sharp band, 0 … 1 of the height.
  ///   - falloff: From the band to where only the blur is left, 0 … 1 of the height.
  /// - Returns: The filter.
  public static func tiltShift(
    radius: Double = 6,
    center: Double = 0.5,
    width: Double = 0.2,
    falloff: Double = 0.2
  ) -> Filter {
    Filter(.tiltShift, .number(radius), .number(center), .number(width), .number(falloff))
  }

  /// Blends colours from one to another over the picture and keeps its alpha, except with `mask`.
  ///
  /// The corners that lie farthest in the direction have the two colours themselves.
  ///
  /// - Parameters:
  ///   - start: The first colour; its alpha says how much.
  ///   - end: The last one; its alpha says how much.
  ///   - degrees: The direction, −360 … 360, clockwise from the right.
  ///   - mode: How colours mix.
  /// - Returns: The filter.
  public static func gradient(
    from start: Color = Color(red: 255, green: 94, blue: 98),
    to end: Color = Color(red: 58, green: 97, blue: 255),
    degrees: Double = 90,
    mode: BlendMode = .softLight
  ) -> Filter {
    Filter(.gradient, .color(start), .color(end), .number(degrees), .word(mode.rawValue))
  }
}

extension FilterDefinition {
  static let clarity = FilterDefinition(
    "clarity",
    "contrast of areas",
    [.number("amount", -1...1, 0.5), .number("radius", 0...100, 16)],
    neutral: ["amount": .number(0)]
  ) { arguments in
    let (amount, sigma) = (arguments.number(0), arguments.pixels(1))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        let blurred = try picture.gaussianBlurred(sigma: sigma, workspace: workspace)
        let share = ColorMatrix(scale: amount.magnitude, offset: 0)
        func above(_ light: Bitmap, _ dark: Bitmap) throws(BitmapError) -> Bitmap {
          let step = PointStep.blend(.subtract, .picture(dark), share: 1, keepsAlpha: true)
          return try PointProgram([step, .matrix(share)]).run(light, workspace: workspace)
        }
        let differences = (try above(picture, blurred), try above(blurred, picture))
        let (added, taken) = amount > 0 ? differences : (differences.1, differences.0)
        let program = PointProgram([
          .blend(.add, .picture(added), share: 1, keepsAlpha: true),
          .blend(.subtract, .picture(taken), share: 1, keepsAlpha: true),
        ])
        return try program.run(picture, workspace: workspace)
      }
    ]
  }

  static let tiltShift = FilterDefinition(
    "tiltShift",
    "keeps a band sharp and blurs the rest",
    [
      .number("radius", 0...100, 6), .number("center", 0...1, 0.5), .number("width", 0...1, 0.2),
      .number("falloff", 0...1, 0.2),
    ],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let (sigma, center) = (arguments.pixels(0), arguments.number(1))
    let (sharp, falloff) = (arguments.number(2) / 2, arguments.number(3))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        let height = Double(picture.height)
        let mask = try Bitmap.rows(of: picture.size) { row in
          let away = ((Double(row) + 0.5) / height - center).magnitude - sharp
          let part = falloff > 0 ? min(max(away / falloff, 0), 1) : away > 0 ? 1 : 0
          return part * part * (3 - 2 * part)
        }
        let hide = PointStep.blend(.mask, .picture(mask), share: 1, keepsAlpha: false)
        let blurred = try picture.gaussianBlurred(sigma: sigma, workspace: workspace)
        let shown = try PointProgram([hide]).run(blurred, workspace: workspace)
        let draw = PointStep.blend(.normal, .picture(shown), share: 1, keepsAlpha: true)
        return try PointProgram([draw]).run(picture, workspace: workspace)
      }
    ]
  }

  static let gradient = FilterDefinition(
    "gradient",
    "blends colours from one to another over the picture",
    [
      .color("from", Color(red: 255, green: 94, blue: 98)),
      .color("to", Color(red: 58, green: 97, blue: 255)), .number("degrees", -360...360, 90),
      .word("mode", BlendMode.softLight),
    ]
  ) { arguments in
    let ramp = GradientRamp(from: arguments.color(0), to: arguments.color(1))
    let (degrees, mode) = (arguments.number(2), arguments.word(3, BlendMode.softLight))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        let colors = try ramp.picture(of: picture.size, degrees: degrees)
        let draw = PointStep.blend(mode, .picture(colors), share: 1, keepsAlpha: true)
        return try PointProgram([draw]).run(picture, workspace: workspace)
      }
    ]
  }
}
