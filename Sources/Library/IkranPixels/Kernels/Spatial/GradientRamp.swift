/// Colours from one to another, premultiplied, in 1,024 steps.
struct GradientRamp: Sendable {
  private static let steps = 1023
  /// Four bytes each: blue, green, red and alpha.
  private let colors: [UInt32]

  init(from start: Color, to end: Color) {
    func premultiplied(_ color: Color) -> [Double] {
      let alpha = Double(color.alpha) / 255
      return [color.blue, color.green, color.red].map { Double($0) * alpha } + [alpha * 255]
    }
    let (first, last) = (premultiplied(start), premultiplied(end))
    colors = (0...Self.steps).map { step in
      let part = Double(step) / Double(Self.steps)
      let bytes = zip(first, last).map { UInt32(($0 + ($1 - $0) * part).rounded()) }
      return bytes.reversed().reduce(0) { word, byte in word * 256 + byte }
    }
  }

  /// A picture of these colours, whose direction is clockwise from the right.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  func picture(of size: PixelSize, degrees: Double) throws(BitmapError) -> Bitmap {
    let (across, down) = (sinPi(degrees / 180 + 0.5), sinPi(degrees / 180))
    let width = Double(size.width - 1)
    let height = Double(size.height - 1)
    let length = width * across.magnitude + height * down.magnitude
    let rate = length > 0 ? Double(Self.steps) / length : 0
    let (columnRate, rowRate) = (across * rate, down * rate)
    let middle = Double(Self.steps) / 2
    var canvas = try Canvas(size: size, format: .bgra, zeroed: false)
    let stride = canvas.bytesPerRow
    canvas.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        let start = middle + (Double(y) - height / 2) * rowRate
        for x in 0..<size.width {
          let place = start + (Double(x) - width / 2) * columnRate
          // Half the time of a call to round.
          let step = Int(min(max(place, 0), Double(Self.steps)) + 0.5)
          bytes.storeBytes(of: colors[step], toByteOffset: y * stride + x * 4, as: UInt32.self)
        }
      }
    }
    return canvas.finish()
  }
}

extension Bitmap {
  /// A picture whose rows are grays, 0…1.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  static func rows(
    of size: PixelSize,
    _ gray: (Int) -> Double
  ) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgrx, zeroed: false)
    let stride = canvas.bytesPerRow
    canvas.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        let level = UInt32((min(max(gray(y), 0), 1) * 255).rounded())
        let pixel: UInt32 = level * 0x01_0101 + 0xFF00_0000
        for x in 0..<size.width {
          bytes.storeBytes(of: pixel, toByteOffset: y * stride + x * 4, as: UInt32.self)
        }
      }
    }
    return canvas.finish()
  }
}
