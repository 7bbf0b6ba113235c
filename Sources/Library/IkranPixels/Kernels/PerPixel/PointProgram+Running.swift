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
  /// The matrix, where there is one and nothing else.
  private var matrix: ikran_point_fixed_matrix?
  /// Several matrices, where there is nothing else.
  private var matrices: [ikran_point_short_matrix] = []

  init(_ program: PointProgram, _ steps: [ikran_point_step], pixels: Int, _ simd: Bool) {
    if program.steps.count == 1, case .matrix(let only) = program.steps[0] {
      matrix = ikran_point_fixed_matrix(only)
      if matrix != nil { return }
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
    guard !words.isEmpty || matrix != nil || !matrices.isEmpty else { return false }
    guard isOpaque || ikran_point_is_opaque(row, width) else { return false }
    if var matrix {
      ikran_point_fixed_matrix_row(&matrix, row, width, simd)
    } else if !matrices.isEmpty {
      ikran_point_matrices_row(matrices, matrices.count, row, width, simd)
    } else {
      ikran_point_table_row(words, row, width)
    }
    return true
  }
}

extension PointStep {
  fileprivate var isMatrix: Bool {
    if case .matrix = self { true } else { false }
  }

  /// A matrix in 16 bits; nil for other steps, and where the numbers are too large.
  fileprivate var shortMatrix: ikran_point_short_matrix? {
    if case .matrix(let matrix) = self { ikran_point_short_matrix(matrix) } else { nil }
  }
}

extension ikran_point_fixed_matrix {
  /// A matrix in fixed point; nil when its numbers are too large.
  fileprivate init?(_ matrix: ColorMatrix) {
    let values = matrix.values
    let fits = (0..<3).allSatisfy { row in
      values[row * 4..<row * 4 + 3].allSatisfy { $0.magnitude < 7.9 }
        && values[row * 4 + 3].magnitude < 100
    }
    guard fits else { return nil }
    let rows = (0..<3).map { row in
      let factors = values[row * 4..<row * 4 + 3].map { Int16(($0 * 4096).rounded()) }
      return ikran_point_fixed_row(
        red: factors[0],
        green: factors[1],
        blue: factors[2],
        offset: Int32((values[row * 4 + 3] * 255 * 4096).rounded()) + 2048
      )
    }
    self.init(red: rows[0], green: rows[1], blue: rows[2])
  }
}

extension ikran_point_short_matrix {
  /// A matrix in 16 bits; nil when its numbers are too large.
  fileprivate init?(_ matrix: ColorMatrix) {
    let values = matrix.values
    let fits = (0..<3).allSatisfy { row in
      values[row * 4..<row * 4 + 4].reduce(0) { $0 + $1.magnitude } < 3.99
    }
    guard fits else { return nil }
    let rows = (0..<3).map { row in
      let factors = values[row * 4..<row * 4 + 3].map { Int16(($0 * 8192).rounded()) }
      return ikran_point_short_row(
        red: factors[0],
        green: factors[1],
        blue: factors[2],
        offset: Int16((values[row * 4 + 3] * 255 * 32).rounded())
      )
    }
    self.init(red: rows[0], green: rows[1], blue: rows[2])
  }
}
