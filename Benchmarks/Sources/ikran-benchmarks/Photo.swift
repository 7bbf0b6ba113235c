import Ikran

/// A picture that compresses like a photo: soft noise of many sizes, made from a seed.
enum Photo {
  /// Draws an opaque photo.
  ///
  /// - Parameters:
  ///   - size: Width and height in pixels.
  ///   - seed: Equal seeds give equal pictures.
  /// - Returns: A picture of the format `.bgrx`.
  /// - Throws: ``BitmapError`` when memory runs out.
  static func draw(_ size: PixelSize, seed: UInt32) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgrx)
    let stride = canvas.bytesPerRow
    var light = [Float](repeating: 0, count: size.width)
    var blue = light
    var red = light
    let grain = Octaves(seed: seed, shortest: 2, longest: 512, roughness: 0.9)
    let tint = Octaves(seed: seed &+ 77, shortest: 32, longest: 512, roughness: 0.9)
    let warmth = Octaves(seed: seed &+ 991, shortest: 32, longest: 512, roughness: 0.9)
    for y in 0..<size.height {
      grain.fill(&light, y: y, amplitude: 270)
      tint.fill(&blue, y: y, amplitude: 45)
      warmth.fill(&red, y: y, amplitude: 45)
      canvas.withMutableBytes { bytes in
        for x in 0..<size.width {
          let at = y * stride + x * 4
          bytes[at] = byte(128 + light[x] + blue[x])
          bytes[at + 1] = byte(128 + light[x] - 0.3 * blue[x] - 0.4 * red[x])
          bytes[at + 2] = byte(128 + light[x] + red[x])
          bytes[at + 3] = 255
        }
      }
    }
    return canvas.finish()
  }

  private static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value, 0), 255)) }
}

/// Value noise: smooth random fields whose wavelengths double, each weaker than the next longer.
private struct Octaves {
  private let seed: UInt32
  private let wavelengths: [Int]
  private let weights: [Float]

  init(seed: UInt32, shortest: Int, longest: Int, roughness: Float) {
    self.seed = seed
    var wavelengths: [Int] = []
    var weights: [Float] = []
    var wavelength = longest
    var weight: Float = 1
    while wavelength >= shortest {
      wavelengths.append(wavelength)
      weights.append(weight)
      wavelength /= 2
      weight *= roughness
    }
    self.wavelengths = wavelengths
    let total = weights.reduce(0, +)
    self.weights = weights.map { $0 / total }
  }

  /// Writes row `y` of the field, in -amplitude…amplitude.
  func fill(_ row: inout [Float], y: Int, amplitude: Float) {
    for x in row.indices { row[x] = 0 }
    for (octave, wavelength) in wavelengths.enumerated() {
      let cell = y / wavelength
      let down = eased(Float(y % wavelength) / Float(wavelength))
      let weight = weights[octave] * amplitude
      var x = 0
      var column = 0
      var left = corner(column, cell, octave, down)
      while x < row.count {
        let right = corner(column + 1, cell, octave, down)
        for step in 0..<min(wavelength, row.count - x) {
          let across = eased(Float(step) / Float(wavelength))
          row[x + step] += weight * (left + (right - left) * across)
        }
        x += wavelength
        column += 1
        left = right
      }
    }
  }

  private func corner(_ x: Int, _ y: Int, _ octave: Int, _ down: Float) -> Float {
    let top = lattice(x, y, octave)
    return top + (lattice(x, y + 1, octave) - top) * down
  }

  /// A value in -1…1 that depends only on its position and the seed.
  private func lattice(_ x: Int, _ y: Int, _ octave: Int) -> Float {
    var hash = seed &+ UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1
    hash = (hash ^ (hash >> 15)) &+ UInt32(truncatingIfNeeded: y) &* 0x85EB_CA77
    hash = (hash ^ (hash >> 13)) &+ UInt32(truncatingIfNeeded: octave) &* 0xC2B2_AE3D
    hash = (hash ^ (hash >> 16)) &* 0x27D4_EB2F
    hash ^= hash >> 15
    return Float(hash) / Float(UInt32.max) * 2 - 1
  }

  private func eased(_ t: Float) -> Float { t * t * (3 - 2 * t) }
}
