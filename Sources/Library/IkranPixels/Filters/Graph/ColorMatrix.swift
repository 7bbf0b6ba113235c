/// Three rows, of red, green and blue: three factors and an offset each; results are clamped.
struct ColorMatrix: Sendable, Hashable {
  /// Weights of red, green and blue in the luma of filters; the kernels' are `ikran_luma_red` and
  /// so on.
  static let luma = RGB(0.2125, 0.7154, 0.0721)
  static let identity = ColorMatrix(scale: RGB(1, 1, 1), offset: RGB(0, 0, 0))

  /// Twelve numbers, row by row.
  let values: [Double]

  init(_ values: [Double]) {
    precondition(values.count == 12, "A colour matrix has twelve numbers.")
    self.values = values
  }

  /// Each channel by itself.
  init(scale: RGB, offset: RGB) {
    self.init([
      scale.red, 0, 0, offset.red, 0, scale.green, 0, offset.green, 0, 0, scale.blue, offset.blue,
    ])
  }

  /// Every channel alike.
  init(scale: Double, offset: Double) {
    self.init(scale: RGB(scale, scale, scale), offset: RGB(offset, offset, offset))
  }

  /// The same gray in all channels.
  init(gray weights: RGB) {
    let row = [weights.red, weights.green, weights.blue, 0]
    self.init(row + row + row)
  }

  /// What lies between doing nothing and this, at `share` from 0 to 1; beyond, it leads further.
  func mixed(_ share: Double) -> ColorMatrix {
    ColorMatrix(
      zip(Self.identity.values, values).map { nothing, all in nothing + (all - nothing) * share }
    )
  }

  /// This one, then `next`, as one.
  func followed(by next: ColorMatrix) -> ColorMatrix {
    var product = [Double](repeating: 0, count: 12)
    for row in 0..<3 {
      for column in 0..<4 {
        var sum = column == 3 ? next.values[row * 4 + 3] : 0
        for inner in 0..<3 { sum += next.values[row * 4 + inner] * values[inner * 4 + column] }
        product[row * 4 + column] = sum
      }
    }
    return ColorMatrix(product)
  }

  /// Whether no result lies outside 0…1, so that nothing is clamped.
  var staysInRange: Bool {
    (0..<3).allSatisfy { row in
      let factors = values[row * 4..<row * 4 + 3]
      let (low, high) = (
        factors.filter { $0 < 0 }.reduce(0, +), factors.filter { $0 > 0 }.reduce(0, +)
      )
      let offset = values[row * 4 + 3]
      return offset + low > -1e-6 && offset + high < 1 + 1e-6
    }
  }

  var isPerChannel: Bool {
    [1, 2, 4, 6, 8, 9].allSatisfy { values[$0] == 0 }
  }
}
