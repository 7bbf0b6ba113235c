extension ColorGrid {
  /// The grid of a profile of three or four samples; nil when LittleCMS refuses it.
  init?(of profile: borrowing ColorProfileHandle, _ model: ColorModel) {
    let isCMYK = model == .cmyk
    let side = isCMYK ? 17 : 33
    let line = Curve.line
    let curves = isCMYK ? [line, line, line, line] : Self.curves(of: profile)
    let steps = curves.map { curve in
      (0..<side).map { Float(curve.place(of: Double($0) / Double(side - 1))) }
    }
    let count = steps.reduce(1) { product, _ in product * side }
    var samples: [Float] = []
    samples.reserveCapacity(count * steps.count)
    for node in 0..<count {
      var (rest, color) = (node, SIMD4<Float>())
      for (dimension, step) in steps.enumerated() {
        color[dimension] = step[rest % side]
        rest /= side
      }
      // The first byte of a pixel is blue, that of inks is cyan.
      if isCMYK {
        samples += [color.x, color.y, color.z, color.w]
      } else {
        samples += [color.z, color.y, color.x]
      }
    }
    guard let colors = profile.colors(of: samples, model) else { return nil }
    self.init(colors, side: side, positions: curves.map(\.values))
  }

  /// Curves of blue, green and red that make steps of grays about even, as they are in sRGB.
  ///
  /// A grid with even steps of linear light would have hardly any node in the dark.
  private static func curves(of profile: borrowing ColorProfileHandle) -> [Curve] {
    let grays = (0..<256).flatMap { [Float](repeating: Float($0) / 255, count: 3) }
    guard let colors = profile.colors(of: grays, .rgb) else {
      return [Curve.line, .line, .line]
    }
    return [2, 1, 0].map { channel in
      Curve((0..<256).map { Double(colors[$0 * 3 + channel]) })
    }
  }
}

/// A rising curve from 0 to 1 at 256 places.
private struct Curve {
  let values: [Double]

  static let line = Curve(values: (0..<256).map { Double($0) / 255 })

  private init(values: [Double]) { self.values = values }

  /// A curve between a line and what is measured; a line where that does not rise.
  init(_ measured: [Double]) {
    let bounded = measured.map { $0 > 0 ? min($0, 1) : 0 }
    let (low, high) = (bounded[0], bounded[255])
    let rises = zip(bounded, bounded.dropFirst()).allSatisfy { $1 >= $0 - 0.01 }
    guard high - low > 0.5, rises else {
      self = .line
      return
    }
    var last = 0.0
    values = bounded.indices.map { index in
      let share = (bounded[index] - low) / (high - low)
      last = max(last, (share + Double(index) / 255) / 2)
      return last
    }
  }

  /// Where the curve reaches a value of 0…1.
  func place(of value: Double) -> Double {
    guard let upper = values.firstIndex(where: { $0 >= value }) else { return 1 }
    guard upper > 0 else { return 0 }
    let (low, high) = (values[upper - 1], values[upper])
    return (Double(upper - 1) + (value - low) / (high - low)) / 255
  }
}
