extension Filter {
  /// Cuts a part out.
  ///
  /// What lies outside the picture is left out; at least one pixel remains.
  ///
  /// - Parameters:
  ///   - x: The left edge in points.
  ///   - y: The top edge in points.
  ///   - width: In points; 16,384 reaches to the right edge of any picture.
  ///   - height: In points; 16,384 reaches to the bottom of any picture.
  /// - Returns: The filter.
  public static func crop(
    x: Double = 0,
    y: Double = 0,
    width: Double = 16_384,
    height: Double = 16_384
  ) -> Filter { Filter(.crop, .number(x), .number(y), .number(width), .number(height)) }

  /// Mirrors the picture.
  public static func flip(horizontally: Bool = true, vertically: Bool = false) -> Filter {
    Filter(.flip, .word(FlipAxes(horizontally, vertically).rawValue))
  }

  /// Another size.
  ///
  /// - Parameters:
  ///   - width: In points, 1 … 16,384 pixels at last.
  ///   - height: In points.
  ///   - mode: What happens to a picture of another aspect.
  /// - Returns: The filter.
  public static func resize(
    width: Double,
    height: Double,
    mode: ResizeMode = .fill
  ) -> Filter { Filter(.resize, .number(width), .number(height), .word(mode.rawValue)) }

  /// Turns the picture clockwise around its centre; its corners are then transparent.
  ///
  /// - Parameters:
  ///   - degrees: −360 … 360; multiples of 90 are exact.
  ///   - keepsSize: Whether the picture keeps its size and loses its corners, or grows. A picture
  ///     that would grow beyond 16,384 pixels a side, or beyond 100 million, is an error when the
  ///     filter runs.
  /// - Returns: The filter.
  public static func rotate(degrees: Double, keepsSize: Bool = false) -> Filter {
    Filter(.rotate, .number(degrees), .word(TurnedSize(keepsSize).rawValue))
  }

  /// Turns, shears, stretches and moves the picture, which keeps its size; the rest is transparent.
  ///
  /// A place (x, y), to the right of the centre and down, moves to (a x + b y + c, d x + e y + f).
  /// A matrix that makes a line or a point of the picture leaves nothing.
  ///
  /// - Parameter values: The matrix, row by row: a, b, c (in points), d, e and f (in points),
  ///   −16,384 … 16,384; those that are missing change nothing.
  /// - Returns: The filter.
  public static func affine(_ values: [Double]) -> Filter {
    let missing = [1.0, 0, 0, 0, 1, 0].dropFirst(values.count)
    return Filter(.affine, .list(Array(values.prefix(6)) + Array(missing)))
  }

  /// Round corners, transparent outside, with a border.
  ///
  /// - Parameters:
  ///   - radius: In points, 0 … 16,384.
  ///   - corners: Which ones; the others stay square.
  ///   - borderWidth: In points; the border lies along the inside of the edge.
  ///   - borderColor: A clear one leaves a transparent border.
  /// - Returns: The filter.
  public static func round(
    radius: Double,
    corners: RoundedShape.Corners = .all,
    borderWidth: Double = 0,
    borderColor: Color = Color(red: 0, green: 0, blue: 0, alpha: 0)
  ) -> Filter {
    let corners = FilterValue.number(Double(corners.rawValue))
    return Filter(.round, .number(radius), corners, .number(borderWidth), .color(borderColor))
  }
}

private enum FlipAxes: String, CaseIterable {
  case horizontal, vertical, both, none

  init(_ horizontally: Bool, _ vertically: Bool) {
    self = horizontally ? (vertically ? .both : .horizontal) : vertically ? .vertical : .none
  }
}

private enum TurnedSize: String, CaseIterable {
  case fit, keep

  init(_ keepsSize: Bool) { self = keepsSize ? .keep : .fit }
}

extension FilterDefinition {
  /// The longest side of a style, in pixels.
  private static let longestSide = 16_384
  private static let lengths = 0.0...Double(longestSide)
  /// A long, narrow picture grows to the square of its length.
  private static let mostTurnedPixels = 100_000_000

