import Foundation
import IkranPixels
import TestBasics

/// A bitmap of straight pixels, row by row.
func bitmap(_ pixels: [Pixel], _ size: PixelSize, hasAlpha: Bool = true) throws -> Bitmap {
  var canvas = try Canvas(size: size, format: hasAlpha ? .bgra : .bgrx)
  let rowBytes = canvas.bytesPerRow
  canvas.withMutableBytes { bytes in
    for (place, pixel) in pixels.enumerated() {
      let start = place / size.width * rowBytes + place % size.width * 4
      for (channel, value) in [pixel.blue, pixel.green, pixel.red].enumerated() {
        bytes[start + channel] = UInt8((Int(value) * Int(pixel.alpha) + 127) / 255)
      }
      bytes[start + 3] = pixel.alpha
    }
  }
  return canvas.finish()
}

/// An opaque picture: red grows to the right, green downwards, blue is 128.
func gradient(width: Int, height: Int) throws -> Bitmap {
  let pixels = (0..<width * height).map { place in
    let (y, x) = place.quotientAndRemainder(dividingBy: width)
    return Pixel(UInt8(255 * x / max(1, width - 1)), UInt8(255 * y / max(1, height - 1)), 128)
  }
  return try bitmap(pixels, PixelSize(width: width, height: height), hasAlpha: false)
}

extension SeededGenerator {
  /// Pictures that each change a part of the one before: some get new pixels, some become clear,
  /// some stay as they are.
  mutating func pictures(
    _ count: Int,
    _ size: PixelSize,
    colors: Int,
    alphas: [UInt8] = [255]
  ) throws -> [Bitmap] {
    let palette = (0..<colors).map { _ in
      Pixel(
        UInt8.random(in: 0...255, using: &self),
        UInt8.random(in: 0...255, using: &self),
        UInt8.random(in: 0...255, using: &self),
        alphas.randomElement(using: &self) ?? 255
      )
    }
    let clear = Pixel(0, 0, 0, 0)
    var pixels = [Pixel](repeating: clear, count: size.width * size.height)
    if !alphas.contains(0) {
      pixels = pixels.map { _ in palette.randomElement(using: &self) ?? clear }
    }
    return try (0..<count).map { _ in
      let left = Int.random(in: 0..<size.width, using: &self)
      let top = Int.random(in: 0..<size.height, using: &self)
      let right = Int.random(in: left...size.width, using: &self)
      let bottom = Int.random(in: top...size.height, using: &self)
      let isErased = alphas.contains(0) && Int.random(in: 0..<3, using: &self) == 0
      let isSparse = Bool.random(using: &self)
      for y in top..<bottom {
        for x in left..<right where !isSparse || Bool.random(using: &self) {
          pixels[y * size.width + x] =
            isErased ? clear : palette.randomElement(using: &self) ?? clear
        }
      }
      return try bitmap(pixels, size, hasAlpha: alphas != [255])
    }
  }
}

extension Bitmap {
  /// The peak signal-to-noise ratio of red, green and blue against another bitmap, in decibels.
  func signalToNoise(_ other: Bitmap) throws -> Double {
    let (own, others) = (try straightRGBA(), try other.straightRGBA())
    var sum = 0.0
    for place in own.indices where place % 4 < 3 {
      let difference = Double(own[place]) - Double(others[place])
      sum += difference * difference
    }
    let mean = sum / Double(own.count / 4 * 3)
    return mean == 0 ? .infinity : 10 * log10(255 * 255 / mean)
  }
}
