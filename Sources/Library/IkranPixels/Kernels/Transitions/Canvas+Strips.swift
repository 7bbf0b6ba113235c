import CIkranKernels

/// What is drawn in a column or a row of a canvas: one of a picture, made shorter.
package struct Strip {
  /// The number of the picture's column or row.
  let source: Int
  /// How long it is in the canvas, from 0 to 1; it stays in the middle.
  let scale: Double

  package init(source: Int, scale: Double) { (self.source, self.scale) = (source, scale) }

  /// Where it is read for the first of as many pixels as it has, and how far on for each other one.
  fileprivate func way(length: Int) -> ikran_strip {
    let step = Int64((0x1p32 / max(scale, 0x1p-10)).rounded())
    // The middle of both is the same.
    let half = Double(length - 1) / 2
    let place = Int64(length - 1) << 31 - Int64((half * Double(step)).rounded())
    return ikran_strip(source: Int64(source), place: place, step: step)
  }
}

extension Canvas {
  /// Draws columns or rows of a picture, each with a length of its own.
  ///
  /// Their pixels replace those of the canvas without blending, and what they leave free gets
  /// clear; both have four bytes per pixel and alpha, and strips of one length. Cost: one pass over
  /// the canvas; two pixels of the picture make one.
  ///
  /// - Parameters:
  ///   - picture: The pixels.
  ///   - strips: One for each column or row of the canvas; nil for a clear one.
  ///   - areColumns: Whether they are columns.
  package mutating func draw(_ picture: Bitmap, strips: [Strip?], areColumns: Bool) {
    let length = areColumns ? size.height : size.width
    precondition(
      format == .bgra && picture.format == .bgra
        && strips.count == (areColumns ? size.width : size.height)
        && length == (areColumns ? picture.height : picture.width),
      "Strips have the canvas's length and format, and fill it."
    )
    // Above the picture, or to the left of it, there is nothing.
    let nowhere = ikran_strip(source: 0, place: -2 << 32, step: 0)
    var ways = strips.map { $0?.way(length: length) ?? nowhere }
    let (stride, sourceStride) = (bytesPerRow, picture.bytesPerRow)
    withUnsafeMutableBytes { target in
      picture.withUnsafeBytes { source in
        guard let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self),
          let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        if areColumns {
          for y in 0..<length {
            ikran_sample_strips(from, sourceStride, length, &ways, to + y * stride, ways.count)
          }
          return
        }
        for (y, way) in ways.enumerated() {
          let row = from + Int(way.source) * sourceStride
          ikran_sample_row(row, length, way.place, way.step, to + y * stride, length)
        }
      }
    }
  }
}
