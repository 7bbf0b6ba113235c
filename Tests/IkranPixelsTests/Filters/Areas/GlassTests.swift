import IkranPixels
import TestBasics
import Testing

/// A ball of glass, and matrices of places, against their formulas.
@Suite(.timeLimit(.minutes(10)))
struct GlassTests {
  @Test(arguments: [(0.71, 0.4, 0.5), (0, 0.25, 0.2), (0.99, 0.9, 1)])
  func aBallBendsLightBySnellsLaw(ratio: Double, radius: Double, x: Double) throws {
    try expectSpatialFormula(seed: 101) {
      try $0.filtered([.glassSphere(ratio, radius: radius, x: x, y: 0.6)], workspace: $1)
    } formula: { exact in
      let (w, h) = (Double(exact.width), Double(exact.height))
      let length = radius * min(w, h)
      return ExactPicture(like: exact) { column, row in
        let (dx, dy) = (Double(column) + 0.5 - x * w, Double(row) + 0.5 - 0.6 * h)
        let distance = (dx * dx + dy * dy).squareRoot()
        let own = exact.at(column, row)
        let covered = min(max(length + 0.5 - distance, 0), 1)
        if covered == 0 { return own }
        let square = min(distance / length, 1) * min(distance / length, 1)
        let height = (1 - square).squareRoot()
        let bend = (1 - ratio * ratio * square).squareRoot() - ratio * height
        let reach = bend / (1 - ratio * ratio).squareRoot() / length
        let light = 1 - (1 - height) * (1 - height) / 2
        let seen = exact.bilinear(w / 2 * (1 - dx * reach), h / 2 * (1 - dy * reach))
        let shaded = seen[..<3].map { $0 * light } + [seen[3]]
        return zip(own, shaded).map { $0 + covered * ($1 - $0) }
      }
    }
  }

  @Test func aBallShowsThePictureUpsideDown() throws {
    let halves = try picture(101, 101) { _, y in y < 50 ? [250, 0, 0, 255] : [0, 0, 250, 255] }
    let result = try halves.filtered([.glassSphere(0.5, radius: 0.4)])
    #expect(result.pixel(50, 40)[0] < result.pixel(50, 40)[2])
    #expect(result.pixel(50, 60)[0] > result.pixel(50, 60)[2])
    #expect(result.pixel(2, 40) == [250, 0, 0, 255])
  }

  /// What a matrix leaves of a picture, by asking for each pixel where it comes from.
  private func moved(_ exact: ExactPicture, _ values: [Double]) -> ExactPicture {
    let (a, b, c, d) = (values[0], values[1], values[3], values[4])
    let determinant = a * d - b * c
    return ExactPicture(like: exact) { column, row in
      let x = Double(column) - Double(exact.width - 1) / 2 - values[2]
      let y = Double(row) - Double(exact.height - 1) / 2 - values[5]
      let u = (d * x - b * y) / determinant + Double(exact.width - 1) / 2
      let v = (a * y - c * x) / determinant + Double(exact.height - 1) / 2
      var sum = [0.0, 0, 0, 0]
      for top in [v.rounded(.down), v.rounded(.down) + 1] {
        for left in [u.rounded(.down), u.rounded(.down) + 1] {
          guard (0..<Double(exact.width)).contains(left), (0..<Double(exact.height)).contains(top)
          else { continue }
          let share = (1 - (u - left).magnitude) * (1 - (v - top).magnitude)
          for (index, value) in exact.at(Int(left), Int(top)).enumerated() {
            sum[index] += value * share
          }
        }
      }
      return sum
    }
  }

  @Test(arguments: [
    [0.8, 0.3, 0, -0.1, 0.8, 0], [1, 0, 2.5, 0, 1, -1.25], [-1.3, 0.2, 0, 0.4, 2, 3],
    [0.1, 0, 0, 0, 0.1, 0], [0, 1, 0, 1, 0, 0],
  ])
  func aMatrixMovesEveryPlace(values: [Double]) throws {
    for size in spatialSizes {
      let image = try spatialNoise(size, .bgra, seed: 102)
      let result = try spatiallyFiltered(image) {
        try $0.filtered([.affine(values)], workspace: $1)
      }
      #expect(largestSpatialError(result, moved(ExactPicture(image), values)) <= 1, "\(size)")
    }
  }

  @Test func wholePixelsMoveExactlyAndLeaveClearOnes() throws {
    let image = try picture(6, 4) { x, y in [UInt8(x * 40), UInt8(y * 60), 9, 255] }
    let result = try image.filtered([.affine([1, 0, 1, 0, 1, 2])], scale: 2)
    #expect(result.size == image.size)
    for y in 0..<4 {
      for x in 0..<6 {
        let pixel = result.pixel(x, y)
        #expect(pixel == (x >= 2 && y >= 4 ? image.pixel(x - 2, y - 4) : [0, 0, 0, 0]))
      }
    }
    let right = try image.filtered([.affine([1, 0, 1])])
    #expect(right.pixel(0, 1) == [0, 0, 0, 0])
    #expect(right.pixel(3, 1) == image.pixel(2, 1))
  }

  @Test func aMatrixOfALineLeavesNothing() throws {
    let image = try spatialNoise(PixelSize(7, 5), .bgrx, seed: 103)
    // The last one's determinant is not zero in floating point.
    let lines: [[Double]] = [
      [0, 0, 0, 0, 0, 0], [1, 2, 0, 2, 4, 0], [0, 0, 5, 0, 1, 5],
      [5106.7326, 15320.1978, 0, 3016.4835, 9049.4505, 0],
    ]
    for values in lines {
      #expect(try image.filtered([.affine(values)]).pixels.allSatisfy { $0 == 0 })
    }
  }

  @Test func theIdentityReturnsTheBitmapItself() throws {
    let image = try spatialNoise(PixelSize(7, 5), .bgrx, seed: 104)
    #expect(areOne(try image.filtered([.affine([])]), image))
    #expect(areOne(try image.filtered([.affine([1, 0, 0, 0, 1, 0, 9, 9])]), image))
    #expect(areOne(try image.filtered([.glassSphere(radius: 0)]), image))
  }
}
