@testable import IkranPixels
import Testing

/// The weights of a motion or zoom blur at any number of steps.
private func lineWeight(_ steps: Double) -> Double {
  let table = [0.18, 0.15, 0.12, 0.09, 0.05, 0.05]
  let low = min(4, Int(steps.magnitude))
  return table[low] + (steps.magnitude - Double(low)) * (table[low + 1] - table[low])
}

/// The weighted mean of bilinear samples along a line; `spacing` is in steps.
private func line(
  _ picture: ExactPicture,
  x: Double,
  y: Double,
  step: (x: Double, y: Double),
  count: Int,
  spacing: Double
) -> [Double] {
  var sum = [0.0, 0, 0, 0]
  var total = 0.0
  for tap in -count...count {
    let at = Double(tap) * spacing
    let sample = picture.bilinear(x + at * step.x, y + at * step.y)
    let weight = lineWeight(at)
    for channel in 0..<4 { sum[channel] += weight * sample[channel] }
    total += weight
  }
  return sum.map { $0 / total }
}

private func mean(_ picture: ExactPicture, _ x: Int, _ y: Int, radius: Double) -> [Double] {
  let reach = Int(radius) + 1
  let edge = radius - Double(Int(radius))
  var sum = [0.0, 0, 0, 0]
  for dy in -reach...reach {
    for dx in -reach...reach {
      let weight = (abs(dx) == reach ? edge : 1) * (abs(dy) == reach ? edge : 1)
      let pixel = picture.at(x + dx, y + dy)
      for channel in 0..<4 { sum[channel] += weight * pixel[channel] }
    }
  }
  let side = 2 * radius + 1
  return sum.map { $0 / (side * side) }
}

@Suite(.timeLimit(.minutes(10))) struct SpatialBlurTests {
  @Test(arguments: [0.25, 1, 2.7, 30])
  func aMeanBlurIsTheMeanOfASquare(radius: Double) throws {
    let sizes = radius > 10 ? Array(spatialSizes.prefix(3)) : spatialSizes
    try expectSpatialFormula(seed: 21, sizes: sizes) {
      try $0.meanBlurred(radius: radius, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { mean(exact, $0, $1, radius: radius) }
    }
  }

  @Test(arguments: [0.4, 1, 1.6, 3], [0.0, 33, 90, -160])
  func aMotionBlurIsAWeightedMeanOfALine(step: Double, degrees: Double) throws {
    let angle = degrees * Double.pi / 180
    let count = step <= 1 ? 4 : Int(4 * step)
    let spacing = step <= 1 ? 1 : 1 / step
    let (across, down) = (cosine(angle) * step, sine(angle) * step)
    try expectSpatialFormula(seed: 22, sizes: Array(spatialSizes.dropLast())) {
      try $0.motionBlurred(step: step, degrees: degrees, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        let (x, y) = (Double(x) + 0.5, Double(y) + 0.5)
        return line(exact, x: x, y: y, step: (across, down), count: count, spacing: spacing)
      }
    }
  }

  @Test func aLongMotionBlurHas129TapsAtMost() throws {
    try expectSpatialFormula(seed: 23, sizes: [PixelSize(67, 11)]) {
      try $0.motionBlurred(step: 21, degrees: 0, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        let (x, y) = (Double(x) + 0.5, Double(y) + 0.5)
        return line(exact, x: x, y: y, step: (21, 0), count: 64, spacing: 4.0 / 64)
      }
    }
  }

  @Test(arguments: [0.0, 37, 90])
  func aMotionBlurOfManyPicturesLengthTakesLittleMemory(degrees: Double) throws {
    let workspace = Workspace()
    let image = try noise(150, 150, .bgra)
    let blurred = try image.motionBlurred(step: 10_000, degrees: degrees, workspace: workspace)
    // Only memory of up to four megabytes is stored.
    #expect(try workspace.takeScratch(byteCount: 1).byteCount > 1)
    // All that is far away is an edge's pixel.
    #expect(
      try blurred.pixels
        == image.motionBlurred(step: 9_000, degrees: degrees, workspace: workspace).pixels
    )
  }

  @Test(arguments: [0.7, 3.1, 11])
  func aZoomBlurIsAWeightedMeanTowardsTheCentre(step: Double) throws {
    try expectSpatialFormula(seed: 24) {
      try $0.zoomBlurred(step: step, centerX: 0.37, centerY: 0.61, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        let (x, y) = (Double(x) + 0.5, Double(y) + 0.5)
        let across = (0.37 * Double(exact.width) - x) * step / 100
        let down = (0.61 * Double(exact.height) - y) * step / 100
        let length = (across * across + down * down).squareRoot()
        let count = Int(min(max((4 * length).rounded(.up), 4), 64))
        return line(
          exact,
          x: x,
          y: y,
          step: (across, down),
          count: count,
          spacing: 4 / Double(count)
        )
      }
    }
  }

  @Test func noRadiusAndNoStepReturnTheBitmapItself() throws {
    let image = try noise(9, 7, .bgra)
    let workspace = Workspace()
    #expect(areOne(try image.meanBlurred(radius: 0, workspace: workspace), image))
    #expect(areOne(try image.motionBlurred(step: 0, degrees: 9, workspace: workspace), image))
    let zoomed = try image.zoomBlurred(step: 0, centerX: 0, centerY: 1, workspace: workspace)
    #expect(areOne(zoomed, image))
  }
}
