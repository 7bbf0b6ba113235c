import Ikran

/// One picture of all frames of a movie, each above the milliseconds that it is shown for.
enum FilmStrip {
  /// The longest side of a frame in the strip.
  private static let side = 160
  /// Pixels of a dot of a digit, and of the space above the digits.
  private static let (dot, space) = (2, 4)
  private static let digitSize = PixelSize(width: 3, height: 5)

  /// Three dots by five for each digit, from the top left; the first is the highest bit.
  private static let digits: [UInt16] = [
    0b111_101_101_101_111, 0b010_110_010_010_111, 0b111_001_111_100_111, 0b111_001_111_001_111,
    0b101_101_111_001_001, 0b111_100_111_001_111, 0b111_100_111_101_111, 0b111_001_010_010_010,
    0b111_101_111_101_111, 0b111_101_111_001_111,
  ]

  /// Draws the strip, in as many rows as make it about square.
  static func draw(_ movie: Movie) throws -> Bitmap {
    let fitting = Fitting.inside(PixelSize(width: side, height: side), enlarges: false)
    // Pages may have a size each.
    let first =
      movie.hasPages
      ? PixelSize(width: side, height: side) : try movie.picture(0, fitting: fitting).size
    let longest = movie.frames.map { "\($0.milliseconds)".count }.max() ?? 1
    let cell = PixelSize(
      width: max(first.width, longest * (digitSize.width + 1) * dot),
      height: first.height + space + digitSize.height * dot
    )
    let layout = try SheetLayout(count: movie.frames.count, cell: cell, columns: nil)
    var sheet = try ContactSheet(layout)
    for (index, frame) in movie.frames.enumerated() {
      let picture = try movie.picture(index, fitting: fitting)
      try Task.checkCancellation()
      try sheet.draw(captioned(picture, "\(frame.milliseconds)", cell), in: index)
    }
    return sheet.finish()
  }

  /// A picture above a number, in the middle of a clear cell.
  private static func captioned(
    _ picture: Bitmap,
    _ number: String,
    _ cell: PixelSize
  ) throws -> Bitmap {
    let picture = try picture.converted(to: .bgra)
    var canvas = try Canvas(size: cell, format: .bgra)
    let bytesPerRow = canvas.bytesPerRow
    let left = (cell.width - picture.width) / 2
    canvas.withMutableBytes { bytes in
      for y in 0..<min(picture.height, cell.height) {
        picture.withRow(y) { row in
          for x in 0..<picture.width * 4 { bytes[y * bytesPerRow + left * 4 + x] = row[x] }
        }
      }
      let width = number.count * (digitSize.width + 1) * dot - dot
      var x = (cell.width - width) / 2
      for digit in number.compactMap(\.wholeNumberValue) {
        for index in 0..<15 where digits[digit] >> (14 - index) & 1 == 1 {
          let (row, column) = index.quotientAndRemainder(dividingBy: digitSize.width)
          for dy in 0..<dot {
            let start = (cell.height - (digitSize.height - row) * dot + dy) * bytesPerRow
            for dx in 0..<dot { bytes[start + (x + column * dot + dx) * 4 + 3] = 255 }
          }
        }
        x += (digitSize.width + 1) * dot
      }
    }
    return canvas.finish()
  }
}
