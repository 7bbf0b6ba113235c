import IkranPixels
import TestBasics
import Testing

/// A shape sampled on a grid of 16 × 16 points per pixel.
struct SampledShape {
  let shape: RoundedShape

  /// How many of the 256 samples of a pixel lie inside, as a share.
  func coverage(_ x: Int, _ y: Int) -> Double {
    var inside = 0
    for line in 0..<16 {
      for column in 0..<16
      where contains(
        Double(x) + (Double(column) + 0.5) / 16,
        Double(y) + (Double(line) + 0.5) / 16
      ) {
        inside += 1
      }
    }
    return Double(inside) / 256
  }

  private func contains(_ x: Double, _ y: Double) -> Bool {
    let (right, bottom) = (shape.x + shape.width, shape.y + shape.height)
    guard x >= shape.x, x <= right, y >= shape.y, y <= bottom else { return false }
    let radius = max(0, min(shape.radius, shape.width / 2, shape.height / 2))
    let corners: [(RoundedShape.Corners, Double, Double, Bool)] = [
      (.topLeft, shape.x + radius, shape.y + radius, x < shape.x + radius && y < shape.y + radius),
      (.topRight, right - radius, shape.y + radius, x > right - radius && y < shape.y + radius),
      (.bottomLeft, shape.x + radius, bottom - radius, x < shape.x + radius && y > bottom - radius),
      (.bottomRight, right - radius, bottom - radius, x > right - radius && y > bottom - radius),
    ]
    return corners.allSatisfy { corner, across, down, isNear in
      !shape.corners.contains(corner) || !isNear
        || (x - across) * (x - across) + (y - down) * (y - down) <= radius * radius
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct ShapeTests {
  static let shapes: [RoundedShape] = [
    RoundedShape(x: 2, y: 3, width: 12, height: 9, radius: 4),
    RoundedShape(x: 2.25, y: 3.6, width: 11.5, height: 8.8, radius: 3.3, corners: [.topLeft]),
    RoundedShape(x: 1, y: 1, width: 14, height: 12, radius: 6, corners: [.topRight, .bottomLeft]),
    RoundedShape(x: -5.5, y: -4, width: 15, height: 12.3, radius: 5),
    RoundedShape(x: 9, y: 8, width: 100, height: 100, radius: 6, corners: [.topLeft, .topRight]),
    RoundedShape(x: 4.3, y: 5.4, width: 0.4, height: 0.3),
    RoundedShape(x: 3, y: 3, width: 9, height: 9, radius: 50),
    RoundedShape(x: 3, y: 3, width: 5, height: 3, radius: 9, corners: .bottomRight),
    RoundedShape(x: 0, y: 0, width: 17, height: 15, corners: []),
  ]

  private func canvas(_ format: PixelFormat) throws -> Canvas {
    try Canvas(drawing: noise(17, 15, .bgra, seed: 3).converted(to: format))
  }

  @Test(arguments: Rounds.fewer(of: shapes))
  func fillingPaintsByCoverage(shape: RoundedShape) throws {
    let below = try noise(17, 15, .bgra, seed: 3)
    var canvas = try canvas(.bgra)
    canvas.fill(shape, with: Color(red: 200, green: 100, blue: 50, alpha: 180))
    let drawn = canvas.finish()
    for y in 0..<15 {
      for x in 0..<17 {
        let paint = SampledShape(shape: shape).coverage(x, y) * 180 / 255
        let expected = zip(below.pixel(x, y), [50.0, 100, 200, 255]).map {
          Double($0) * (1 - paint) + $1 * paint
        }
        let worst = zip(drawn.pixel(x, y), expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst <= 1, "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: Rounds.fewer(of: shapes), [0.5, 2, 3.3, 40])
  func aLineLiesInsideTheEdge(shape: RoundedShape, width: Double) throws {
    var canvas = try Canvas(size: PixelSize(17, 15), format: .bgra)
    canvas.stroke(shape, width: width, with: .white)
    let drawn = canvas.finish()
    let radius = min(shape.radius, shape.width / 2, shape.height / 2)
    let inner = RoundedShape(
      x: shape.x + width,
      y: shape.y + width,
      width: shape.width - 2 * width,
      height: shape.height - 2 * width,
      radius: max(0, radius - width),
      corners: shape.corners
    )
    for y in 0..<15 {
      for x in 0..<17 {
        let outside = SampledShape(shape: shape).coverage(x, y)
        let hole =
          inner.width > 0 && inner.height > 0 ? SampledShape(shape: inner).coverage(x, y) : 0
        let expected = max(0, outside - hole) * 255
        #expect(abs(Double(drawn.pixel(x, y)[3]) - expected) <= 1.5, "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: Rounds.fewer(of: shapes))
  func aPictureIsDrawnWithinTheShape(shape: RoundedShape) throws {
    let below = try noise(17, 15, .bgra, seed: 3)
    let image = try noise(10, 9, .bgra, seed: 5)
    for (left, top) in [(4, 2), (-3, 8), (30, 0)] {
      var canvas = try canvas(.bgra)
      canvas.draw(image, x: left, y: top, clippedTo: shape)
      let drawn = canvas.finish()
      for y in 0..<15 {
        for x in 0..<17 {
          let isInside = (0..<10).contains(x - left) && (0..<9).contains(y - top)
          let over = isInside ? image.pixel(x - left, y - top) : [0, 0, 0, 0]
          let covered = SampledShape(shape: shape).coverage(x, y)
          let expected = zip(over, below.pixel(x, y)).map {
            Double($0) * covered + Double($1) * (1 - covered * Double(over[3]) / 255)
          }
          let worst = zip(drawn.pixel(x, y), expected).map { abs(Double($0) - $1) }.max() ?? 0
          #expect(worst <= 1.6, "at \(x), \(y)")
        }
      }
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func everyFormatIsDrawnOnLikeItsWideForm(format: PixelFormat) throws {
    let shape = RoundedShape(x: 1.5, y: 2, width: 12, height: 11, radius: 5)
    let image = try noise(12, 12, .bgra, seed: 9)
    let below = try noise(17, 15, .bgra, seed: 3).converted(to: format)
    var narrow = try canvas(format)
    var wide = try Canvas(drawing: below.converted(to: format == .bgra ? .bgra : .bgrx))
    narrow.fill(shape, with: .white)
    wide.fill(shape, with: .white)
    let (one, other) = (narrow.finish(), try wide.finish().converted(to: format))
    #expect(one.pixels == other.pixels)
    var drawn = try canvas(format)
    var same = try Canvas(drawing: below.converted(to: format == .bgra ? .bgra : .bgrx))
    drawn.draw(image, x: 2, y: 2, clippedTo: shape)
    same.draw(image, x: 2, y: 2, clippedTo: shape)
    let (cut, expected) = (drawn.finish(), try same.finish().converted(to: format))
    #expect(cut.pixels == expected.pixels)
  }

  @Test func anOpaqueCanvasStaysOpaque() throws {
    let shape = RoundedShape(x: 1.5, y: 2, width: 12, height: 11, radius: 5)
    var canvas = try canvas(.bgrx)
    canvas.fill(shape, with: Color(red: 9, green: 99, blue: 199, alpha: 99))
    canvas.stroke(shape, width: 3, with: .white)
    canvas.draw(try noise(12, 12, .bgra, seed: 9), x: 2, y: 2, clippedTo: shape)
    let drawn = canvas.finish()
    #expect((0..<15).allSatisfy { y in (0..<17).allSatisfy { drawn.pixel($0, y)[3] == 255 } })
  }

  private static let odd: [RoundedShape] = [
    RoundedShape(x: .nan, y: 0, width: 5, height: 5),
    RoundedShape(x: 0, y: 0, width: .infinity, height: 5),
    RoundedShape(x: 0, y: 0, width: 5, height: 5, radius: .nan),
    RoundedShape(x: 0, y: 0, width: 0, height: 5), RoundedShape(x: 0, y: 0, width: 5, height: -5),
    RoundedShape(x: 1e300, y: 0, width: 5, height: 5),
    RoundedShape(x: -1e300, y: -1e300, width: 5, height: 5, radius: 1e300),
    RoundedShape(x: 17, y: 0, width: 5, height: 5), RoundedShape(x: 0, y: -5, width: 5, height: 5),
  ]

  @Test(arguments: odd)
  func aShapeThatCoversNothingDrawsNothing(shape: RoundedShape) throws {
    let below = try noise(17, 15, .bgra, seed: 3)
    var canvas = try canvas(.bgra)
    canvas.fill(shape, with: .white)
    canvas.stroke(shape, width: 2, with: .white)
    canvas.draw(below, x: 3, y: 3, clippedTo: shape)
    let drawn = canvas.finish()
    #expect(drawn.pixels == below.pixels)
  }

  @Test(arguments: [Double.nan, -1, 0, -Double.infinity])
  func aLineWithoutWidthIsNotDrawn(width: Double) throws {
    var canvas = try Canvas(size: PixelSize(9, 9), format: .bgra)
    canvas.stroke(RoundedShape(PixelSize(9, 9)), width: width, with: .white)
    let drawn = canvas.finish()
    #expect(drawn.pixels.allSatisfy { $0 == 0 })
  }

  @Test func aLineThinnerThanANumbersLastDigitDrawsNothing() throws {
    var canvas = try Canvas(size: PixelSize(9, 9), format: .bgra)
    for part in 1..<400 {
      // Rounded, both edges of the line may lie on either side of a whole pixel.
      let x = Double(part) / 97
      let shape = RoundedShape(x: x, y: x, width: 7 - x, height: 7 - x, radius: 1)
      for width in [1e-17, 1e-16, 3e-16] { canvas.stroke(shape, width: width, with: .white) }
    }
    let drawn = canvas.finish()
    #expect(drawn.pixels.allSatisfy { $0 == 0 })
  }

  @Test func aHugeShapeFillsTheCanvas() throws {
    var canvas = try Canvas(size: PixelSize(9, 9), format: .bgra)
    canvas.fill(
      RoundedShape(x: -1e18, y: -1e18, width: 2e18, height: 2e18, radius: 5),
      with: .white
    )
    let drawn = canvas.finish()
    #expect(drawn.pixels.allSatisfy { $0 == 255 })
  }

  @Test func anInfiniteLineFillsTheShape() throws {
    var filled = try Canvas(size: PixelSize(9, 9), format: .bgra)
    var lined = try Canvas(size: PixelSize(9, 9), format: .bgra)
    let shape = RoundedShape(PixelSize(9, 9), radius: 3)
    filled.fill(shape, with: .white)
    lined.stroke(shape, width: .infinity, with: .white)
    let (all, line) = (filled.finish(), lined.finish())
    #expect(all.pixels == line.pixels)
  }
}

extension Canvas {
  /// A canvas that shows a picture.
  init(drawing picture: Bitmap) throws {
    try self.init(size: picture.size, format: picture.format)
    let stride = bytesPerRow
    withMutableBytes { bytes in
      for y in 0..<picture.height {
        picture.withRow(y) { row in
          for index in row.indices { bytes[y * stride + index] = row[index] }
        }
      }
    }
  }
}
