extension Filter {
  /// The median of the square around each pixel: takes single specks away and keeps edges.
  ///
  /// Each channel's by itself, alpha too. Cost: grows with the radius, least up to 2 pixels.
  ///
  /// - Parameter radius: Half the square's side in points, 0 … 32; 0 changes nothing. More than 32
  ///   pixels count as 32, whatever the scale.
  /// - Returns: The filter.
  public static func median(radius: Double = 2) -> Filter { Filter(.median, .number(radius)) }

  /// The smallest value of each channel, alpha too, in the square around each pixel: dark areas
  /// grow.
  ///
  /// Cost: the same for every radius.
  ///
  /// - Parameter radius: Half the square's side in points, 0 … 100; 0 changes nothing.
  /// - Returns: The filter.
  public static func erode(radius: Double = 2) -> Filter { Filter(.erode, .number(radius)) }

  /// The largest value of each channel, alpha too, in the square around each pixel: light areas
  /// grow.
  ///
  /// Cost: the same for every radius.
  ///
  /// - Parameter radius: Half the square's side in points, 0 … 100; 0 changes nothing.
  /// - Returns: The filter.
  public static func dilate(radius: Double = 2) -> Filter { Filter(.dilate, .number(radius)) }
}

extension FilterDefinition {
  static let median = FilterDefinition(
    "median",
    "the median of the square around each pixel",
    [.number("radius", 0...32, 2)],
    neutral: ["radius": .number(0)]
  ) { arguments in
    let radius = Int(min(arguments.pixels(0), 32).rounded())
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.medians(radius: radius, workspace: workspace)
      }
    ]
  }

  static let erode = morphology("erode", "dark areas grow by a radius", takesLargest: false)
  static let dilate = morphology("dilate", "light areas grow by a radius", takesLargest: true)

  private static func morphology(
    _ name: String,
    _ summary: String,
    takesLargest: Bool
  ) -> FilterDefinition {
    FilterDefinition(
      name,
      summary,
      [.number("radius", 0...100, 2)],
      neutral: ["radius": .number(0)]
    ) { arguments in
      let radius = Int(arguments.pixels(0).rounded())
      return [
        .whole { (picture, workspace) throws(BitmapError) in
          try picture.extremes(radius: radius, takesLargest: takesLargest, workspace: workspace)
        }
      ]
    }
  }
}
