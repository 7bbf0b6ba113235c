/// A curve for each channel, straight between its values.
final class PointTable: Sendable {
  /// The values of each channel, two or more.
  let count: Int
  /// Red's values, then green's and blue's, 0…1.
  let values: [Float]
  /// Lower bounds of red, green and blue, then factors to 0…1.
  let domain: [Double]

  /// Takes as many values of each channel, for colours from `low` to `high`.
  init(
    red: [Double],
    green: [Double],
    blue: [Double],
    domain: (low: [Double], high: [Double]) = ([0, 0, 0], [1, 1, 1])
  ) {
    count = red.count
    precondition(count > 1 && green.count == count && blue.count == count, "Curves are alike.")
    values = (red + green + blue).map { Float(min(max($0, 0), 1)) }
    self.domain = domain.low + zip(domain.low, domain.high).map { 1 / ($1 - $0) }
  }
}
