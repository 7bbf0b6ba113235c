import IkranPixels
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct RotationTests {
  @Test(arguments: PixelFormat.allCases)
  func flippingExchangesColumnsAndRows(format: PixelFormat) throws {
    let image = try noise(7, 4, format)
    for (across, down) in [(false, false), (true, false), (false, true), (true, true)] {
      let flipped = try image.flipped(horizontally: across, vertically: down)
      #expect(flipped.format == format)
      for y in 0..<4 {
        for x in 0..<7 {
          let source = image.pixel(across ? 6 - x : x, down ? 3 - y : y)
          #expect(flipped.pixel(x, y) == source)
        }
      }
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func quarterTurnsMovePixelsClockwise(format: PixelFormat) throws {
    let image = try noise(5, 3, format)
    let right = try image.rotated(degrees: 90)
    let half = try image.rotated(degrees: 180)
    let left = try image.rotated(degrees: 270)
    #expect(
      right.size == PixelSize(3, 5) && left.size == PixelSize(3, 5) && half.size == image.size
    )
    #expect(right.format == format && half.format == format && left.format == format)
    for y in 0..<3 {
      for x in 0..<5 {
        #expect(right.pixel(2 - y, x) == image.pixel(x, y))
        #expect(half.pixel(4 - x, 2 - y) == image.pixel(x, y))
        #expect(left.pixel(y, 4 - x) == image.pixel(x, y))
      }
    }
  }

  @Test func theFilterMakesNoSideLongerThanThoseOfStyles() throws {
    let wide = try Bitmap(.white, size: PixelSize(16_384, 300))
    #expect(throws: FilterError.bitmap(.invalidSize(PixelSize(16_387, 586)))) {
      try wide.filtered([.rotate(degrees: 1)])
    }
    #expect(try wide.filtered([.rotate(degrees: 1, keepsSize: true)]).size == wide.size)
    // A side that is longer already may stay as long.
    let long = try Bitmap(.white, size: PixelSize(17_000, 2))
    #expect(try long.filtered([.rotate(degrees: 1)]).size == PixelSize(16_998, 299))
    #expect(try wide.rotated(degrees: 1).width == 16_387)
  }

  @Test(arguments: [PixelSize(1, 65_535), PixelSize(20_000, 1), PixelSize(16_384, 1)])
  func aNarrowPictureDoesNotGrowToTheSquareOfItsLength(size: PixelSize) throws {
    let narrow = try Bitmap(.white, size: size)
    let side = Int((Double(size.width + size.height) * 0.5.squareRoot()).rounded(.up))
    #expect(throws: FilterError.bitmap(.invalidSize(PixelSize(side, side)))) {
      try narrow.filtered([.rotate(degrees: 45)])
    }
  }

  @Test func aCropWithoutNumbersKeepsALongPicture() throws {
    let long = try Bitmap(.white, size: PixelSize(20_000, 3))
    #expect(try long.filtered([.crop()], scale: 0.5).size == long.size)
    #expect(try long.filtered([.crop(x: 10)]).size == PixelSize(19_990, 3))
  }

  @Test(arguments: [(-90.0, 270.0), (450, 90), (-360, 0), (720, 0), (-3_600_180, 180), (-0.0, 0)])
  func anglesAWholeTurnApartAreEqual(one: Double, other: Double) throws {
    let image = try noise(5, 3)
    #expect(try image.rotated(degrees: one).pixels == image.rotated(degrees: other).pixels)
  }

  /// The pixel that a turned picture has at a place, by the definition of bilinear sampling.
  private func sampled(_ image: Bitmap, _ x: Double, _ y: Double) -> [Double] {
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    var sum = [0.0, 0, 0, 0]
    for row in 0...1 {
      for column in 0...1 {
        let (i, j) = (Int(left) + column, Int(top) + row)
        guard i >= 0, j >= 0, i < image.width, j < image.height else { continue }
        let weight =
          (1 - abs(x - 0.5 - Double(i))) * (1 - abs(y - 0.5 - Double(j)))
        let pixel = image.pixel(i, j)
        for channel in 0..<4 { sum[channel] += Double(pixel[channel]) * weight }
      }
    }
    return sum
  }

  private static let turns: [(Double, PixelSize)] = [
    (1, PixelSize(40, 30)), (30, PixelSize(33, 20)), (45, PixelSize(16, 16)),
    (89.9, PixelSize(9, 27)), (135, PixelSize(12, 31)), (200.5, PixelSize(21, 8)),
    (-17, PixelSize(1, 1)), (300, PixelSize(1, 40)), (0.001, PixelSize(64, 2)),
  ]

  @Test(arguments: turns, [false, true])
  func otherAnglesSampleBilinearlyOnAClearGround(
    turn: (degrees: Double, size: PixelSize),
    keepsSize: Bool
  ) throws {
    let image = try noise(turn.size.width, turn.size.height, .bgra)
    let turned = try image.rotated(degrees: turn.degrees, keepsSize: keepsSize)
    let angle = turn.degrees * .pi / 180
    let (w, h) = (Double(image.width), Double(image.height))
    if keepsSize {
      #expect(turned.size == image.size)
    } else {
      #expect(turned.width == Int((w * abs(cos(angle)) + h * abs(sin(angle)) - 1e-6).rounded(.up)))
      #expect(turned.height == Int((w * abs(sin(angle)) + h * abs(cos(angle)) - 1e-6).rounded(.up)))
    }
    #expect(turned.format == .bgra)
    for y in 0..<turned.height {
      for x in 0..<turned.width {
        let across = Double(x) + 0.5 - Double(turned.width) / 2
        let down = Double(y) + 0.5 - Double(turned.height) / 2
        let exact = sampled(
          image,
          cos(angle) * across + sin(angle) * down + w / 2,
          cos(angle) * down - sin(angle) * across + h / 2
        )
        let pixel = turned.pixel(x, y)
        let worst = zip(pixel, exact).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst <= 1, "at \(x), \(y)")
        #expect(pixel.allSatisfy { $0 <= pixel[3] })
      }
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func everyFormatTurnsLikeItsWideForm(format: PixelFormat) throws {
    let image = try noise(19, 11, format)
    let wide = try image.converted(to: .bgra)
    #expect(try image.rotated(degrees: 33).pixels == wide.rotated(degrees: 33).pixels)
  }

  @Test func aTurnClockwiseMovesTheTopToTheRight() throws {
    let image = try picture(21, 21) { _, y in y < 8 ? [0, 0, 255, 255] : [0, 0, 0, 255] }
    let turned = try image.rotated(degrees: 60, keepsSize: true)
    #expect(turned.pixel(17, 6)[2] > 200 && turned.pixel(3, 6)[2] == 0)
  }

  @Test func edgesAreSmoothAndTheMiddleIsOpaque() throws {
    let white = try picture(40, 40) { _, _ in [255, 255, 255, 255] }
    let turned = try white.rotated(degrees: 20)
    #expect(turned.pixel(turned.width / 2, turned.height / 2) == [255, 255, 255, 255])
    #expect(turned.pixel(0, 0) == [0, 0, 0, 0])
    // What is lost of the area at corners is less than a thousandth.
    let area = turned.pixels.reduce(0) { $0 + Int($1) }
    #expect(abs(Double(area) / 4 / 255 - 1600) < 1.6)
    let partly = (0..<turned.height).filter { y in
      (0..<turned.width).contains { x in (60...200).contains(turned.pixel(x, y)[3]) }
    }
    #expect(partly.count > turned.height / 2)
  }

  @Test(arguments: [(6, 4), (4, 6), (7, 4), (4, 7), (5, 5)])
  func quarterTurnsThatKeepTheSizeAreCentred(width: Int, height: Int) throws {
    let image = try noise(width, height, .bgra)
    for (degrees, whole) in [
      (90.0, try image.rotated(degrees: 90)), (270, try image.rotated(degrees: 270)),
    ] {
      let turned = try image.rotated(degrees: degrees, keepsSize: true)
      #expect(turned.size == image.size)
      let left = Int((Double(width - height) / 2).rounded(.down))
      let top = Int((Double(height - width) / 2).rounded(.down))
      for y in 0..<height {
        for x in 0..<width {
          let (i, j) = (x - left, y - top)
          let isInside = (0..<whole.width).contains(i) && (0..<whole.height).contains(j)
          #expect(turned.pixel(x, y) == (isInside ? whole.pixel(i, j) : [0, 0, 0, 0]))
        }
      }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func anAngleThatIsNoNumberThrows(degrees: Double) throws {
    let image = try noise(3, 3)
    #expect(throws: BitmapError.invalidAngle) { try image.rotated(degrees: degrees) }
  }

  @Test(arguments: [1e308, -1e308, 1e-300, -1e-300, 1e-9])
  func everyFiniteAngleIsTurnedBy(degrees: Double) throws {
    let image = try noise(6, 4)
    let turned = try image.rotated(degrees: degrees)
    #expect((4...8).contains(turned.width))
  }
}
