import CIkranKernels

/// Filters that move pixels. Places between pixels are bilinear means of premultiplied ones; the
/// edge pixel is repeated outside.
extension Bitmap {
  /// Square blocks of one colour each: that of the pixel in the block's middle.
  ///
  /// A block of a pixel or less returns the bitmap itself.
  ///
  /// - Parameters:
  ///   - scale: The side of a block, 1 for the picture's width.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func pixellated(_ scale: Double, workspace: Workspace) throws(BitmapError) -> Bitmap {
    let block = min(scale, 1000) * Double(width)
    guard block > 1 else { return self }
    func middles(_ length: Int) -> [Int32] {
      (0..<length).map { pixel in
        let index = ((Double(pixel) + 0.5) / block).rounded(.down)
        return Int32(min(Int((index + 0.5) * block), length - 1))
      }
    }
    return try filtered(workspace) { picture, _, _ in
      middles(width).withPointer { columns in
        middles(height).withPointer { rows in ikran_pick(picture, columns, rows) }
      }
    }
  }

  /// Black dots on white whose size says how dark the picture is; alpha stays.
  ///
  /// There is a dot in each square block; its radius is half of the block's side, times the
  /// darkness of the pixel in the block's middle, drawn over white. A block of a pixel or less
  /// returns the bitmap itself.
  ///
  /// - Parameters:
  ///   - scale: The side of a block, 1 for the picture's width.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func halftone(_ scale: Double, workspace: Workspace) throws(BitmapError) -> Bitmap {
    let cell = min(scale, 1000) * Double(width)
    guard cell > 1 else { return self }
    return try filtered(workspace) { picture, _, simd in ikran_halftone(picture, cell, simd) }
  }

  /// Turns the middle: a pixel at `percent` of the way from the circle to its centre comes from
  /// `percent² · angle · 8` radians clockwise of it.
  ///
  /// A radius or an angle of 0 returns the bitmap itself.
  ///
  /// - Parameters:
  ///   - radius: The circle's radius, 1 for the picture's shorter side.
  ///   - angle: The strength.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func swirled(
    radius: Double,
    angle: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0, angle != 0 else { return self }
    let pixels = radius * Double(min(width, height))
    return try filtered(workspace) { picture, _, simd in
      ikran_swirl(picture, pixels, angle * 8, simd)
    }
  }

  /// The picture with itself, enlarged, fading over it.
  ///
  /// The enlarged one is `1 + (maxScale − 1) · soul` times as large and has an opacity of
  /// `maxAlpha · (1 − soul)`. Where either changes nothing, the bitmap itself is returned.
  ///
  /// - Parameters:
  ///   - soul: The moment, 0…1.
  ///   - maxScale: The scale at the end, above 0.
  ///   - maxAlpha: The opacity at the start, 0…1.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func soulOut(
    soul: Double,
    maxScale: Double,
    maxAlpha: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let alpha = maxAlpha * (1 - soul)
    let scale = 1 + (maxScale - 1) * soul
    guard alpha > 0, scale > 0, scale != 1 else { return self }
    func enlarged(_ pixel: Double, _ length: Double) -> Double {
      length / 2 + (pixel - length / 2) / scale
    }
    return try moved(weight: alpha, x: enlarged, y: enlarged, workspace: workspace)
  }

  /// `ranks` by `ranks` small copies of the picture; 1 returns the bitmap itself.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func storyboard(ranks: Int, workspace: Workspace) throws(BitmapError) -> Bitmap {
    guard ranks > 1 else { return self }
    func tile(_ pixel: Double, _ length: Double) -> Double {
      (pixel * Double(ranks)).truncatingRemainder(dividingBy: length)
    }
    return try moved(weight: 1, x: tile, y: tile, workspace: workspace)
  }

  /// The middle of the picture, a `columns`-th of the width and a `rows`-th of the height, repeated
  /// until it fills the picture; 1 and 1 return the bitmap itself.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func splitScreen(
    columns: Int,
    rows: Int,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard columns > 1 || rows > 1 else { return self }
    func stripe(_ parts: Int) -> (Double, Double) -> Double {
      { pixel, length in
        let part = length / Double(max(parts, 1))
        return (length - part) / 2 + pixel.truncatingRemainder(dividingBy: part)
      }
    }
    return try moved(weight: 1, x: stripe(columns), y: stripe(rows), workspace: workspace)
  }

  /// A bad signal: red and blue slip sideways, by another distance in each band of rows.
  ///
  /// A hundredth of the height is a band, at least one row. Its noise, −1…1, runs smoothly from one
  /// hashed value to the next ten times in a unit of `time`. Red moves by .025 and blue by −.01 of
  /// the width, times the noise, and are drawn over the pixel's own; alpha stays.
  ///
  /// - Parameters:
  ///   - time: Any moment from 0 on; the same moment gives the same picture.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func shiftGlitch(time: Double, workspace: Workspace) throws(BitmapError) -> Bitmap {
    let noise = BandNoise(height: height, time: time)
    let shifts = (0..<height).map { noise.value(row: $0) * Double(width) }
    let red = shifts.map { $0 * 0.025 }
    let blue = shifts.map { $0 * -0.01 }
    return try filtered(workspace) { picture, _, simd in
      red.withPointer { red in
        blue.withPointer { blue in ikran_shift_channels(picture, red, blue, simd) }
      }
    }
  }

  /// Mixes the picture with one whose places come from a function for each axis.
  ///
  /// The functions map the centre of a pixel in 0…length to a place in the picture.
  private func moved(
    weight: Double,
    x: (Double, Double) -> Double,
    y: (Double, Double) -> Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    func places(_ length: Int, _ place: (Double, Double) -> Double) -> [Double] {
      (0..<length).map { pixel in
        let center = place(Double(pixel) + 0.5, Double(length)) - 0.5
        return min(max(center, 0), Double(length - 1))
      }
    }
    let (columns, rows) = (places(width, x), places(height, y))
    return try filtered(workspace) { picture, _, simd in
      columns.withPointer { columns in
        rows.withPointer { rows in ikran_move(picture, columns, rows, Float(weight), simd) }
      }
    }
  }
}

/// The noise of a glitch: a number in −1…1 for each row and moment, the same on every machine.
private struct BandNoise {
  private let band: Int
  private let moment: UInt32
  private let part: Double

  init(height: Int, time: Double) {
    band = max(1, height / 100)
    let tenths = min(max(time, 0) * 10, 1e9)
    moment = UInt32(tenths)
    let rest = tenths - Double(moment)
    part = rest * rest * (3 - 2 * rest)
  }

  func value(row: Int) -> Double {
    let index = UInt32(truncatingIfNeeded: row / band)
    let (from, to) = (Self.hashed(index, moment), Self.hashed(index, moment &+ 1))
    return from + part * (to - from)
  }

  /// The finish of MurmurHash3, which spreads every bit of its input over all bits.
  private static func hashed(_ band: UInt32, _ moment: UInt32) -> Double {
    var bits = (band &* 0x9E37_79B1) ^ (moment &* 0x85EB_CA77)
    bits = (bits ^ (bits >> 16)) &* 0x85EB_CA6B
    bits = (bits ^ (bits >> 13)) &* 0xC2B2_AE35
    bits ^= bits >> 16
    return Double(bits) / Double(UInt32.max) * 2 - 1
  }
}
