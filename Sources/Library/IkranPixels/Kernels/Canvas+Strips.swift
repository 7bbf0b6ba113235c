/// What is drawn in a column or a row of a canvas: one of a picture, made shorter.
package struct Strip {
  /// The number of the picture's column or row.
  let source: Int
  /// How long it is in the canvas, from 0 to 1; it stays in the middle.
  let scale: Double

  package init(source: Int, scale: Double) { (self.source, self.scale) = (source, scale) }
}

extension Canvas {
  /// Draws columns or rows of a picture, each with a length of its own.
  ///
  /// Its pixels replace those of the canvas without blending; both have four bytes per pixel and
  /// alpha, and strips of one length. Cost: one pass over the canvas; two pixels of the picture
  /// make one.
  ///
  /// - Parameters:
  ///   - picture: The pixels.
  ///   - strips: One for each column or row of the canvas; nil leaves it as it is.
  ///   - areColumns: Whether they are columns.
  package mutating func draw(_ picture: Bitmap, strips: [Strip?], areColumns: Bool) {
    let length = areColumns ? size.height : size.width
    precondition(
      format == .bgra && picture.format == .bgra
        && strips.count == (areColumns ? size.width : size.height)
        && length == (areColumns ? picture.height : picture.width),
      "Strips have the canvas's length and format, and fill it."
    )
    let (stride, sourceStride) = (bytesPerRow, picture.bytesPerRow)
    let middle = Double(length) / 2
    withUnsafeMutableBytes { target in
      picture.withUnsafeBytes { source in
        for (number, strip) in strips.enumerated() {
          guard let strip else { continue }
          for position in 0..<length {
            let place = (Double(position) + 0.5 - middle) / strip.scale + middle - 0.5
            guard place > -1, place < Double(length) else { continue }
            let first = Int(place.rounded(.down))
            let weight = Int(((place - Double(first)) * 256).rounded())
            let (x, y) = areColumns ? (number, position) : (position, number)
            for channel in 0..<4 {
              // Beyond its ends the picture is clear.
              func value(_ position: Int) -> Int {
                guard 0..<length ~= position else { return 0 }
                let (x, y) = areColumns ? (strip.source, position) : (position, strip.source)
                return Int(source[y * sourceStride + x * 4 + channel])
              }
              let sum = value(first) * (256 - weight) + value(first + 1) * weight
              target[y * stride + x * 4 + channel] = UInt8((sum + 128) >> 8)
            }
          }
        }
      }
    }
  }
}
