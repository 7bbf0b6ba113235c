import IkranPixels
import Testing

/// Ranks of squares against sorted values.
@Suite(.timeLimit(.minutes(10)))
struct RankTests {
  /// Each channel's values in the square around a pixel, in order.
  private func sorted(_ exact: ExactPicture, _ x: Int, _ y: Int, radius: Int) -> [[Double]] {
    var values = [[Double]](repeating: [], count: 4)
    for dy in -radius...radius {
      for dx in -radius...radius {
        for (channel, value) in exact.at(x + dx, y + dy).enumerated() {
          values[channel].append(value)
        }
      }
    }
    return values.map { $0.sorted() }
  }

  @Test(arguments: [1, 2, 5]) func aMedianIsTheMiddleOfTheSquare(radius: Int) throws {
    try expectSpatialFormula(
      seed: 61,
      sizes: [.init(1, 1), .init(1, 9), .init(13, 8)],
      tolerance: 0
    ) {
      try $0.filtered([.median(radius: Double(radius))], workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        sorted(exact, x, y, radius: radius).map { $0[$0.count / 2] }
      }
    }
  }

  @Test(arguments: [1, 3, 8, 40]) func erosionTakesTheSmallest(radius: Int) throws {
    try expectSpatialFormula(
      seed: 62,
      sizes: [.init(1, 1), .init(9, 1), .init(19, 7)],
      tolerance: 0
    ) {
      try $0.filtered([.erode(radius: Double(radius))], workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        sorted(exact, x, y, radius: radius).compactMap(\.first)
      }
    }
  }

  @Test(arguments: [1, 3, 8, 40]) func dilationTakesTheLargest(radius: Int) throws {
    try expectSpatialFormula(
      seed: 63,
      sizes: [.init(1, 1), .init(1, 9), .init(19, 7)],
      tolerance: 0
    ) {
      try $0.filtered([.dilate(radius: Double(radius))], workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        sorted(exact, x, y, radius: radius).compactMap(\.last)
      }
    }
  }

  @Test func theWidestSquaresEndInAnyPicture() throws {
    for size in [PixelSize(1, 1), PixelSize(1, 50), PixelSize(50, 1)] {
      let image = try spatialNoise(size, .bgra, seed: 64)
      for filter in [Filter.median(radius: 32), .erode(radius: 100), .dilate(radius: 100)] {
        _ = try spatiallyFiltered(image) { try $0.filtered([filter], scale: 9, workspace: $1) }
      }
    }
  }
}
