import IkranPixels

extension Bitmap {
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    withRow(y) { row in
      let first = x * format.bytesPerPixel
      return (0..<format.bytesPerPixel).map { row[first + $0] }
    }
  }

  /// The bytes of every pixel, rows without padding.
  var pixels: [UInt8] {
    (0..<height).flatMap { y in withRow(y) { row in row.indices.map { row[$0] } } }
  }

  /// The columns and rows in which any pixel differs from the one at the top left, by more than a
  /// fifth of what is possible.
  var touched: (columns: Range<Int>, rows: Range<Int>)? {
    let ground = pixel(0, 0)
    var (left, right, top, bottom) = (width, 0, height, 0)
    for y in 0..<height {
      for x in 0..<width
      where zip(pixel(x, y), ground).contains(where: { abs(Int($0) - Int($1)) > 50 }) {
        (left, right) = (min(left, x), max(right, x + 1))
        (top, bottom) = (min(top, y), max(bottom, y + 1))
      }
    }
    return left < right ? (left..<right, top..<bottom) : nil
  }
}

extension PixelSize {
  init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }
}
