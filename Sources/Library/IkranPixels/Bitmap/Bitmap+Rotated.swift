import CIkranKernels

extension Bitmap {
  /// The picture mirrored.
  ///
  /// Cost: one pass.
  ///
  /// - Parameters:
  ///   - horizontally: Whether left and right change places.
  ///   - vertically: Whether top and bottom change places.
  /// - Returns: The mirrored picture in its format, or the same bitmap when neither axis is.
  /// - Throws: ``BitmapError`` when memory runs out.
  public func flipped(
    horizontally: Bool = false,
    vertically: Bool = false
  ) throws(BitmapError) -> Bitmap {
    switch (horizontally, vertically) {
    case (false, false): self
    case (true, false): try oriented(.upMirrored)
    case (false, true): try oriented(.downMirrored)
    case (true, true): try oriented(.down)
    }
  }

  /// The picture turned clockwise around its centre.
  ///
  /// Multiples of 90° only move pixels. Other angles are sampled bilinearly, with smooth edges, in
  /// premultiplied pixels. What the picture does not cover is transparent.
  ///
  /// A picture that keeps its size and is turned by 90° or 270° lies half a pixel further to the
  /// left and to the top where its sides differ by an odd number.
  ///
  /// Cost: one pass over the result.
  ///
  /// - Parameters:
  ///   - degrees: The angle; negative ones turn counter-clockwise.
  ///   - keepsSize: Whether the result has the picture's size and loses what lies outside of it.
  ///     Otherwise it is as large as the whole turned picture, rounded up.
  /// - Returns: The turned picture, in ``PixelFormat/bgra`` where it leaves corners transparent and
  ///   otherwise in its format.
  /// - Throws: ``BitmapError/invalidAngle`` when the angle is not finite;
  ///   ``BitmapError/invalidSize(_:)`` when a side is over 2²⁰ pixels;
  ///   ``BitmapError/outOfMemory(bytes:)``.
  public func rotated(
    degrees: Double,
    keepsSize: Bool = false
  ) throws(BitmapError) -> Bitmap {
    try rotated(degrees: degrees, keepsSize: keepsSize, longestSide: .max)
  }

  /// The picture turned clockwise around its centre, if no side of the result is longer than
  /// `longestSide` and it has no more than `mostPixels`.
  ///
  /// - Throws: ``BitmapError/invalidSize(_:)`` otherwise, and all errors of
  ///   ``rotated(degrees:keepsSize:)``.
  func rotated(
    degrees: Double,
    keepsSize: Bool,
    longestSide: Int,
    mostPixels: Int = .max
  ) throws(BitmapError) -> Bitmap {
    guard degrees.isFinite else { throw .invalidAngle }
    // The remainder is exact.
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    let angle = rest < 0 ? rest + 360 : rest
    switch angle {
    case 0, 360: return self
    case 90: return try quarterTurned(.right, keepsSize: keepsSize)
    case 180: return try oriented(.down)
    case 270: return try quarterTurned(.left, keepsSize: keepsSize)
    default:
      let turn = Turn(degrees: angle, of: size, keepsSize: keepsSize)
      guard max(turn.result.width, turn.result.height) <= longestSide,
        let pixels = turn.result.pixelCount, pixels <= mostPixels
      else { throw .invalidSize(turn.result) }
      return try turned(turn)
    }
  }

  private func quarterTurned(
    _ orientation: Orientation,
    keepsSize: Bool
  ) throws(BitmapError) -> Bitmap {
    let turned = try oriented(orientation)
    if !keepsSize || turned.size == size { return turned }
    var canvas = try Canvas(size: size, format: .bgra)
    canvas.profile = profile
    // Shifts round down, also below zero.
    canvas.draw(turned, left: (width - height) >> 1, top: (height - width) >> 1)
    return canvas.finish()
  }

  private func turned(_ turn: Turn) throws(BitmapError) -> Bitmap {
    let sides = 1...(1 << 20)
    guard sides.contains(width), sides.contains(height) else { throw .invalidSize(size) }
    let wide = format.bytesPerPixel == 4 ? self : try converted(to: .bgrx)
    var canvas = try Canvas(size: turn.result, format: .bgra, zeroed: false)
    canvas.profile = profile
    let stride = canvas.bytesPerRow
    wide.withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for y in 0..<turn.result.height {
          let start = turn.start(ofRow: y)
          ikran_sample_line(
            from.assumingMemoryBound(to: UInt8.self),
            wide.bytesPerRow,
            width,
            height,
            start.x,
            start.y,
            turn.step.x,
            turn.step.y,
            (to + y * stride).assumingMemoryBound(to: UInt8.self),
            turn.result.width
          )
        }
      }
    }
    return canvas.finish()
  }
}

/// Where each pixel of a turned picture comes from.
private struct Turn {
  /// The size of the turned picture.
  let result: PixelSize
  /// The way in the source for one pixel to the right, with 32 fractional bits.
  let step: (x: Int64, y: Int64)
  private let source: PixelSize
  private let cosine, sine: Double

  init(degrees: Double, of size: PixelSize, keepsSize: Bool) {
    source = size
    sine = sinPi(degrees / 180)
    cosine = sinPi(degrees / 180 + 0.5)
    step = (Self.fixed(cosine), Self.fixed(-sine))
    let (width, height) = (Double(size.width), Double(size.height))
    // Rounding errors add no pixels.
    let across = (width * cosine.magnitude + height * sine.magnitude - 1e-6).rounded(.up)
    let down = (width * sine.magnitude + height * cosine.magnitude - 1e-6).rounded(.up)
    result = keepsSize ? size : PixelSize(width: max(1, Int(across)), height: max(1, Int(down)))
  }

  /// The place in the source of a row's first pixel, counted from the first pixel's centre.
  func start(ofRow row: Int) -> (x: Int64, y: Int64) {
    let x = 0.5 - Double(result.width) / 2
    let y = Double(row) + 0.5 - Double(result.height) / 2
    return (
      Self.fixed(cosine * x + sine * y + Double(source.width) / 2 - 0.5),
      Self.fixed(cosine * y - sine * x + Double(source.height) / 2 - 0.5)
    )
  }

  private static func fixed(_ value: Double) -> Int64 { Int64((value * 0x1p32).rounded()) }
}
