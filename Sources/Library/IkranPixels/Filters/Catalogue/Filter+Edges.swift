extension Filter {
  /// Sharpens: `(1 + 4 a) c − a ·` the sum of the four neighbours.
  ///
  /// - Parameter amount: a, −4 … 4; below 0 it softens, 0 changes nothing.
  /// - Returns: The filter.
  public static func sharpen(_ amount: Double = 0) -> Filter { Filter(.sharpen, .number(amount)) }

  /// The strength of edges, white on black.
  ///
  /// - Parameter amount: 0 … 4.
  /// - Returns: The filter.
  public static func sobel(_ amount: Double = 1) -> Filter { Filter(.sobel, .number(amount)) }

  /// A pencil drawing: the strength of edges, black on white.
  ///
  /// - Parameter amount: 0 … 4.
  /// - Returns: The filter.
  public static func sketch(_ amount: Double = 1) -> Filter { Filter(.sketch, .number(amount)) }

  /// A comic: black edges, few colours between them.
  ///
  /// - Parameters:
  ///   - levels: Steps of each channel, 1 … 255.
  ///   - threshold: From which strength an edge is drawn, 0 … 4.
  /// - Returns: The filter.
  public static func toon(levels: Double = 10, threshold: Double = 0.2) -> Filter {
    Filter(.toon, .number(levels), .number(threshold))
  }

  /// Canny's edges, white on black: lines of a pixel where the picture changes most.
  ///
  /// The gradient is that of ``sobel(_:)`` in the blurred picture. Cost: does not depend on what
  /// the picture shows.
  ///
  /// - Parameters:
  ///   - radius: The blur's standard deviation in points, 0 … 100.
  ///   - low: The gradient from which an edge goes on, 0 … 4.
  ///   - high: The gradient from which it begins, 0 … 4; less than `low` counts as `low`.
  /// - Returns: The filter.
  public static func canny(
    radius: Double = 1.4,
    low: Double = 0.1,
    high: Double = 0.3
  ) -> Filter { Filter(.canny, .number(radius), .number(low), .number(high)) }

  /// Ready-made weights for ``convolution(_:)-(Filter.ConvolutionPreset)``.
  public enum ConvolutionPreset: String, Sendable, Hashable, CaseIterable {
    case edgeDetect, emboss, emboss45, morphological
    /// Edges from left to right.
    case sobel
    case laplacian, sharpen
  }

  /// A ready-made convolution of each pixel with its eight neighbours.
  public static func convolution(_ preset: ConvolutionPreset) -> Filter {
    Filter(.convolution, .word(preset.rawValue), FilterDefinition.noNeighbors)
  }

  /// The sum of each pixel and its eight neighbours, times nine weights.
  ///
  /// - Parameter weights: From the top left, row by row, −100 … 100; they are not normalised.
  /// - Returns: The filter.
  public static func convolution(_ weights: [Double]) -> Filter {
    let missing = [0.0, 0, 0, 0, 1, 0, 0, 0, 0].dropFirst(weights.count)
    let values = FilterValue.list(Array(weights.prefix(9)) + Array(missing))
    return Filter(.convolution, .word("none"), values)
  }
}

extension Filter.ConvolutionPreset {
  fileprivate var weights: [Double] {
    switch self {
    case .edgeDetect: [-1, -1, -1, -1, 8, -1, -1, -1, -1]
    case .emboss: [-2, 0, 0, 0, 1, 0, 0, 0, 2]
    case .emboss45: [-1, -1, 0, -1, 1, 1, 0, 1, 1]
    case .morphological: [1, 1, 1, 1, -7, 1, 1, 1, 1]
    case .sobel: [-1, 0, 1, -2, 0, 2, -1, 0, 1]
    case .laplacian: [0, 1, 0, 1, -4, 1, 0, 1, 0]
    case .sharpen: [0, -1, 0, -1, 5, -1, 0, -1, 0]
    }
  }
}

extension FilterDefinition {
  static let noNeighbors = FilterValue.list([0, 0, 0, 0, 1, 0, 0, 0, 0])

  static let sharpen = FilterDefinition(
    "sharpen",
    "sharpens, or softens below 0",
    [.number("amount", -4...4, 0)],
    neutral: ["amount": .number(0)]
  ) { arguments in
    let amount = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.sharpened(amount, workspace: workspace)
      }
    ]
  }

  static let sobel = FilterDefinition(
    "sobel",
    "the strength of edges, white on black",
    [.number("amount", 0...4, 1)]
  ) { arguments in
    let amount = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.sobel(amount, workspace: workspace)
      }
    ]
  }

  static let sketch = FilterDefinition(
    "sketch",
    "a pencil drawing",
    [.number("amount", 0...4, 1)]
  ) { arguments in
    let amount = arguments.number(0)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.sketch(amount, workspace: workspace)
      }
    ]
  }

  static let toon = FilterDefinition(
    "toon",
    "black edges, few colours between them",
    [.number("levels", 1...255, 10), .number("threshold", 0...4, 0.2)]
  ) { arguments in
    let (levels, threshold) = (arguments.number(0), arguments.number(1))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.toon(levels: levels, threshold: threshold, workspace: workspace)
      }
    ]
  }

  static let canny = FilterDefinition(
    "canny",
    "the lines of edges, white on black",
    [.number("radius", 0...100, 1.4), .number("low", 0...4, 0.1), .number("high", 0...4, 0.3)]
  ) { arguments in
    let (sigma, low, high) = (arguments.pixels(0), arguments.number(1), arguments.number(2))
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.cannyEdges(sigma: sigma, low: low, high: high, workspace: workspace)
      }
    ]
  }

  static let convolution = FilterDefinition(
    "convolution",
    "each pixel and its eight neighbours, times nine weights: a preset, or numbers",
    [
      .preset(Filter.ConvolutionPreset.self),
      FilterParameter(name: "values", kind: .list(-100...100, count: 9), defaultValue: noNeighbors),
    ],
    neutral: ["preset": .word("none"), "values": noNeighbors]
  ) { arguments in
    let preset = arguments.preset(0, Filter.ConvolutionPreset.self)
    let weights = (preset?.weights ?? arguments.list(1)).map { Float($0) }
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.convolved(weights, workspace: workspace)
      }
    ]
  }
}
