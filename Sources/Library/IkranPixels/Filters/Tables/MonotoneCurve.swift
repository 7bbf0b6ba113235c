/// A smooth curve through points that rises and falls only where they do (Fritsch and Carlson,
/// 1980).
struct MonotoneCurve {
  private var places: [Double] = []
  private var values: [Double] = []
  private var slopes: [Double] = []

  /// Takes coordinates x, y, x, y …; of points with the same x the last counts.
  init(_ coordinates: [Double]) {
    let points = stride(from: 0, to: coordinates.count - 1, by: 2).map { index in
      (x: coordinates[index], y: coordinates[index + 1], index: index)
    }
    for point in points.sorted(by: { ($0.x, $0.index) < ($1.x, $1.index) }) {
      if places.last == point.x {
        values[values.count - 1] = point.y
      } else {
        places.append(point.x)
        values.append(point.y)
      }
    }
    slopes = Self.slopes(places, values)
  }

  private static func slopes(_ x: [Double], _ y: [Double]) -> [Double] {
    guard x.count > 1 else { return x.map { _ in 0 } }
    let secants: [Double] = (1..<x.count).map { index in
      let rise = y[index] - y[index - 1]
      return rise / (x[index] - x[index - 1])
    }
    var slopes = [secants[0]]
    for index in 1..<secants.count {
      let (before, after) = (secants[index - 1], secants[index])
      slopes.append(before * after <= 0 ? 0 : (before + after) / 2)
    }
    slopes.append(secants[secants.count - 1])
    for (index, secant) in secants.enumerated() {
      if secant == 0 {
        (slopes[index], slopes[index + 1]) = (0, 0)
        continue
      }
      let (left, right) = (slopes[index] / secant, slopes[index + 1] / secant)
      let length = (left * left + right * right).squareRoot()
      guard length > 3 else { continue }
      slopes[index] = 3 / length * left * secant
      slopes[index + 1] = 3 / length * right * secant
    }
    return slopes
  }

  /// The curve's height at `x`; before the first point and after the last it is level.
  func value(at x: Double) -> Double {
    guard let first = places.first, let last = places.last, x > first else {
      return values.first ?? x
    }
    guard x < last, let next = places.firstIndex(where: { $0 > x }) else {
      return values[values.count - 1]
    }
    let width = places[next] - places[next - 1]
    let part = (x - places[next - 1]) / width
    let rest = 1 - part
    let near = values[next - 1] * (1 + 2 * part) + slopes[next - 1] * width * part
    let far = values[next] * (3 - 2 * part) - slopes[next] * width * rest
    return near * rest * rest + far * part * part
  }
}
