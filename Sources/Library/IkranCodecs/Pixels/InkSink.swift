import IkranPixels

/// Receives rows of four inks, and converts them once they have their target size.
///
/// The fourth byte of pixels that are resampled bounds the others, or is not resampled. So inks go
/// two ways: cyan, magenta and yellow as one picture, and black as another.
struct InkSink: RowSink, ~Copyable {
  private var colors: PixelSink
  private var blacks: PixelSink
  /// A row of blacks, four bytes for each.
  private var row: [UInt8]

  /// A sink for rows of an image of `rows` pixels, which `plan` crops and scales.
  static func open(
    _ plan: RenderPlan,
    rows: PixelSize,
    workspace: Workspace
  ) throws(DecodeError) -> InkSink {
    InkSink(
      try PixelSink.open(plan, rows: rows, format: .bgrx, workspace: workspace),
      try PixelSink.open(plan, rows: rows, format: .bgrx, workspace: workspace),
      width: rows.width
    )
  }

  private init(_ colors: consuming PixelSink, _ blacks: consuming PixelSink, width: Int) {
    self.colors = consume colors
    self.blacks = consume blacks
    row = [UInt8](repeating: 255, count: width * 4)
  }

  /// The rows to deliver, in order; the others must be left out.
  var neededRows: Range<Int> { colors.neededRows }
  /// The columns that matter in each row; nil when all do.
  var neededColumns: Range<Int>? { colors.neededColumns }

  /// Calls `fill` with memory for one row, four inks per pixel, then processes the row.
  mutating func nextRow(
    _ fill: (UnsafeMutableRawBufferPointer) throws(DecodeError) -> Void
  ) throws(DecodeError) {
    var row = row
    self.row = []
    try colors.nextRow { (target) throws(DecodeError) in
      try fill(target)
      for start in stride(from: 0, to: min(target.count, row.count) & ~3, by: 4) {
        row[start] = target[start + 3]
        target[start + 3] = 255
      }
    }
    try blacks.nextRow { (target) throws(DecodeError) in
      row.withUnsafeBytes { bytes in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(target.count)))
      }
    }
    self.row = row
  }

  /// The finished pixels, as stored (not yet turned upright).
  ///
  /// - Parameters:
  ///   - inks: The way from inks to sRGB.
  ///   - inverted: Whether 0 stands for full ink.
  ///   - workspace: Whether SIMD instructions are used.
  /// - Returns: The pixels, without alpha.
  /// - Throws: ``DecodeError/bitmap(_:)``.
  consuming func finish(
    _ inks: ColorConversion,
    inverted: Bool,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let blacks = try self.blacks.finish()
    let colors = try self.colors.finish()
    var canvas: Canvas
    do throws(BitmapError) { canvas = try Canvas(recoloring: consume colors) } catch {
      throw .bitmap(error)
    }
    let (size, stride) = (canvas.size, canvas.bytesPerRow)
    canvas.withUnsafeMutableBytes { bytes in
      blacks.withUnsafeBytes { black in
        for y in 0..<size.height {
          let start = y * stride
          let row = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + size.width * 4])
          for x in 0..<size.width { row[x * 4 + 3] = black[y * blacks.bytesPerRow + x * 4] }
          inks.convertInks(row, inverted: inverted, usesSIMD: workspace.usesSIMD)
        }
      }
    }
    return canvas.finish()
  }
}
