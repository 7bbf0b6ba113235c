extension Filter {
  /// Ready-made matrices for ``matrix(_:intensity:)``.
  public enum MatrixPreset: String, Sendable, Hashable, CaseIterable {
    case gray, blackAndWhite, sepia, nostalgic, retro, polaroid, invert
    /// A gray negative; `invert` is one in colour.
    case negative
    case warm, cool
  }

  /// A ready-made colour matrix.
  ///
  /// - Parameters:
  ///   - preset: Which one.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func matrix(_ preset: MatrixPreset, intensity: Double = 1) -> Filter {
    let values = FilterDefinition.identityValues
    return Filter(.matrix, .word(preset.rawValue), values, .number(intensity))
  }

  /// A 4 × 4 colour matrix: rows of red, green, blue and alpha, of a factor for each of them.
  ///
  /// - Parameters:
  ///   - factors: 16 numbers, row by row, −100 … 100; missing ones are those of the identity.
  ///   - offsets: Four numbers that are added.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func matrix(
    _ factors: [Double],
    offsets: [Double] = [0, 0, 0, 0],
    intensity: Double = 1
  ) -> Filter {
    let identity = (0..<16).map { $0 % 5 == 0 ? 1.0 : 0 }
    var values = Array(factors.prefix(16)) + Array(identity.dropFirst(factors.count))
    values += Array(offsets.prefix(4)) + [Double](repeating: 0, count: max(0, 4 - offsets.count))
    return Filter(.matrix, .word("none"), .list(values), .number(intensity))
  }

  /// Replaces colours by those of a table, interpolated linearly.
  ///
  /// - Parameters:
  ///   - table: From a picture or from a `.cube` file.
  ///   - intensity: 0 (nothing) … 1.
  /// - Returns: The filter.
  public static func lookup(_ table: LookupTable, intensity: Double = 1) -> Filter {
    Filter(.lookup, .table(table), .number(intensity))
  }
}

extension FilterDefinition {
  static let identityValues = FilterValue.list(
    (0..<16).map { $0 % 5 == 0 ? 1.0 : 0 } + [0, 0, 0, 0]
  )

  static let matrix = FilterDefinition(
    "matrix",
    "a 4 × 4 colour matrix: a preset, or 16 factors row by row, then 4 offsets",
    [
      .preset(Filter.MatrixPreset.self),
      FilterParameter(
        name: "values",
        kind: .list(-100...100, count: 20),
        defaultValue: identityValues
      ),
      .number("intensity", 0...1, 1),
    ],
    neutral: ["preset": .word("none"), "values": identityValues]
  ) { arguments in
    let share = arguments.number(2)
    if let preset = arguments.preset(0, Filter.MatrixPreset.self) {
      return [.point(.matrix(ColorMatrix(preset).mixed(share)))]
    }
    let values = arguments.list(1)
    let rows = (0..<4).map { row in Array(values[row * 4..<row * 4 + 4]) + [values[16 + row]] }
    let mixed = rows.enumerated().map { row, values in
      values.enumerated().map { column, value in
        (row == column ? 1 : 0) + (value - (row == column ? 1 : 0)) * share
      }
    }
    let keepsAlpha = mixed[3] == [0, 0, 0, 1, 0] && mixed.prefix(3).allSatisfy { $0[3] == 0 }
    guard keepsAlpha else { return [.point(.matrixWithAlpha(mixed.flatMap { $0 }))] }
    return [.point(.matrix(ColorMatrix(mixed.prefix(3).flatMap { [$0[0], $0[1], $0[2], $0[4]] })))]
  }

  static let lookup = table("lookup", "replaces colours by those of a table in a picture")
  static let lookup512 = table("lookup512", "the same with a picture of 512 × 512 pixels")
  static let cube = table("cube", "replaces colours by those of a .cube file")

  /// The filter in keys: `lookup` for all filters with tables, which differ in the files that they
  /// read.
  var canonical: FilterDefinition {
    self === Self.lookup512 || self === Self.cube ? .lookup : self
  }

  private static func table(_ name: String, _ summary: String) -> FilterDefinition {
    FilterDefinition(
      name,
      summary,
      [
        FilterParameter(name: "file", kind: .table, defaultValue: nil),
        .number("intensity", 0...1, 1),
      ],
      neutral: ["intensity": .number(0)]
    ) { arguments in
      guard let table = arguments.table(0) else { return [] }
      let share = arguments.number(1)
      guard let curves = table.curves else { return [.point(.cube(table, share: share))] }
      return [.point(.curves(curves, share: share))]
    }
  }
}
