import IkranPixels
import Testing

/// A square of pixels whose mean a Kuwahara filter may choose.
private struct Square {
  var mean = [0.0, 0, 0]
  var variance = Double.infinity

  init(_ picture: ExactPicture, _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) {
    var (total, squares, sums) = (0.0, 0.0, [0.0, 0, 0])
    for y in rows {
      for x in columns {
        let pixel = picture.straight(x, y)
        total += pixel[3]
        for channel in 0..<3 {
          sums[channel] += pixel[3] * pixel[channel]
          squares += pixel[3] * pixel[channel] * pixel[channel]
        }
      }
    }
    guard total > 0 else { return }
    mean = sums.map { $0 / total }
    variance = squares / total - mean.reduce(0) { $0 + $1 * $1 }
  }
}

private func square(_ value: Double) -> Double { value * value }

private func bilateral(_ picture: ExactPicture, _ x: Int, _ y: Int, radius: Int) -> [Double] {
  let own = picture.straight(x, y)
  var (total, sums) = (0.0, [0.0, 0, 0])
  for dy in -radius...radius {
    for dx in -radius...radius {
      let other = picture.straight(x + dx, y + dy)
      var color = 0.0
      for channel in 0..<3 { color += square(own[channel] - other[channel]) }
      let near = Double(dx * dx + dy * dy) / 32
      let weight: Double = other[3] * exponential(-near - color / 0.18)
      for channel in 0..<3 { sums[channel] += weight * other[channel] }
      total += weight
    }
  }
  return own[3] == 0 ? own : ExactPicture.stored(sums.map { $0 / total } + [own[3]])
}

private func oil(_ picture: ExactPicture, _ x: Int, _ y: Int, radius: Int) -> [Double] {
  var bins = [[Int]](repeating: [0, 0, 0, 0], count: 9)
  for dy in -radius...radius {
    for dx in -radius...radius {
      let pixel = picture.at(x + dx, y + dy).map { Int($0) }
      let light = 721 * pixel[0] + 7154 * pixel[1] + 2125 * pixel[2]
      let level = pixel[3] == 0 ? 0 : min(8, light * 9 / (10_000 * pixel[3]))
      for channel in 0..<4 { bins[level][channel] += pixel[channel] }
    }
  }
  let own = picture.at(x, y)
  var best = bins[0]
  for bin in bins where bin[3] > best[3] { best = bin }
  if own[3] == 0 { return own }
  let painted = best[..<3].map { Double($0) / Double(best[3]) * own[3] }
  return (0..<3).map { own[$0] * 0.25 + painted[$0] * 0.75 } + [own[3]]
}

@Suite(.timeLimit(.minutes(10))) struct SpatialSmoothingTests {
  @Test(arguments: [1, 3, 15]) func aNarrowPictureIsSmoothedLikeAWideOne(width: Int) throws {
    let tall = try spatialNoise(PixelSize(width, 61), .bgra, seed: 36)
    let results = try [tall, tall.oriented(.leftMirrored)].map {
      try $0.bilateralBlurred(spatialSigma: 4, colorSigma: 0.3, radius: 5, workspace: Workspace())
    }
    #expect(try results[0].pixels == results[1].oriented(.leftMirrored).pixels)
  }

  @Test(arguments: [1, 5])
  func aBilateralBlurWeighsDistanceColourAndAlpha(radius: Int) throws {
    try expectSpatialFormula(seed: 31, sizes: Array(spatialSizes.prefix(4)) + [PixelSize(41, 9)]) {
      try $0.bilateralBlurred(spatialSigma: 4, colorSigma: 0.3, radius: radius, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { bilateral(exact, $0, $1, radius: radius) }
    }
  }

  @Test(arguments: [1, 3, 8])
  func aKuwaharaFilterTakesTheMeanOfTheCalmestSquare(radius: Int) throws {
    print("seed 32")
    for size in spatialSizes.prefix(4) + [PixelSize(31, 19)] {
      let image = try spatialNoise(size, .bgra, seed: 32)
      let exact = ExactPicture(image)
      let result = try spatiallyFiltered(image) { try $0.kuwahara(radius: radius, workspace: $1) }
      for y in 0..<size.height {
        for x in 0..<size.width {
          let squares = [x - radius...x, x...x + radius].flatMap { columns in
            [y - radius...y, y...y + radius].map { Square(exact, columns, $0) }
          }
          let least = squares.reduce(Double.infinity) { min($0, $1.variance) }
          let alpha = exact.at(x, y)[3]
          // Any of several squares that vary the same may be taken.
          let isFit = squares.contains { square in
            square.variance <= least + 1e-5
              && zip(result.pixel(x, y), square.mean.map { $0 * alpha } + [alpha])
                .allSatisfy { (Double($0) - $1).magnitude <= 1 }
          }
          #expect(isFit || alpha == 0 && result.pixel(x, y) == [0, 0, 0, 0], "\(size) \(x) \(y)")
        }
      }
    }
  }

  @Test(arguments: [1, 3])
  func anOilPaintingTakesTheMeanOfTheMostFrequentBrightness(radius: Int) throws {
    try expectSpatialFormula(seed: 33) {
      try $0.oilPainted(radius: radius, levels: 9, intensity: 0.75, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { oil(exact, $0, $1, radius: radius) }
    }
  }

  @Test func coloursOfClearPixelsDoNotLeak() throws {
    // A red disc on clear pixels stays pure red.
    let image = try picture(40, 40, .bgra) { x, y in
      (x - 20) * (x - 20) + (y - 20) * (y - 20) < 150 ? [0, 0, 255, 255] : [0, 0, 0, 0]
    }
    let filters: [(Bitmap, Workspace) throws -> Bitmap] = [
      { try $0.bilateralBlurred(spatialSigma: 5, colorSigma: 0.3, radius: 4, workspace: $1) },
      { try $0.kuwahara(radius: 4, workspace: $1) },
      { try $0.oilPainted(radius: 3, levels: 10, intensity: 1, workspace: $1) },
      { try $0.sharpened(2, workspace: $1) },
      { try $0.toon(levels: 1, threshold: 0.2, workspace: $1) },
    ]
    for filter in filters { #expect(try spatiallyFiltered(image, filter).pixels == image.pixels) }
  }

  @Test func nothingToSmoothReturnsTheBitmapItself() throws {
    let image = try noise(9, 7, .bgra)
    let space = Workspace()
    let blurred = try image.bilateralBlurred(
      spatialSigma: 9,
      colorSigma: 1,
      radius: 0,
      workspace: space
    )
    #expect(areOne(blurred, image))
    #expect(areOne(try image.kuwahara(radius: 0, workspace: space), image))
    let painted = try image.oilPainted(radius: 3, levels: 9, intensity: 0, workspace: space)
    #expect(areOne(painted, image))
  }
}
