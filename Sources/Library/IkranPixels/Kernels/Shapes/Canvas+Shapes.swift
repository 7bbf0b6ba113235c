import CIkranKernels

extension Canvas {
  /// Fills a shape with a colour, over what is there; its edges are smooth.
  ///
  /// What lies outside the canvas is cropped. Cost: one pass over the shape; formats of less than
  /// four bytes are converted row by row.
  public mutating func fill(_ shape: RoundedShape, with color: Color) {
    paint(ShapeCoverage(shape, on: size), without: nil, color)
  }

  /// Draws a line along the inside of a shape's edge, over what is there.
  ///
  /// A line wider than half of the shape fills it; one whose width is not above zero is not drawn.
  ///
  /// - Parameters:
  ///   - shape: The line's outer edge.
  ///   - width: How wide the line is, in pixels.
  ///   - color: The line's colour.
  public mutating func stroke(_ shape: RoundedShape, width: Double, with color: Color) {
    guard width > 0 else { return }
    let inner = shape.inside(line: width)
    paint(ShapeCoverage(shape, on: size), without: ShapeCoverage(inner, on: size), color)
  }

  /// Draws the part of a picture that lies within a shape over what is there, unscaled.
  ///
  /// The picture's top left pixel is at (`x`, `y`); the shape is placed in the canvas, not in the
  /// picture. Cost: one pass over what is drawn.
  public mutating func draw(_ picture: Bitmap, x: Int, y: Int, clippedTo shape: RoundedShape) {
    // Within these bounds no sum overflows.
    let left = min(max(x, -picture.width), size.width)
    let top = min(max(y, -picture.height), size.height)
    var coverage = ShapeCoverage(shape, on: size)
    let columns = coverage.columns
    let across = (left..<left + picture.width).clamped(to: columns)
    let down = (top..<top + picture.height).clamped(to: coverage.rows)
    guard !across.isEmpty else { return }
    let format = picture.format
    let simd = ikran_has_simd()
    var cut = [UInt8](repeating: 0, count: across.count * 4)
    picture.withUnsafeBytes { source in
      guard let from = source.baseAddress else { return }
      changeRows(down, columns: across) { y, below in
        let skipped = (across.lowerBound - left) * format.bytesPerPixel
        let pixels = from + (y - top) * picture.bytesPerRow + skipped
        cut.withUnsafeMutableBufferPointer { cut in
          guard let cut = cut.baseAddress else { return }
          convertRow(pixels, format, cut, .bgra, across.count)
          coverage.withRow(y) { mask in
            guard let mask = mask.baseAddress else { return }
            let first = mask + (across.lowerBound - columns.lowerBound)
            ikran_mask_run(cut, first, across.count, simd)
          }
          ikran_draw_over(cut, below, across.count)
        }
      }
    }
  }

  /// Makes everything outside the shape transparent, with smooth edges.
  mutating func clip(to shape: RoundedShape) {
    precondition(format == .bgra, "Only pixels with alpha have edges.")
    var coverage = ShapeCoverage(shape, on: size)
    let (width, simd) = (size.width, ikran_has_simd())
    var mask = [UInt8](repeating: 0, count: width)
    changeRows(0..<size.height, columns: 0..<width) { y, pixels in
      mask.withUnsafeMutableBufferPointer { mask in
        guard let mask = mask.baseAddress else { return }
        coverage.expand(y, into: mask, width: width)
        ikran_mask_run(pixels, mask, width, simd)
      }
    }
  }

  /// Paints a ring over the picture and makes everything outside its outer edge transparent.
  mutating func paintRing(_ color: Color, from outer: RoundedShape, to inner: RoundedShape) {
    precondition(format == .bgra, "Only pixels with alpha have edges.")
    var (outside, inside) = (ShapeCoverage(outer, on: size), ShapeCoverage(inner, on: size))
    let straight = [color.blue, color.green, color.red, color.alpha]
    var masks = [UInt8](repeating: 0, count: 2 * size.width)
    let width = size.width
    changeRows(0..<size.height, columns: 0..<width) { y, pixels in
      masks.withUnsafeMutableBufferPointer { masks in
        guard let first = masks.baseAddress else { return }
        outside.expand(y, into: first, width: width)
        inside.expand(y, into: first + width, width: width)
        ikran_ring_run(pixels, first, first + width, straight, width)
      }
    }
  }

  /// Paints a colour where one shape covers more than another, which lies inside of it.
  private mutating func paint(
    _ coverage: consuming ShapeCoverage,
    without inner: consuming ShapeCoverage?,
    _ color: Color
  ) {
    var (outer, inner) = (coverage, inner)
    let columns = outer.columns
    var hole = [UInt8](repeating: 0, count: columns.count)
    let straight = [color.blue, color.green, color.red, color.alpha]
    changeRows(outer.rows, columns: columns) { y, pixels in
      let hasHole = inner?.rows.contains(y) ?? false
      if hasHole, let within = inner?.columns {
        inner?.withRow(y) { row in
          // The inner edge of a very thin line may round to the next pixel.
          for x in within.clamped(to: columns) {
            hole[x - columns.lowerBound] = row[x - within.lowerBound]
          }
        }
      }
      outer.withRow(y) { row in
        guard let row = row.baseAddress else { return }
        hole.withUnsafeBufferPointer { hole in
          ikran_paint_run(pixels, row, hasHole ? hole.baseAddress : nil, straight, columns.count)
        }
      }
    }
  }

  /// Calls `body` with each of some rows, as four bytes a pixel of which the last is 255 in formats
  /// without alpha.
  private mutating func changeRows(
    _ rows: Range<Int>,
    columns: Range<Int>,
    _ body: (Int, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    guard !columns.isEmpty else { return }
    let (stride, format) = (bytesPerRow, format)
    var wide = [UInt8](repeating: 0, count: format.bytesPerPixel == 4 ? 0 : columns.count * 4)
    withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for y in rows {
        let row = base + y * stride + columns.lowerBound * format.bytesPerPixel
        if format.bytesPerPixel == 4 {
          body(y, row)
        } else {
          wide.withUnsafeMutableBufferPointer { wide in
            guard let pixels = wide.baseAddress else { return }
            convertRow(row, format, pixels, .bgrx, columns.count)
            body(y, pixels)
            convertRow(pixels, .bgrx, row, format, columns.count)
          }
        }
      }
    }
  }
}
