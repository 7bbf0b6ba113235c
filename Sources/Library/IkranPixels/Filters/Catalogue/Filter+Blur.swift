extension Filter {
  /// A true Gaussian blur.
  ///
  /// It differs from the mathematical one by at most a level of 255; edge pixels count as if they
  /// went on outside. Cost: the same for every radius above a few pixels.
  ///
  /// - Parameter radius: The standard deviation in points, 0 … 100; 0 changes nothing.
  /// - Returns: The filter.
  public static func blur(radius: Double = 10) -> Filter { Filter(.blur, .number(radius)) }

  /// The mean of the square around each pixel.
  ///
  /// - Parameter radius: Half the square's side in points, 0 … 100; 0 changes nothing.
  /// - Returns: The filter.
  public static func meanBlur(radius: Double = 10) -> Filter {
    Filter(.meanBlur, .number(radius))
  }

  /// The mean of a line through each pixel, as of something that moves.
  ///
  /// - Parameters:
  ///   - radius: A quarter of the line's half in points, 0 … 100; 0 changes nothing.
  ///   - degrees: The line's direction, clockwise from the right.
  /// - Returns: The filter.
  public static func motionBlur(radius: Double, degrees: Double = 0) -> Filter {
    Filter(.motionBlur, .number(radius), .number(degrees))
  }

  /// The mean of a line towards a centre, as of a lens that zooms.
  ///
  /// - Parameters:
  ///   - radius: A quarter of the line's half in hundredths of the distance, 0 … 100; 0 changes
  ///     nothing.
  ///   - x: The centre, 0 (left) … 1.
  ///   - y: The centre, 0 (top) … 1.
  /// - Returns: The filter.
  public static func zoomBlur(radius: Double, x: Double = 0.5, y: Double = 0.5) -> Filter {
    Filter(.zoomBlur, .number(radius), .number(x), .number(y))
  }

  /// Smooths areas and keeps edges.
  ///
  /// Cost: grows with the square of the radius.
  ///
  /// - Parameters:
  ///   - spatial: The standard deviation of the distance in points, 0 … 100; 0 changes nothing.
  ///   - color: That of the colours' distance, 0 … 2; 0 changes nothing.
  ///   - radius: How far around each pixel others count, in points, 0 … 32; 0 changes nothing. More
  ///     than 32 pixels count as 32, whatever the scale.
  /// - Returns: The filter.
  public static func bilateralBlur(
    spatial: Double = 15,
    color: Double = 0.3,
    radius: Double = 7
  ) -> Filter { Filter(.bilateralBlur, .number(spatial), .number(color), .number(radius)) }
}

extension FilterDefinition {
  private static let radii = 0.0...100

  static let blur = FilterDefinition(
    "blur",
    "a true Gaussian blur",
    [.number("radius", radii, 10)],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let sigma = arguments.pixels(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.gaussianBlurred(sigma: sigma, workspace: workspace)
      }
    ]
  }

  static let meanBlur = FilterDefinition(
    "meanBlur",
    "the mean of the square around each pixel",
    [.number("radius", radii, 10)],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let radius = arguments.pixels(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.meanBlurred(radius: radius, workspace: workspace)
      }
    ]
  }

  static let motionBlur = FilterDefinition(
    "motionBlur",
    "the mean of a line through each pixel",
    [.number("radius", radii, 0), .number("degrees", -360...360, 0)],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let (step, degrees) = (arguments.pixels(0), arguments.number(1))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.motionBlurred(step: step, degrees: degrees, workspace: workspace)
      }
    ]
  }

  static let zoomBlur = FilterDefinition(
    "zoomBlur",
    "the mean of a line towards a centre",
    [.number("radius", radii, 0), .number("x", 0...1, 0.5), .number("y", 0...1, 0.5)],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let (step, x, y) = (arguments.number(0), arguments.number(1), arguments.number(2))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.zoomBlurred(step: step, centerX: x, centerY: y, workspace: workspace)
      }
    ]
  }

  static let bilateralBlur = FilterDefinition(
    "bilateralBlur",
    "smooths areas and keeps edges",
    [
      .number("spatial", radii, 15), .number("color", 0...2, 0.3), .number("radius", 0...32, 7),
    ]
  ) { arguments in
    let (sigma, color) = (arguments.pixels(0), arguments.number(1))
    let radius = Int(min(arguments.pixels(2), 32).rounded())
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.bilateralBlurred(
          spatialSigma: sigma,
          colorSigma: color,
          radius: radius,
          workspace: workspace
        )
      }
    ]
  }
}
