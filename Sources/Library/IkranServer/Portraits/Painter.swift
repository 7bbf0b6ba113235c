import IkranPixels

/// A colour to mix: red, green and blue from 0 to 1.
struct Tint {
  var red, green, blue: Double

  /// From a number written `0xRRGGBB`.
  init(_ hex: UInt32) {
    red = Double(hex >> 16 & 0xFF) / 255
    green = Double(hex >> 8 & 0xFF) / 255
    blue = Double(hex & 0xFF) / 255
  }

  func mixed(_ other: Tint, _ share: Double) -> Tint {
    var mixed = self
    mixed.red += (other.red - red) * share
    mixed.green += (other.green - green) * share
    mixed.blue += (other.blue - blue) * share
    return mixed
  }

  func darker(_ share: Double) -> Tint { mixed(Tint(0x1A0F1E), share) }
  func lighter(_ share: Double) -> Tint { mixed(Tint(0xFFFAF0), share) }

  /// The perceived brightness, 0…1.
  var luma: Double { 0.299 * red + 0.587 * green + 0.114 * blue }
}

/// The fill of a shape.
struct Paint {
  let top: Tint
  let bottom: Tint
  /// Where the gradient starts and ends.
  let span: ClosedRange<Double>
  let alpha: Double

  /// One colour.
  init(_ tint: Tint, alpha: Double = 1) {
    top = tint
    bottom = tint
    span = 0...1
    self.alpha = alpha
  }

  /// A gradient from top to bottom.
  init(_ top: Tint, _ bottom: Tint, _ span: ClosedRange<Double>) {
    self.top = top
    self.bottom = bottom
    self.span = span
    alpha = 1
  }

  /// The colour at a height.
  func tint(at y: Double) -> Tint {
    let share = (y - span.lowerBound) / (span.upperBound - span.lowerBound)
    return top.mixed(bottom, min(max(share, 0), 1))
  }
}

/// Fills shapes into pixels, the later over the earlier, with antialiased edges.
struct Painter {
  let size: PixelSize
  /// One word per pixel: blue in the lowest byte, then green, red, alpha; premultiplied.
  private(set) var pixels: [UInt32]
  /// Pixels for one unit of ``Point``.
  private let scale: Double

  /// A transparent picture.
  init(size: PixelSize) {
    self.size = size
    pixels = Array(repeating: 0, count: size.width * size.height)
    scale = Double(min(size.width, size.height)) / 2
  }

  /// The bounds of the picture, in the units of ``Point``.
  var frame: Shape.Bounds {
    let (right, bottom) = (Double(size.width) / 2 / scale, Double(size.height) / 2 / scale)
    return Shape.Bounds(left: -right, top: -bottom, right: right, bottom: bottom)
  }

  /// Fills a shape; a softness above zero blurs its edge over twice that distance.
  mutating func fill(_ shape: Shape, _ paint: Paint, softness: Double = 0) {
    // Half a pixel more on each side: the edge's coverage reaches that far.
    let bounds = shape.bounds.grown(softness + 0.75 / scale).intersection(frame)
    let columns = column(bounds.left)..<max(column(bounds.left), column(bounds.right))
    for row in line(bounds.top)..<max(line(bounds.top), line(bounds.bottom)) {
      let y = (Double(row) + 0.5 - Double(size.height) / 2) / scale
      let tint = paint.tint(at: y)
      fillRow(row, y, columns, shape, Ink(tint, alpha: paint.alpha), softness: softness)
    }
  }

  /// Fills the whole picture.
  mutating func fill(_ paint: Paint) {
    fill(Shape(bounds: .everything) { _ in -1000 }, paint)
  }

  /// The picture so far.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  func finish(_ format: PixelFormat) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: size, format: format, zeroed: false)
    let (width, stride) = (size.width, canvas.bytesPerRow)
    canvas.withMutableBytes { bytes in
      for row in 0..<size.height {
        var target = row * stride
        for pixel in pixels[row * width..<(row + 1) * width] {
          bytes[target] = UInt8(truncatingIfNeeded: pixel)
          bytes[target + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
          bytes[target + 2] = UInt8(truncatingIfNeeded: pixel >> 16)
          bytes[target + 3] = UInt8(truncatingIfNeeded: pixel >> 24)
          target += 4
        }
      }
    }
    return canvas.finish()
  }

  private mutating func fillRow(
    _ row: Int,
    _ y: Double,
    _ columns: Range<Int>,
    _ shape: Shape,
    _ ink: Ink,
    softness: Double
  ) {
    let edge = max(0.5, softness * scale)
    let start = row * size.width
    let left = 0.5 - Double(size.width) / 2
    var column = columns.lowerBound
    while column < columns.upperBound {
      let distance = shape.distance(Point((Double(column) + left) / scale, y)) * scale
      // The distance tells for how many pixels the coverage stays the same; some distances
      // are estimates, hence the factor.
      let certain = min(Int((abs(distance) - edge) * 0.8), columns.upperBound - column - 1)
      let next = column + max(0, certain) + 1
      if distance <= -edge {
        ink.cover(&pixels, start + column..<start + next)
        column = next
      } else if distance >= edge {
        column = next
      } else {
        let share = (edge - distance) / (2 * edge)
        let coverage = softness > 0 ? share * share * (3 - 2 * share) : share
        pixels[start + column] = ink.over(pixels[start + column], coverage)
        column += 1
      }
    }
  }

  private func column(_ x: Double) -> Int {
    min(max(Int((x * scale + Double(size.width) / 2).rounded()), 0), size.width)
  }

  private func line(_ y: Double) -> Int {
    min(max(Int((y * scale + Double(size.height) / 2).rounded()), 0), size.height)
  }
}

/// A colour and its opacity, prepared for blending.
private struct Ink {
  private let opaque: UInt32
  private let blue, green, red: UInt32
  private let alpha: Double

  init(_ tint: Tint, alpha: Double) {
    func byte(_ value: Double) -> UInt32 { UInt32(min(max(value, 0), 1) * 255 + 0.5) }
    (blue, green, red) = (byte(tint.blue), byte(tint.green), byte(tint.red))
    opaque = blue | green << 8 | red << 16 | 0xFF00_0000
    self.alpha = alpha
  }

  /// Blends the ink over pixels that it covers fully.
  func cover(_ pixels: inout [UInt32], _ range: Range<Int>) {
    if alpha >= 1 {
      for index in range { pixels[index] = opaque }
    } else {
      for index in range { pixels[index] = over(pixels[index], 1) }
    }
  }

  /// The pixel with the ink blended over a share of it.
  func over(_ pixel: UInt32, _ coverage: Double) -> UInt32 {
    let alpha = UInt32(coverage * self.alpha * 256)
    let rest = 256 - alpha
    func channel(_ ink: UInt32, _ shift: UInt32) -> UInt32 {
      ((ink * alpha + ((pixel >> shift) & 0xFF) * rest + 128) >> 8) << shift
    }
    return channel(blue, 0) | channel(green, 8) | channel(red, 16) | channel(255, 24)
  }
}
