/// Colours that a curve and chromaticities describe, without a profile.
struct PlainColors: Sendable, Hashable {
  var curve: TransferCurve
  var colors: Chromaticities
  /// Whether black is 16 of 255 and white 235, or 256 times as much of 65,535.
  var isNarrow = false

  static let sRGB = PlainColors(curve: .sRGB, colors: .sRGB)
  static let adobeRGB = PlainColors(curve: .exponent(563 / 256.0), colors: .adobeRGB)

  /// The light of samples of 0…1, which are of 16 bits when `isDeep` is true.
  func light(of samples: [Float], isDeep: Bool) -> [Float] {
    let last = isDeep ? 65_535 / 256.0 : 255
    return samples.map { sample in
      let value = Double(sample)
      return Float(curve.light(of: isNarrow ? (value * last - 16) / 219 : value))
    }
  }
}

extension PlainColors {
  /// PNG's gAMA and cHRM.
  init(gamma: Double?, primaries: Chromaticities?) throws(ColorFault) {
    colors = primaries ?? .sRGB
    guard let gamma else {
      curve = .sRGB
      return
    }
    guard gamma >= 0.05, gamma <= 20 else { throw .impossibleColors }
    // Writers of sRGB round its curve to this power.
    curve = abs(gamma - 0.45455) < 0.0005 ? .sRGB : .exponent(1 / gamma)
  }

  /// Code points of ITU-T H.273, 8.1 to 8.3.
  init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) throws(ColorFault) {
    guard matrix == 0, let colors = Chromaticities(codePoint: primaries),
      let curve = TransferCurve(codePoint: transfer)
    else {
      throw .unsupportedCodePoints(
        primaries: Int(primaries),
        transfer: Int(transfer),
        matrix: Int(matrix)
      )
    }
    self.init(curve: curve, colors: colors, isNarrow: !isFullRange)
  }
}

extension TransferCurve {
  fileprivate init?(codePoint: UInt8) {
    switch codePoint {
    case 1, 6, 14, 15: self = .bt709
    case 4: self = .exponent(2.2)
    case 5: self = .exponent(2.8)
    case 7: self = .st240
    case 8: self = .exponent(1)
    case 13: self = .sRGB
    case 16: self = .pq
    case 18: self = .hlg
    default: return nil
    }
  }
}

extension Chromaticities {
  fileprivate init?(codePoint: UInt8) {
    let (red, green, blue, white): (Point, Point, Point, Point)
    switch codePoint {
    case 1:
      self = .sRGB
      return
    case 4:
      (red, green, blue) = (Point(0.67, 0.33), Point(0.21, 0.71), Point(0.14, 0.08))
      white = Point(0.31, 0.316)
    case 5:
      (red, green, blue) = (Point(0.64, 0.33), Point(0.29, 0.6), Point(0.15, 0.06))
      white = .d65
    case 6, 7:
      (red, green, blue) = (Point(0.63, 0.34), Point(0.31, 0.595), Point(0.155, 0.07))
      white = .d65
    case 8:
      (red, green, blue) = (Point(0.681, 0.319), Point(0.243, 0.692), Point(0.145, 0.049))
      white = Point(0.31, 0.316)
    case 9:
      (red, green, blue) = (Point(0.708, 0.292), Point(0.17, 0.797), Point(0.131, 0.046))
      white = .d65
    case 11, 12:
      (red, green, blue) = (Point(0.68, 0.32), Point(0.265, 0.69), Point(0.15, 0.06))
      white = codePoint == 12 ? .d65 : Point(0.314, 0.351)
    case 22:
      (red, green, blue) = (Point(0.63, 0.34), Point(0.295, 0.605), Point(0.155, 0.077))
      white = .d65
    default: return nil
    }
    self.init(white: white, red: red, green: green, blue: blue)
  }

  /// Whether a white can be made of the three lights, so that there is a matrix.
  var arePossible: Bool {
    let points = [white, red, green, blue]
    guard points.allSatisfy({ abs($0.x) <= 2 && abs($0.y) <= 2 && abs($0.y) >= 1e-4 }) else {
      return false
    }
    let area =
      (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
    return abs(area) >= 1e-4 && white.x >= 0.05 && white.y >= 0.05 && white.x + white.y <= 1
  }
}

extension Chromaticities.Point {
  fileprivate init(_ x: Double, _ y: Double) { self.init(x: x, y: y) }
}
