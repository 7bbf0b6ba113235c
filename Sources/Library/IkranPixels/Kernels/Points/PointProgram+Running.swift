import CIkranKernels

extension PointProgram {
  /// Changes every pixel; pixels without another reference are changed in place.
  ///
  /// The result has alpha if the picture has, or if a step makes pixels transparent.
  func run(_ bitmap: consuming Bitmap, workspace: Workspace) throws(BitmapError) -> Bitmap {
    let size = bitmap.size
    let isOpaque = !bitmap.format.hasAlpha && !changesAlpha
    let others = try overlays(of: size, workspace)
    var canvas = try Canvas(
      changing: consume bitmap,
      as: isOpaque ? .bgrx : .bgra,
      copies: &workspace.filterPictures
    )
    let steps = steps.enumerated().map { $1.kernelStep(others[$0]) }
    let stride = canvas.bytesPerRow
    let simd = workspace.usesSIMD
    let tables = PointTables(self, steps, pixels: size.pixelCount ?? 0, simd)
    canvas.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      steps.withUnsafeBufferPointer { steps in
        tables.entries.withUnsafeBufferPointer { entries in
          guard let first = steps.baseAddress else { return }
          var program = ikran_point_program(
            steps: first,
            count: steps.count,
            entries: entries.isEmpty ? nil : entries.baseAddress,
            tabled: tabled,
            width: size.width,
            height: size.height,
            opaque: isOpaque
          )
          for y in 0..<size.height {
            let row = base + y * stride
            if tables.runWhole(row, size.width, isOpaque: isOpaque, simd) { continue }
            ikran_point_row(&program, row, 0, y, size.width, simd)
          }
        }
      }
    }
    withExtendedLifetime((self, others)) {}
    return canvas.finish()
  }

  /// What blending steps draw, at the picture's size; one place for each step.
  private func overlays(
    of size: PixelSize,
    _ workspace: Workspace
  ) throws(BitmapError) -> [Bitmap?] {
    var pictures: [Bitmap?] = []
    for step in steps {
      guard case .blend(_, .picture(let picture), _, _) = step else {
        pictures.append(nil)
        continue
      }
      let wide = try picture.converted(to: .bgra)
      pictures.append(try wide.stretched(to: size, workspace: workspace))
    }
    return pictures
  }
}

/// What can be computed once for all opaque pixels of a program.
private struct PointTables {
  /// Three times 256 values after the leading steps; empty where computing is faster.
  private(set) var entries: [Float] = []
  /// Whole pixels, where all steps treat each channel by itself.
  private var words: [UInt32] = []
  /// Factors and offsets, where there is one matrix.
  private var factors: [Int16] = []
  private var offsets: [Int32] = []
  /// Several matrices, where there is nothing else.
  private var matrices: [ikran_point_short_matrix] = []

  init(_ program: PointProgram, _ steps: [ikran_point_step], pixels: Int, _ simd: Bool) {
    if program.steps.count == 1, case .matrix(let matrix) = program.steps[0], setFactors(matrix) {
      return
    }
    let short = program.steps.compactMap { $0.shortMatrix }
    if short.count == steps.count, short.count > 1 {
      matrices = short
      return
    }
    let tabled = program.tabled
    let isCheap = tabled == 1 && program.steps.count > 1 && program.steps[0].isMatrix
    guard tabled > 0, !isCheap, pixels > 1024 || tabled == steps.count else { return }
    entries = [Float](repeating: 0, count: 768)
    ikran_point_entries(steps, tabled, &entries, simd)
    guard tabled == steps.count else { return }
    words = (0..<768).map { index in
      // The kernel rounds in the same way.
      let byte = UInt32(entries[512 - index / 256 * 256 + index % 256] * 255 + 0.5)
      return index < 256 ? byte | 0xFF00_0000 : byte << UInt32(index / 256 * 8)
    }
  }

  /// Changes a row of opaque pixels at once; false when it must be computed.
  func runWhole(_ row: UnsafeMutablePointer<UInt8>, _ width: Int, isOpaque: Bool, _ simd: Bool)
    -> Bool
  {
    guard !words.isEmpty || !factors.isEmpty || !matrices.isEmpty else { return false }
    guard isOpaque || ikran_point_is_opaque(row, width) else { return false }
    if !matrices.isEmpty {
      ikran_point_matrices_row(matrices, matrices.count, row, width, simd)
    } else if words.isEmpty {
      ikran_point_affine_row(factors, offsets, row, width, simd)
    } else {
      ikran_point_table_row(words, row, width)
    }
    return true
  }

  /// Notes a matrix in fixed point; false when its numbers are too large.
  private mutating func setFactors(_ matrix: ColorMatrix) -> Bool {
    let values = matrix.values
    let fits = (0..<3).allSatisfy { row in
      values[row * 4..<row * 4 + 3].allSatisfy { $0.magnitude < 7.9 }
        && values[row * 4 + 3].magnitude < 100
    }
    guard fits else { return false }
    for row in [2, 1, 0] {
      for column in [2, 0, 1] {
        factors.append(Int16((values[row * 4 + column] * 4096).rounded()))
      }
      offsets.append(Int32((values[row * 4 + 3] * 255 * 4096).rounded()) + 2048)
    }
    return true
  }
}

