import CIkranKernels

extension PointStep {
  /// The step as the kernel wants it.
  ///
  /// It points into this step's tables and into `picture`: the caller keeps both while it runs.
  func kernelStep(_ picture: Bitmap?) -> ikran_point_step {
    switch self {
    case .matrix(let matrix): .init(ikran_point_matrix, \.matrix, to: .init(matrix))
    case .matrixWithAlpha(let values): .init(ikran_point_matrix_alpha, \.matrix, to: .init(values))
    case .gamma(let exponent): .init(ikran_point_gamma, \.gamma, to: Float(exponent))
    case .posterize(let levels): .init(ikran_point_posterize, \.posterize, to: Float(levels))
    case .curves(let table, let share): .init(ikran_point_table, \.table, to: .init(table, share))
    case .vibrance(let amount): .init(ikran_point_vibrance, \.vibrance, to: Float(amount))
    case .whiteBalanceTint(let amount):
      .init(ikran_point_white_balance_tint, \.white_balance_tint, to: Float(amount))
    case .overlay(let color, let share):
      .init(ikran_point_overlay, \.overlay, to: .init(color: .init(color), share: Float(share)))
    case .threshold(let luma): .init(ikran_point_threshold, \.threshold, to: Float(luma))
    case .monochrome(let color, let share):
      .init(
        ikran_point_monochrome,
        \.monochrome,
        to: .init(color: .init(color), share: Float(share))
      )
    case .chromaKey(let key, let threshold, let smoothing, let replacement):
      .init(keying: key, threshold: threshold, smoothing: smoothing, replacement: replacement)
    case .highlightsAndShadows(let highlights, let shadows):
      .init(
        ikran_point_highlights_shadows,
        \.highlights_shadows,
        to: .init(highlights: Float(highlights), shadows: Float(shadows))
      )
    case .haze(let distance, let slope):
      .init(ikran_point_haze, \.haze, to: .init(distance: Float(distance), slope: Float(slope)))
    case .vignette(let start, let end, let x, let y, let color):
      .init(vignetteFrom: start, to: end, x: x, y: y, color: color)
    case .grain(let amount): .init(ikran_point_grain, \.grain, to: Float(amount))
    case .gray(let method): .init(ikran_point_gray, \.gray, to: Int32(method.rawValue))
    case .cube(let table, let share): .init(ikran_point_cube, \.cube, to: .init(table, share))
    case .blend(let mode, let source, let share, let keepsAlpha):
      .init(blending: source, picture, mode: mode, share: share, keepsAlpha: keepsAlpha)
    case .opacity(let factor): .init(ikran_point_opacity, \.opacity, to: Float(factor))
    case .hsl(let degrees, let vivid, let light):
      .init(turning: degrees, vivid: vivid, light: light)
    }
  }
}

extension ikran_point_step {
  fileprivate init<Value>(
    _ kind: ikran_point_kind,
    _ member: WritableKeyPath<Self, Value>,
    to value: Value
  ) {
    self.init()
    self.kind = kind
    self[keyPath: member] = value
  }

  fileprivate init(keying key: RGB, threshold: Double, smoothing: Double, replacement: Color) {
    let luma = 0.2989 * key.red + 0.5866 * key.green + 0.1145 * key.blue
    self.init(
      ikran_point_chroma_key,
      \.chroma_key,
      to: .init(
        blue: Float(0.5647 * (key.blue - luma)),
        red: Float(0.7132 * (key.red - luma)),
        threshold: Float(threshold),
        smoothing: Float(smoothing),
        replacement: .init(replacement)
      )
    )
  }

  fileprivate init(turning degrees: Double, vivid: Double, light: Double) {
    self.init(
      ikran_point_hsl,
      \.hsl,
      to: .init(turn: Float(degrees / 30), saturation: Float(vivid), lightness: Float(light))
    )
  }

  fileprivate init(vignetteFrom start: Double, to end: Double, x: Double, y: Double, color: RGB) {
    self.init(
      ikran_point_vignette,
      \.vignette,
      to: .init(
        start: Float(start),
        end: Float(end),
        x: Float(x),
        y: Float(y),
        color: .init(color)
      )
    )
  }

  fileprivate init(
    blending source: PointStep.BlendSource,
    _ picture: Bitmap?,
    mode: BlendMode,
    share: Double,
    keepsAlpha: Bool
  ) {
    let pixels = picture?.withUnsafeBytes(\.baseAddress)?.assumingMemoryBound(to: UInt8.self)
    let color: ikran_rgba = if case .color(let color) = source { .init(color) } else { .init() }
    self.init(
      ikran_point_blend,
      \.blend,
      to: .init(
        pixels: pixels,
        stride: picture?.bytesPerRow ?? 0,
        color: color,
        mode: Int32(BlendMode.allCases.firstIndex(of: mode) ?? 0),
        share: Float(share),
        keeps_alpha: keepsAlpha
      )
    )
  }
}

extension ikran_matrix {
  fileprivate init(_ matrix: ColorMatrix) {
    let rows = (0..<3).map { row in
      let row = matrix.values[row * 4..<row * 4 + 4].map { Float($0) }
      return ikran_matrix_row(red: row[0], green: row[1], blue: row[2], alpha: 0, offset: row[3])
    }
    self.init(red: rows[0], green: rows[1], blue: rows[2], alpha: .init())
  }

  /// Takes four rows of four factors and an offset.
  fileprivate init(_ values: [Double]) {
    let rows = (0..<4).map { row in
      let row = values[row * 5..<row * 5 + 5].map { Float($0) }
      return ikran_matrix_row(
        red: row[0],
        green: row[1],
        blue: row[2],
        alpha: row[3],
        offset: row[4]
      )
    }
    self.init(red: rows[0], green: rows[1], blue: rows[2], alpha: rows[3])
  }
}

extension ikran_lookup {
  fileprivate init(_ table: PointTable, _ share: Double) {
    self.init(table.values, side: table.count, share: share, domain: table.domain)
  }

  fileprivate init(_ table: LookupTable, _ share: Double) {
    self.init(table.colors, side: table.side, share: share, domain: table.domain)
  }

  private init(_ values: [Float], side: Int, share: Double, domain: [Double]) {
    let domain = domain.map { Float($0) }
    self.init(
      values: values.withUnsafeBufferPointer(\.baseAddress),
      side: Int32(side),
      share: Float(share),
      low: ikran_rgb(red: domain[0], green: domain[1], blue: domain[2]),
      factor: ikran_rgb(red: domain[3], green: domain[4], blue: domain[5])
    )
  }
}

extension ikran_rgb {
  fileprivate init(_ color: RGB) {
    self.init(red: Float(color.red), green: Float(color.green), blue: Float(color.blue))
  }
}

extension ikran_rgba {
  fileprivate init(_ color: Color) {
    let rgb = RGB(color)
    self.init(
      red: Float(rgb.red),
      green: Float(rgb.green),
      blue: Float(rgb.blue),
      alpha: Float(Double(color.alpha) / 255)
    )
  }
}
