import IkranPixels
import TestBasics

/// A picture with smooth parts, noise, and pixels that come again.
struct RandomPicture {
  let size: PixelSize
  /// Straight alpha, row after row.
  let pixels: [Pixel]

  init(_ size: PixelSize, seed: UInt64, hasAlpha: Bool = false) {
    self.size = size
    var random = SeededGenerator(seed: seed)
    var pixels: [Pixel] = []
    var last = Pixel(0, 0, 0)
    func noise(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    for _ in 0..<size.width * size.height {
      switch noise(0...9) {
      case 0...3: break
      case 4, 5: last = pixels.randomElement(using: &random) ?? last
      case 6, 7: last = Self.near(last, noise(-2...1), noise(-2...1), noise(-2...1))
      case 8: last = Self.near(last, noise(-30...30), noise(-30...30), noise(-30...30))
      default:
        let alpha = hasAlpha ? [0, 1, 77, 128, 255][noise(0...4)] : 255
        let colors = (0..<3).map { _ in UInt8(noise(0...255)) }
        last = Pixel(colors[0], colors[1], colors[2], UInt8(alpha))
      }
      pixels.append(last)
    }
    self.pixels = pixels
  }

  private static func near(_ pixel: Pixel, _ red: Int, _ green: Int, _ blue: Int) -> Pixel {
    Pixel(
      pixel.red &+ UInt8(truncatingIfNeeded: red),
      pixel.green &+ UInt8(truncatingIfNeeded: green),
      pixel.blue &+ UInt8(truncatingIfNeeded: blue),
      pixel.alpha
    )
  }

  /// The pixels as a bitmap has them.
  var premultiplied: [Pixel] { pixels.map(\.premultiplied) }
}

extension Pixel {
  /// The pixel with colours multiplied by alpha, rounded to the nearest.
  var premultiplied: Pixel {
    func product(_ level: UInt8) -> UInt8 { UInt8((Int(level) * Int(alpha) + 127) / 255) }
    return Pixel(product(red), product(green), product(blue), alpha)
  }
}

/// The four bytes of a number, the low one first.
func littleEndian4(_ value: Int) -> [UInt8] {
  [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// The two bytes of a number, the low one first.
func littleEndian2(_ value: Int) -> [UInt8] {
  [0, 8].map { UInt8(truncatingIfNeeded: value >> $0) }
}