extension PointStep {
  /// A matrix in 16 bits; nil for other steps, and where the numbers are too large.
  fileprivate var shortMatrix: ikran_point_short_matrix? {
    guard case .matrix(let matrix) = self else { return nil }
    let fits = (0..<3).allSatisfy { row in
      matrix.values[row * 4..<row * 4 + 4].reduce(0) { $0 + $1.magnitude } < 3.99
    }
    guard fits else { return nil }
    var short = ikran_point_short_matrix()
    withUnsafeMutableBytes(of: &short) { bytes in
      let numbers = bytes.bindMemory(to: Int16.self)
      for row in 0..<3 {
        for column in 0..<3 {
          numbers[row * 3 + column] = Int16((matrix.values[row * 4 + column] * 8192).rounded())
        }
        numbers[9 + row] = Int16((matrix.values[row * 4 + 3] * 255 * 32).rounded())
      }
    }
    return short
  }

  fileprivate var isMatrix: Bool {
    if case .matrix = self { true } else { false }
  }

  /// The step as the kernel wants it; it points into this step's tables and into `picture`.
  fileprivate func kernelStep(_ picture: Bitmap?) -> ikran_point_step {
    let (kind, values, table) = parts
    var step = ikran_point_step()
    step.kind = Int32(kind.rawValue)
    withUnsafeMutableBytes(of: &step.values) { bytes in
      for (index, value) in values.enumerated() {
        bytes.storeBytes(of: Float(value), toByteOffset: index * 4, as: Float.self)
      }
    }
    // Both are kept alive while the program runs.
    step.table = table.flatMap { $0.withUnsafeBufferPointer(\.baseAddress) }
    if let picture {
      step.pixels = picture.withUnsafeBytes(\.baseAddress)?.assumingMemoryBound(to: UInt8.self)
      step.stride = picture.bytesPerRow
    }
    return step
  }

  private var parts: (ikran_point_kind, [Double], [Float]?) {
    switch self {
    case .matrix(let matrix): (ikran_point_matrix, matrix.values, nil)
    case .matrixWithAlpha(let values): (ikran_point_matrix_alpha, values, nil)
    case .gamma(let exponent): (ikran_point_gamma, [exponent], nil)
    case .posterize(let levels): (ikran_point_posterize, [levels], nil)
    case .curves(let table, let share):
      (ikran_point_table, [Double(table.count), share] + table.domain, table.values)
    case .vibrance(let amount): (ikran_point_vibrance, [amount], nil)
    case .whiteBalanceTint(let amount): (ikran_point_white_balance_tint, [amount], nil)
    case .overlay(let color, let share):
      (ikran_point_overlay, color.channels + [share], nil)
    case .threshold(let luma): (ikran_point_threshold, [luma], nil)
    case .monochrome(let color, let share):
      (ikran_point_monochrome, color.channels + [share], nil)
    case .highlightsAndShadows(let highlights, let shadows):
      (ikran_point_highlights_shadows, [highlights, shadows], nil)
    case .haze(let distance, let slope): (ikran_point_haze, [distance, slope], nil)
    case .vignette(let start, let end, let x, let y, let color):
      (ikran_point_vignette, [start, end, x, y] + color.channels, nil)
    case .grain(let amount): (ikran_point_grain, [amount], nil)
    case .gray(let method): (ikran_point_gray, [Double(method.rawValue)], nil)
    case .cube(let table, let share):
      (ikran_point_cube, [Double(table.side), share] + table.domain, table.colors)
    case .opacity(let factor): (ikran_point_opacity, [factor], nil)
    case .chromaKey, .blend: coloredParts
    }
  }

  private var coloredParts: (ikran_point_kind, [Double], [Float]?) {
    switch self {
    case .chromaKey(let key, let threshold, let smoothing, let replacement):
      let luma = 0.2989 * key.red + 0.5866 * key.green + 0.1145 * key.blue
      let chroma = [0.5647 * (key.blue - luma), 0.7132 * (key.red - luma), threshold, smoothing]
      return (ikran_point_chroma_key, chroma + replacement.channels, nil)
    case .blend(let mode, let source, let share, let keepsAlpha):
      let number = Double(BlendMode.allCases.firstIndex(of: mode) ?? 0)
      let color: [Double] = if case .color(let color) = source { color.channels } else { [] }
      return (ikran_point_blend, [number, share, keepsAlpha ? 1 : 0] + color, nil)
    default: return (ikran_point_opacity, [1], nil)
    }
  }
}

extension RGB {
  fileprivate var channels: [Double] { [red, green, blue] }
}

extension Color {
  fileprivate var channels: [Double] {
    [Double(red) / 255, Double(green) / 255, Double(blue) / 255, Double(alpha) / 255]
  }
}
