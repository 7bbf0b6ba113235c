import IkranPixels
import IkranPlayback

/// Small pictures for transitions, and the pixels of their frames.
enum TransitionPictures {
  static let everyEdge = Transition.Edge.allCases

  /// Every effect, for a tenth of a second: three frames.
  static let everyEffect: [Transition] =
    ([.fade(tenth)]
    + everyEdge.flatMap {
      [.slide(from: $0, tenth), .wipe(from: $0, tenth), .flip(from: $0, tenth)]
    } + [custom]).map(threeFrames)

  /// The new picture appears.
  static let custom = Transition.custom(id: "appear", tenth) { progress in
    Transition.Moment(new: Transition.Placement(opacity: progress))
  }

  static let tenth = Duration.milliseconds(100)

  /// The same transition in three frames, if it takes a tenth of a second: the middle one is halfway.
  static func threeFrames(_ transition: Transition) -> Transition {
    var transition = transition
    transition.framesPerSecond = 30
    return transition
  }

  /// A picture whose pixels are computed from their column and row: blue, green, red, alpha.
  static func picture(
    _ width: Int,
    _ height: Int,
    _ format: PixelFormat = .bgra,
    _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: format)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for (channel, value) in pixel(x, y).prefix(format.bytesPerPixel).enumerated() {
            bytes[y * stride + x * format.bytesPerPixel + channel] = value
          }
        }
      }
    }
    return canvas.finish()
  }

  /// Four times four opaque pixels of gray: `first` in the upper left corner, then one more each.
  static func numbered(from first: Int) throws -> Bitmap {
    try picture(4, 4, .bgrx) { x, y in
      let gray = UInt8(first + x + 4 * y)
      return [gray, gray, gray, 255]
    }
  }

  /// A picture of one colour.
  static func plain(_ width: Int, _ height: Int, _ pixel: [UInt8]) throws -> Bitmap {
    try picture(width, height) { _, _ in pixel }
  }

  /// All bytes of the pixels, without padding.
  static func pixels(_ bitmap: Bitmap) -> [UInt8] {
    (0..<bitmap.height).flatMap { y in
      bitmap.withRow(y) { row in row.indices.map { row[$0] } }
    }
  }

  /// The blue of each pixel of a row of four bytes per pixel.
  static func blues(_ bitmap: Bitmap, row: Int) -> [Int] {
    bitmap.withRow(row) { bytes in (0..<bitmap.width).map { Int(bytes[$0 * 4]) } }
  }

  /// The alpha of each pixel of a row of four bytes per pixel.
  static func alphas(_ bitmap: Bitmap, row: Int) -> [Int] {
    bitmap.withRow(row) { bytes in (0..<bitmap.width).map { Int(bytes[$0 * 4 + 3]) } }
  }
}
