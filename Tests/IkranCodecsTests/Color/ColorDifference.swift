import Glibc
import Testing

/// A colour of CIE 1976 L*a*b*.
struct Lab {
  var lightness, a, b: Double

  init(_ lightness: Double, _ a: Double, _ b: Double) {
    (self.lightness, self.a, self.b) = (lightness, a, b)
  }

  /// The colour of bytes of sRGB, with the white of D65.
  init(red: UInt8, green: UInt8, blue: UInt8) {
    let (red, green, blue) = (Self.light[Int(red)], Self.light[Int(green)], Self.light[Int(blue)])
    let x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    let y = 0.2126729 * red + 0.7151522 * green + 0.072175 * blue
    let z = (0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / 1.08883
    let (fx, fy, fz) = (Self.root(x), Self.root(y), Self.root(z))
    self.init(116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz))
  }

  private static let light: [Double] = (0..<256).map { byte in
    let value = Double(byte) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func root(_ part: Double) -> Double {
    part > 216 / 24389.0 ? cbrt(part) : (24389 / 27.0 * part + 16) / 116
  }

  /// CIEDE2000 (ISO/CIE 11664-6).
  func difference(to other: Lab) -> Double {
    let meanChroma = (hypot(a, b) + hypot(other.a, other.b)) / 2
    let factor = 1.5 - 0.5 * sqrt(pow(meanChroma, 7) / (pow(meanChroma, 7) + pow(25, 7)))
    let (one, two) = (a * factor, other.a * factor)
    let (chroma, otherChroma) = (hypot(one, b), hypot(two, other.b))
    let (hue, otherHue) = (Self.hue(one, b), Self.hue(two, other.b))
    var hueStep = otherHue - hue
    var meanHue = hue + otherHue
    if chroma * otherChroma == 0 {
      hueStep = 0
    } else if abs(hueStep) > 180 {
      hueStep += hueStep > 0 ? -360 : 360
      meanHue = (meanHue + (meanHue < 360 ? 360 : -360)) / 2
    } else {
      meanHue /= 2
    }
    let middle = (chroma + otherChroma) / 2
    let weight =
      1 - 0.17 * Self.cosine(meanHue - 30) + 0.24 * Self.cosine(2 * meanHue)
      + 0.32 * Self.cosine(3 * meanHue + 6) - 0.2 * Self.cosine(4 * meanHue - 63)
    let light = pow((lightness + other.lightness) / 2 - 50, 2)
    let lightStep = (other.lightness - lightness) / (1 + 0.015 * light / sqrt(20 + light))
    let chromaStep = (otherChroma - chroma) / (1 + 0.045 * middle)
    let hueDistance =
      2 * sqrt(chroma * otherChroma) * sin(hueStep / 360 * .pi) / (1 + 0.015 * middle * weight)
    let turn = 60 * exp(-pow((meanHue - 275) / 25, 2))
    let rotation =
      -2 * sqrt(pow(middle, 7) / (pow(middle, 7) + pow(25, 7)))
      * sin(turn / 180 * .pi)
    return sqrt(
      lightStep * lightStep + chromaStep * chromaStep + hueDistance * hueDistance
        + rotation * chromaStep * hueDistance
    )
  }

  private static func hue(_ a: Double, _ b: Double) -> Double {
    if a == 0, b == 0 { return 0 }
    let angle = atan2(b, a) / .pi * 180
    return angle < 0 ? angle + 360 : angle
  }

  private static func cosine(_ degrees: Double) -> Double { cos(degrees / 180 * .pi) }
}

/// How far the colours of two pictures are apart.
struct ColorDifferences: CustomStringConvertible {
  let mean, high, most: Double

