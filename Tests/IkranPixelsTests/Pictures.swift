import IkranPixels
import Testing

extension PixelSize {
  init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }
}

extension Bitmap {
  /// The bytes of every pixel, rows without padding.
  var pixels: [UInt8] {
    (0..<height).flatMap { y in
      withRow(y) { row in row.indices.map { row[$0] } }
    }
  }

  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    withRow(y) { row in
      let first = x * format.bytesPerPixel
      return (0..<format.bytesPerPixel).map { row[first + $0] }
    }
  }
}

/// A bitmap whose pixel (x, y) has the bytes that `paint` returns.
func picture(
  _ width: Int,
  _ height: Int,
  _ format: PixelFormat = .bgrx,
  paint: (Int, Int) -> [UInt8]
) throws -> Bitmap {
  var canvas = try Canvas(size: PixelSize(width, height), format: format)
  let stride = canvas.bytesPerRow
  canvas.withMutableBytes { bytes in
    for y in 0..<height {
      for x in 0..<width {
        for (channel, byte) in paint(x, y).enumerated() {
          bytes[y * stride + x * format.bytesPerPixel + channel] = byte
        }
      }
    }
  }
  return canvas.finish()
}

/// A small generator, so that a test's picture is the same on every run.
struct Dice {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func byte() -> UInt8 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 40)
  }
}

/// Noise: the hardest picture to resample.
///
/// Colours stay at or below their alpha.
func noise(
  _ width: Int,
  _ height: Int,
  _ format: PixelFormat = .bgrx,
  seed: UInt64 = 7
) throws -> Bitmap {
  var dice = Dice(seed: seed)
  return try picture(width, height, format) { _, _ in
    let alpha: UInt8 = format == .bgra ? dice.byte() : 255
    let colors = (0..<3).map { _ in UInt8(Int(dice.byte()) * Int(alpha) / 255) }
    return Array((colors + [alpha]).prefix(format.bytesPerPixel))
  }
}

/// Soft gradients, hard edges and a little noise, as in a photo.
func photo(_ width: Int, _ height: Int, seed: UInt64 = 7) throws -> Bitmap {
  var dice = Dice(seed: seed)
  return try picture(width, height) { x, y in
    let across = Double(x) / Double(width)
    let down = Double(y) / Double(height)
    let disc = (across - 0.4) * (across - 0.4) + (down - 0.5) * (down - 0.5) < 0.07 ? 90.0 : 0
    let stripe = Int(across * 14 + down * 5) % 4 == 0 ? 45.0 : 0
    let bases: [Double] = [across * 120, down * 120, (1 - across * down) * 110]
    let colors: [UInt8] = bases.map { base in
      let grain = Double(dice.byte() % 12)
      return UInt8(base + disc + stripe + grain)
    }
    return colors + [255]
  }
}
