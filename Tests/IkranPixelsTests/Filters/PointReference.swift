import IkranPixels
import TestBasics
import Testing

/// A straight colour and its place; all of 0…1.
struct PointPixel {
  var r, g, b, a: Double
  var x = 0.0
  var y = 0.0

  var channels: [Double] { [r, g, b] }
  var luma: Double { 0.2125 * r + 0.7154 * g + 0.0721 * b }

  /// The same alpha with other colours.
  func with(_ channels: [Double]) -> [Double] { channels + [a] }
  func each(_ body: (Double) -> Double) -> [Double] { with(channels.map(body)) }
  func gray(_ value: Double) -> [Double] { with([value, value, value]) }

  /// Rows of three factors and an offset.
  func multiplied(_ rows: [[Double]]) -> [Double] {
    with(rows.map { $0[0] * r + $0[1] * g + $0[2] * b + ($0.count > 3 ? $0[3] : 0) })
  }

  /// This much of the way to other channels.
  func mixed(_ share: Double, _ other: [Double]) -> [Double] {
    with(zip(channels, other).map { $0 + ($1 - $0) * share })
  }
}

/// One row ends within a block of 256 pixels.
let pointSizes = spatialSizes + [PixelSize(width: 300, height: Sanitizer.watchesThreads ? 1 : 5)]

/// Compares a chain with a formula in double precision, which gives red, green, blue and alpha or nil
/// where the exact value is next to a jump.
func expectPoints(
  _ filters: [Filter],
  seed: UInt64,
  formats: [PixelFormat] = [.bgra, .bgrx],
  sourceLocation: SourceLocation = #_sourceLocation,
  formula: (PointPixel) -> [Double]?
) throws {
  print("seed \(seed)")
  for format in formats {
    for size in pointSizes {
      let image = try spatialNoise(size, format, seed: seed)
      let result = try spatiallyFiltered(image) { try $0.filtered(filters, workspace: $1) }
      let (exact, pixels) = (ExactPicture(image), result.pixels)
      var worst = 0.0
      for y in 0..<size.height {
        for x in 0..<size.width {
          guard let wanted = formula(pixel(exact, x, y)) else { continue }
          let clamped = wanted[..<3].map { min(max($0, 0), 1) * wanted[3] * 255 }
          let stored = [clamped[2], clamped[1], clamped[0], wanted[3] * 255]
          let first = (y * size.width + x) * 4
          for channel in 0..<4 {
            let error = (Double(pixels[first + channel]) - stored[channel]).magnitude
            worst = max(worst, error)
          }
        }
      }
      #expect(worst <= 1, "\(filters) \(size) \(format)", sourceLocation: sourceLocation)
    }
  }
}

private func pixel(_ exact: ExactPicture, _ x: Int, _ y: Int) -> PointPixel {
  let straight = exact.straight(x, y)
  return PointPixel(
    r: straight[2],
    g: straight[1],
    b: straight[0],
    a: straight[3],
    x: (Double(x) + 0.5) / Double(exact.width),
    y: (Double(y) + 0.5) / Double(exact.height)
  )
}

/// A step that is smooth.
func smoothStep(_ from: Double, _ to: Double, _ value: Double) -> Double {
  let t = min(max((value - from) / (to - from), 0), 1)
  return t * t * (3 - 2 * t)
}
