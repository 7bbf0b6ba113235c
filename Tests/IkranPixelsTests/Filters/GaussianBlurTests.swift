import IkranPixels
import TestBasics
import Testing

private let sigmas = [0.3, 0.8, 1, 1.7, 2.3, 2.5, 3.3, 10, 40, 100]

/// Hard pictures for a blur: edges, the finest pattern, noise, and one bright pixel.
private enum Scene: CaseIterable {
  case step, checkerboard, cells, noise, impulse

  func draw(_ size: PixelSize, _ format: PixelFormat, sigma: Double) throws -> Bitmap {
    let cell = max(1, Int(sigma / 1.131))
    if self == .noise { return try spatialNoise(size, format, seed: 11) }
    return try picture(size.width, size.height, format) { x, y in
      let isBright =
        switch self {
        case .step: x >= size.width / 2 && y >= size.height / 3
        case .checkerboard: (x + y) % 2 == 0
        case .cells: x / cell % 2 == 0
        default: x == size.width / 3 && y == size.height / 2
        }
      return isBright ? [255, 255, 255, 255] : [0, 0, 0, format == .bgra ? 0 : 255]
    }
  }
}

/// The weights of one axis, pixels outside folded into the edge: `weights[result][source]`.
private func gaussianMatrix(_ length: Int, sigma: Double) -> [[Double]] {
  let reach = Int((sigma * 6).rounded(.up))
  let bell = (0...reach).map { exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
  let total = bell.reduce(0) { $0 + 2 * $1 } - bell[0]
  return (0..<length).map { center in
    var row = [Double](repeating: 0, count: length)
    for offset in -reach...reach {
      row[min(max(center + offset, 0), length - 1)] += bell[abs(offset)] / total
    }
    return row
  }
}

/// The largest error of rows spread over the picture.
private func error(of result: Bitmap, from image: Bitmap, sigma: Double, rows: Int) -> Double {
  let (width, height) = (image.width, image.height)
  let down = gaussianMatrix(height, sigma: sigma)
  let across = gaussianMatrix(width, sigma: sigma)
  var worst = 0.0
  for y in Set((0..<rows).map { $0 * (height - 1) / max(rows - 1, 1) }) {
    var blended = [Double](repeating: 0, count: width * 4)
    for source in 0..<height where down[y][source] > 1e-9 {
      let weight = down[y][source]
      image.withRow(source) { row in
        for index in row.indices { blended[index] += weight * Double(row[index]) }
      }
    }
    let bytes = result.withRow(y) { row in (0..<width * 4).map { row[$0] } }
    for x in 0..<width {
      for channel in 0..<4 {
        var sum = 0.0
        for source in 0..<width where across[x][source] > 1e-9 {
          sum += across[x][source] * blended[source * 4 + channel]
        }
        worst = max(worst, (sum - Double(bytes[x * 4 + channel])).magnitude)
      }
    }
  }
  return worst
}

@Suite(.timeLimit(.minutes(10))) struct GaussianBlurTests {
  @Test(arguments: Rounds.fewer(of: sigmas))
  func smallPicturesAreWithinOneOfTheExactMeans(sigma: Double) throws {
    for size in spatialSizes {
      for scene in Scene.allCases {
        let format: PixelFormat = scene == .impulse ? .bgrx : .bgra
        let image = try scene.draw(size, format, sigma: sigma)
        let blurred = try spatiallyFiltered(image) {
          try $0.gaussianBlurred(sigma: sigma, workspace: $1)
        }
        let worst = error(of: blurred, from: image, sigma: sigma, rows: 6)
        #expect(worst <= 1, "\(size) \(scene)")
      }
    }
  }

  @Test(arguments: Rounds.fewer(of: [10, 2.5, 1, 100.0]))
  func aLargePictureIsWithinOneOfTheExactMeans(sigma: Double) throws {
    for scene in [Scene.step, .cells, .noise] {
      let size = Sanitizer.watchesThreads ? PixelSize(96, 72) : PixelSize(640, 480)
      let image = try scene.draw(size, .bgra, sigma: sigma)
      let workspace = Workspace()
      let blurred = try image.gaussianBlurred(sigma: sigma, workspace: workspace)
      let worst = error(of: blurred, from: image, sigma: sigma, rows: 2)
      #expect(worst <= 1, "\(scene)")
    }
  }

  @Test(arguments: Rounds.fewer(of: sigmas + [1000]))
  func aConstantPictureStaysConstant(sigma: Double) throws {
    let color: [UInt8] = [17, 90, 130, 131]
    let image = try picture(67, 41, .bgra) { _, _ in color }
    let blurred = try spatiallyFiltered(image) {
      try $0.gaussianBlurred(sigma: sigma, workspace: $1)
    }
    #expect(blurred.pixels == image.pixels)
  }

  @Test func aSigmaOfNothingReturnsTheBitmapItself() throws {
    let image = try noise(9, 7, .bgra)
    #expect(areOne(try image.gaussianBlurred(sigma: 0, workspace: Workspace()), image))
  }
}
