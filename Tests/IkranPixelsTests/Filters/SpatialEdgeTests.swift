import IkranPixels
import Testing

/// The straight colours of a pixel's neighbours, drawn over its own; from top left, row by row.
private func neighbours(_ picture: ExactPicture, _ x: Int, _ y: Int) -> [[Double]] {
  let own = picture.straight(x, y)
  return (0..<9).map { index in
    let pixel = picture.at(x + index % 3 - 1, y + index / 3 - 1)
    return (0..<3).map { pixel[$0] / 255 + (1 - pixel[3] / 255) * own[$0] }
  }
}

private func luma(_ color: [Double]) -> Double {
  0.0721 * color[0] + 0.7154 * color[1] + 0.2125 * color[2]
}

private func convolution(_ picture: ExactPicture, _ weights: [Float]) -> ExactPicture {
  ExactPicture(like: picture) { x, y in
    let near = neighbours(picture, x, y)
    let sums = (0..<3).map { channel in
      (0..<9).reduce(0) { $0 + Double(weights[$1]) * near[$1][channel] }
    }
    return ExactPicture.stored(sums + [picture.at(x, y)[3] / 255])
  }
}

private func edge(_ picture: ExactPicture, _ x: Int, _ y: Int) -> Double {
  let l = neighbours(picture, x, y).map(luma)
  let across = l[2] + 2 * l[5] + l[8] - l[0] - 2 * l[3] - l[6]
  let down = l[6] + 2 * l[7] + l[8] - l[0] - 2 * l[1] - l[2]
  return (across * across + down * down).squareRoot()
}

private func grays(_ picture: ExactPicture, _ gray: (Double) -> Double) -> ExactPicture {
  ExactPicture(like: picture) { x, y in
    let value = gray(edge(picture, x, y))
    return ExactPicture.stored([value, value, value, picture.at(x, y)[3] / 255])
  }
}

@Suite(.timeLimit(.minutes(10))) struct SpatialEdgeTests {
  @Test(arguments: [-0.2, 0.5, 4])
  func sharpeningSubtractsTheFourNeighbours(amount: Double) throws {
    let s = Float(amount)
    try expectSpatialFormula(seed: 41) {
      try $0.sharpened(amount, workspace: $1)
    } formula: {
      convolution($0, [0, -s, 0, -s, 1 + 4 * s, -s, 0, -s, 0])
    }
  }

  @Test(arguments: [
    [-2, -1, 0, -1, 1, 1, 0, 1, 2], [0.1, 0.2, 0.1, 0.05, 0.1, 0.05, 0.3, 0.05, 0.05],
    [0, 0, 0, 0, 0, 0, 1, 0, 0],
  ])
  func aConvolutionIsTheWeightedSumOfNinePixels(weights: [Float]) throws {
    try expectSpatialFormula(seed: 42) {
      try $0.convolved(weights, workspace: $1)
    } formula: {
      convolution($0, weights)
    }
  }

  @Test func sobelPaintsTheGradientOfTheLuma() throws {
    try expectSpatialFormula(seed: 43) {
      try $0.sobel(0.4, workspace: $1)
    } formula: {
      grays($0) { 0.4 * $0 }
    }
  }

  @Test func sobelSeesAnEdgeAtTheBottomLeft() throws {
    let image = try picture(3, 3) { x, y in
      x == 0 && y == 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]
    }
    let edges = try image.sobel(0.5, workspace: Workspace())
    #expect(edges.pixel(1, 1) == [180, 180, 180, 255])
  }

  @Test func aSketchIsWhiteLessTheGradient() throws {
    try expectSpatialFormula(seed: 44) {
      try $0.sketch(0.3, workspace: $1)
    } formula: {
      grays($0) { 1 - 0.3 * $0 }
    }
  }

  @Test func aToonHasBlackEdgesAndFewColours() throws {
    print("seed 45")
    for size in spatialSizes {
      let image = try spatialNoise(size, .bgra, seed: 45)
      let result = try spatiallyFiltered(image) {
        try $0.toon(levels: 7, threshold: 0.9, workspace: $1)
      }
      let exact = ExactPicture(image)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let strength = edge(exact, x, y)
          let own = exact.straight(x, y)
          let steps = own[..<3].map { $0 * 7 + 0.5 }
          // Where a float may fall on either side, either is right.
          let isClose = steps.contains { ($0 - $0.rounded()).magnitude < 1e-4 }
          if isClose || (strength - 0.9).magnitude < 1e-4 { continue }
          let colors = steps.map { strength < 0.9 ? $0.rounded(.down) / 7 : 0 }
          let stored = ExactPicture.stored(colors + [own[3]])
          let isFit = zip(result.pixel(x, y), stored).allSatisfy {
            (Double($0) - $1).magnitude <= 1
          }
          #expect(isFit, "\(size) \(x) \(y)")
        }
      }
    }
  }

  @Test func neutralWeightsReturnTheBitmapItself() throws {
    let image = try noise(9, 7, .bgra)
    #expect(areOne(try image.sharpened(0, workspace: Workspace()), image))
    let same = try image.convolved([0, 0, 0, 0, 1, 0, 0, 0, 0], workspace: Workspace())
    #expect(areOne(same, image))
  }
}