  static let crop = FilterDefinition(
    "crop",
    "cuts a part out",
    [
      .number("x", lengths, 0), .number("y", lengths, 0), .number("width", lengths, 16_384),
      .number("height", lengths, 16_384),
    ],
    neutral: [
      "x": .number(0), "y": .number(0), "width": .number(16_384), "height": .number(16_384),
    ]
  ) { arguments in
    let edges = (0..<4).map { index in
      let isWhole = index > 1 && arguments.number(index) == lengths.upperBound
      return isWhole ? Int(Int32.max) : Int(arguments.pixels(index).rounded())
    }
    return [
      .whole { (picture, _) throws(BitmapError) in
        let (x, y) = (min(edges[0], picture.width - 1), min(edges[1], picture.height - 1))
        return try picture.cropped(
          columns: x..<max(x + 1, min(x + edges[2], picture.width)),
          rows: y..<max(y + 1, min(y + edges[3], picture.height))
        )
      }
    ]
  }

  static let flip = FilterDefinition(
    "flip",
    "mirrors the picture",
    [.word("axes", FlipAxes.horizontal)],
    neutral: ["axes": .word("none")]
  ) { arguments in
    let axes = arguments.word(0, FlipAxes.horizontal)
    return [
      .whole { (picture, _) throws(BitmapError) in
        try picture.flipped(
          horizontally: axes == .horizontal || axes == .both,
          vertically: axes == .vertical || axes == .both
        )
      }
    ]
  }

  static let resize = FilterDefinition(
    "resize",
    "another size",
    [
      FilterParameter(name: "width", kind: .number(lengths), defaultValue: nil),
      FilterParameter(name: "height", kind: .number(lengths), defaultValue: nil),
      .word("mode", ResizeMode.fill),
    ],
    neutral: ["mode": .word("original")]
  ) { arguments in
    let sides = (0..<2).map { min(max(Int(arguments.pixels($0).rounded()), 1), longestSide) }
    let mode = arguments.word(2, ResizeMode.fill)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        let size = PixelSize(width: sides[0], height: sides[1])
        return try picture.resized(to: size, mode: mode, workspace: workspace)
      }
    ]
  }

  static let rotate = FilterDefinition(
    "rotate",
    "turns the picture clockwise",
    [.number("degrees", -360...360, 90), .word("size", TurnedSize.fit)],
    neutral: ["degrees": .number(0)]
  ) { arguments in
    let (degrees, size) = (arguments.number(0), arguments.word(1, TurnedSize.fit))
    return [
      .whole { (picture, _) throws(BitmapError) in
        try picture.rotated(
          degrees: degrees,
          keepsSize: size == .keep,
          longestSide: max(longestSide, picture.width, picture.height),
          mostPixels: max(mostTurnedPixels, picture.size.pixelCount ?? 0)
        )
      }
    ]
  }

  static let affine = FilterDefinition(
    "affine",
    "a matrix around the centre: two rows of two factors and a distance",
    [
      FilterParameter(
        name: "values",
        kind: .list(-16_384...16_384, count: 6),
        defaultValue: .list([1, 0, 0, 0, 1, 0])
      )
    ],
    neutral: ["values": .list([1, 0, 0, 0, 1, 0])]
  ) { arguments in
    let values = arguments.list(0)
    func distance(_ index: Int) -> Double {
      min(max(values[index] * arguments.scale, -1_000_000), 1_000_000)
    }
    let map = AffineMap(
      a: values[0],
      b: values[1],
      right: distance(2),
      c: values[3],
      d: values[4],
      down: distance(5)
    )
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.transformed(map, workspace: workspace)
      }
    ]
  }

  static let round = FilterDefinition(
    "round",
    "round corners; corners add up from 1, 2 (top), 4, 8 (bottom)",
    [
      .number("radius", lengths, 16), .number("corners", 0...15, 15), .number("border", lengths, 0),
      .color("color", Color(red: 0, green: 0, blue: 0, alpha: 0)),
    ],
    neutral: ["radius": .number(0), "border": .number(0)]
  ) { arguments in
    let (radius, width) = (arguments.pixels(0), arguments.pixels(2))
    let corners = RoundedShape.Corners(rawValue: UInt8(arguments.number(1)))
    let color = arguments.color(3).alpha == 0 ? nil : arguments.color(3)
    return [
      .whole { (picture, workspace) throws(BitmapError) in
        try picture.rounded(
          radius: radius,
          corners: corners,
          borderWidth: width,
          borderColor: color,
          workspace: workspace
        )
      }
    ]
  }
}