  /// Compares pixels of blue, green, red and a fourth byte that does not matter.
  init(_ pixels: [UInt8], _ others: [UInt8]) {
    var distances: [Double] = []
    for start in stride(from: 0, to: min(pixels.count, others.count), by: 4) {
      func color(_ bytes: [UInt8]) -> Lab {
        Lab(red: bytes[start + 2], green: bytes[start + 1], blue: bytes[start])
      }
      let isSame = pixels[start..<start + 3] == others[start..<start + 3]
      distances.append(isSame ? 0 : color(pixels).difference(to: color(others)))
    }
    distances.sort()
    mean = distances.reduce(0, +) / Double(max(distances.count, 1))
    high = distances.isEmpty ? 0 : distances[distances.count * 99 / 100]
    most = distances.last ?? 0
  }

  var description: String { "mean \(round(mean)), 99 % \(round(high)), most \(round(most))" }

  private func round(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

struct ColorDifferenceTests {
  /// The test data of Sharma, Wu and Dalal (2005).
  private static let pairs: [(Lab, Lab, Double)] = [
    (Lab(50, 2.6772, -79.7751), Lab(50, 0, -82.7485), 2.0425),
    (Lab(50, 3.1571, -77.2803), Lab(50, 0, -82.7485), 2.8615),
    (Lab(50, 2.8361, -74.02), Lab(50, 0, -82.7485), 3.4412),
    (Lab(50, -1.3802, -84.2814), Lab(50, 0, -82.7485), 1),
    (Lab(50, -1.1848, -84.8006), Lab(50, 0, -82.7485), 1),
    (Lab(50, -0.9009, -85.5211), Lab(50, 0, -82.7485), 1),
    (Lab(50, 0, 0), Lab(50, -1, 2), 2.3669),
    (Lab(50, -1, 2), Lab(50, 0, 0), 2.3669),
    (Lab(50, 2.49, -0.001), Lab(50, -2.49, 0.0009), 7.1792),
    (Lab(50, 2.49, -0.001), Lab(50, -2.49, 0.0011), 7.2195),
    (Lab(50, -0.001, 2.49), Lab(50, 0.0009, -2.49), 4.8045),
    (Lab(50, -0.001, 2.49), Lab(50, 0.0011, -2.49), 4.7461),
    (Lab(50, 2.5, 0), Lab(50, 0, -2.5), 4.3065),
    (Lab(50, 2.5, 0), Lab(73, 25, -18), 27.1492),
    (Lab(50, 2.5, 0), Lab(61, -5, 29), 22.8977),
    (Lab(50, 2.5, 0), Lab(56, -27, -3), 31.903),
    (Lab(50, 2.5, 0), Lab(58, 24, 15), 19.4535),
    (Lab(50, 2.5, 0), Lab(50, 3.1736, 0.5854), 1),
    (Lab(60.2574, -34.0099, 36.2677), Lab(60.4626, -34.1751, 39.4387), 1.2644),
    (Lab(63.0109, -31.0961, -5.8663), Lab(62.8187, -29.7946, -4.0864), 1.263),
    (Lab(61.2901, 3.7196, -5.3901), Lab(61.4292, 2.248, -4.962), 1.8731),
    (Lab(35.0831, -44.1164, 3.7933), Lab(35.0232, -40.0716, 1.5901), 1.8645),
    (Lab(22.7233, 20.0904, -46.694), Lab(23.0331, 14.973, -42.5619), 2.0373),
    (Lab(36.4612, 47.858, 18.3852), Lab(36.2715, 50.5065, 21.2231), 1.4146),
    (Lab(90.8027, -2.0831, 1.441), Lab(91.1528, -1.6435, 0.0447), 1.4441),
    (Lab(90.9257, -0.5406, -0.9208), Lab(88.6381, -0.8985, -0.7239), 1.5381),
    (Lab(6.7747, -0.2908, -2.4247), Lab(5.8714, -0.0985, -2.2286), 0.6377),
    (Lab(2.0776, 0.0795, -1.135), Lab(0.9033, -0.0636, -0.5514), 0.9082),
  ]

  @Test func theDistanceOfColorsIsThatOfThePublishedPairs() {
    for (one, other, expected) in Self.pairs {
      #expect(abs(one.difference(to: other) - expected) < 0.0001, "\(one), \(other)")
    }
  }
}
