import IkranPixels
import Testing

@Suite struct RenderPlanTests {
  @Test func theOriginalIsTheWholeImage() {
    let plan = RenderPlan(stored: PixelSize(30, 20), orientation: .right, fitting: .original)
    #expect(plan.isIdentity)
    #expect(plan.output == PixelSize(30, 20))
  }

  @Test func coveringCropsToTheCentreAndKeepsTheAspect() {
    let fitting = Fitting.cover(PixelSize(50, 50))
    let plan = RenderPlan(stored: PixelSize(400, 300), orientation: .up, fitting: fitting)
    #expect(plan.crop == PixelArea(x: 50, y: 0, width: 300, height: 300))
    #expect(plan.output == PixelSize(50, 50))
    #expect(!plan.isIdentity)
  }

  @Test func aTurnedImageIsPlannedOnItsStoredAxes() {
    let fitting = Fitting.cover(PixelSize(100, 50))
    let plan = RenderPlan(stored: PixelSize(300, 600), orientation: .left, fitting: fitting)
    #expect(plan.output == PixelSize(50, 100))
    #expect(plan.crop == PixelArea(PixelSize(300, 600)))
  }

  @Test(arguments: [
    (PixelSize(400, 300), PixelSize(100, 100), PixelSize(100, 75)),
    (PixelSize(300, 400), PixelSize(100, 100), PixelSize(75, 100)),
    (PixelSize(1000, 1), PixelSize(10, 10), PixelSize(10, 1)),
    (PixelSize(2, 1), PixelSize(64, 64), PixelSize(64, 32)),
    (PixelSize(7, 7), PixelSize(7, 9), PixelSize(7, 7)),
  ])
  func fittingInsideKeepsTheAspect(stored: PixelSize, box: PixelSize, expected: PixelSize) {
    let plan = RenderPlan(stored: stored, orientation: .up, fitting: .inside(box))
    #expect(plan.output == expected)
    #expect(plan.crop == PixelArea(stored))
    #expect(plan.isIdentity == (stored == expected))
  }

  @Test func aReducedDecodeKeepsTheOutputAndMovesTheCrop() {
    let fitting = Fitting.cover(PixelSize(50, 50))
    let plan = RenderPlan(stored: PixelSize(401, 301), orientation: .up, fitting: fitting)
    let stretched = plan.scaled(to: PixelSize(201, 151), from: PixelSize(401, 301))
    #expect(stretched.output == plan.output)
    #expect(abs(stretched.crop.height - 151) < 1e-9)
    // Half of 301 rows are 150.5; the last decoded row is half empty.
    let halved = plan.scaled(to: PixelSize(201, 151), numerator: 1, denominator: 2)
    #expect(halved.crop == PixelArea(x: 25, y: 0, width: 150.5, height: 150.5))
  }

  @Test(arguments: [PixelSize(0, 0), PixelSize(-5, 3), PixelSize(.max, .max), PixelSize(.min, 1)])
  func impossibleSizesPlanWithoutTrapping(size: PixelSize) {
    for other in [size, PixelSize(3, 4)] {
      for fitting in [Fitting.cover(other), .inside(other), .original] {
        let plan = RenderPlan(stored: size, orientation: .left, fitting: fitting)
        _ = plan.scaled(to: other, from: size).isIdentity
      }
    }
  }

  // MARK: - Regions

  @Test(arguments: Orientation.allCases)
  func aRegionOfATurnedImageIsPlannedOnItsStoredAxes(_ orientation: Orientation) throws {
    let stored = try noise(13, 9)
    let upright = try stored.oriented(orientation)
    for region in [
      PixelRectangle(x: 0, y: 0, width: 1, height: 1), .init(x: 2, y: 3, width: 5, height: 4),
      .init(x: 4, y: 1, width: 5, height: 8), .init(x: 0, y: 0, width: 9, height: 9),
    ] {
      let plan = RenderPlan(
        stored: stored.size,
        orientation: orientation,
        fitting: .region(region, region.size)
      )
      let cut = try #require(plan.cut)
      let part = try stored.cropped(
        columns: cut.x..<cut.x + cut.size.width,
        rows: cut.y..<cut.y + cut.size.height
      )
      let expected = try upright.cropped(
        columns: region.x..<region.x + region.size.width,
        rows: region.y..<region.y + region.size.height
      )
      #expect(try part.oriented(orientation).pixels == expected.pixels, "\(region)")
    }
  }

  @Test func onlyWholePixelsAreCutOut() {
    let (stored, up) = (PixelSize(40, 30), Orientation.up)
    func cut(_ fitting: Fitting) -> PixelRectangle? {
      RenderPlan(stored: stored, orientation: up, fitting: fitting).cut
    }
    #expect(cut(.original) == PixelRectangle(x: 0, y: 0, width: 40, height: 30))
    #expect(cut(.cover(PixelSize(20, 30))) == PixelRectangle(x: 10, y: 0, width: 20, height: 30))
    #expect(cut(.cover(PixelSize(21, 30))) == PixelRectangle(x: 9, y: 0, width: 21, height: 30))
    #expect(cut(.cover(PixelSize(21, 31))) == nil)
    #expect(cut(.cover(PixelSize(20, 20))) == nil)
    let region = PixelRectangle(x: 3, y: 4, width: 8, height: 8)
    #expect(cut(.region(region, PixelSize(8, 4))) == nil)
  }

  // MARK: - Crops without resizing

  @Test(arguments: Orientation.allCases)
  func aCropWithoutResizingStartsAtAWholePixel(_ orientation: Orientation) throws {
    for upright in [PixelSize(33, 32), PixelSize(32, 33), PixelSize(47, 10), PixelSize(6, 101)] {
      let image = try noise(upright.width, upright.height)
      let stored = orientation.uprightSize(of: upright)
      for rest in 0...5 {
        let box =
          upright.width > upright.height
          ? PixelSize(upright.width - rest, upright.height)
          : PixelSize(upright.width, upright.height - rest)
        let plan = RenderPlan(stored: stored, orientation: orientation, fitting: .cover(box))
        let cut = try #require(plan.cut, "\(upright) to \(box)")
        // The picture as it is stored: turned back.
        let inverse = Orientation.allCases.first {
          (try? image.oriented($0).oriented(orientation).pixels == image.pixels) == true
        }
        let turned = try image.oriented(try #require(inverse))
        let part = try turned.cropped(
          columns: cut.x..<cut.x + cut.size.width,
          rows: cut.y..<cut.y + cut.size.height
        )
        let (x, y) = ((upright.width - box.width) / 2, (upright.height - box.height) / 2)
        let expected = try image.cropped(columns: x..<x + box.width, rows: y..<y + box.height)
        #expect(try part.oriented(orientation).pixels == expected.pixels, "\(upright) to \(box)")
      }
    }
  }

  @Test func aResizedCropStaysInTheMiddle() {
    func crop(_ stored: PixelSize, _ box: PixelSize) -> PixelArea {
      RenderPlan(stored: stored, orientation: .left, fitting: .cover(box)).crop
    }
    #expect(crop(PixelSize(33, 32), PixelSize(16, 16)).x == 0.5)
    #expect(crop(PixelSize(33, 32), PixelSize(64, 64)).x == 0.5)
    #expect(crop(PixelSize(32, 35), PixelSize(31, 31)).y == 1.5)
  }

  @Test(arguments: [0.0, 0.25, 0.5, 1])
  func aCropFromAnySideStartsAtAWholePixel(_ share: Double) {
    for length in 32...40 {
      let (size, stored) = (PixelSize(32, 32), PixelSize(length, 32))
      let plan = RenderPlan(covering: size, by: stored, croppingBefore: share)
      #expect(plan.cut?.x == Int(Double(length - 32) * share))
    }
  }

  // MARK: - Fitting without enlarging

  @Test(arguments: [
    (PixelSize(16, 16), PixelSize(800, 800), PixelSize(16, 16)),
    (PixelSize(800, 16), PixelSize(800, 800), PixelSize(800, 16)),
    (PixelSize(801, 16), PixelSize(800, 800), PixelSize(800, 16)),
    (PixelSize(400, 1600), PixelSize(800, 800), PixelSize(200, 800)),
    (PixelSize(1, 1), PixelSize(1, 1), PixelSize(1, 1)),
  ])
  func aPictureThatFitsIsNotEnlarged(stored: PixelSize, box: PixelSize, expected: PixelSize) {
    let fitting = Fitting.inside(box, enlarges: false)
    let plan = RenderPlan(stored: stored, orientation: .up, fitting: fitting)
    #expect(plan.output == expected)
    #expect(plan.isIdentity == (stored == expected))
  }

  @Test(arguments: [
    (PixelSize(600, 300), PixelSize(100, 100), PixelSize(200, 100)),
    (PixelSize(300, 600), PixelSize(100, 100), PixelSize(100, 200)),
    (PixelSize(600, 300), PixelSize(100, 10), PixelSize(100, 50)),
    (PixelSize(600, 90), PixelSize(100, 100), PixelSize(600, 90)),
    (PixelSize(100, 900), PixelSize(100, 100), PixelSize(100, 900)),
    (PixelSize(40_000, 200), PixelSize(100, 100), PixelSize(16_384, 82)),
  ])
  func aPictureCoversABoxWithoutBeingEnlarged(
    stored: PixelSize,
    box: PixelSize,
    expected: PixelSize
  ) {
    let fitting = Fitting.around(box, enlarges: false)
    #expect(RenderPlan(stored: stored, orientation: .up, fitting: fitting).output == expected)
    let turned = RenderPlan(stored: stored, orientation: .right, fitting: .around(box))
    #expect(turned.crop == PixelArea(stored))
  }

  @Test func aSmallPictureIsEnlargedUntilItCovers() {
    let plan = RenderPlan(
      stored: PixelSize(30, 10),
      orientation: .right,
      fitting: .around(PixelSize(20, 20))
    )
    #expect(plan.output == PixelSize(60, 20))
  }

  @Test func aTurnedPictureIsComparedWithTheBoxAsItIsShown() {
    func output(_ orientation: Orientation) -> PixelSize {
      let fitting = Fitting.inside(PixelSize(100, 40), enlarges: false)
      return RenderPlan(stored: PixelSize(30, 90), orientation: orientation, fitting: fitting)
        .output
    }
    #expect(output(.right) == PixelSize(30, 90))
    #expect(output(.up) == PixelSize(13, 40))
  }

  // MARK: - Isolated regions

  @Test func anIsolatedRegionIsResizedAsAPictureOfItsOwn() throws {
    for format in [PixelFormat.bgra, .bgrx, .bgr, .gray] {
      let image = try noise(40, 30, format)
      for size in [PixelSize(4, 4), PixelSize(16, 3), PixelSize(31, 40), PixelSize(1, 1)] {
        for region in [
          PixelRectangle(x: 16, y: 0, width: 16, height: 16),
          .init(x: 3, y: 5, width: 7, height: 9),
          .init(x: 0, y: 0, width: 40, height: 30),
        ] {
          let alone = try image.cropped(
            columns: region.x..<region.x + region.size.width,
            rows: region.y..<region.y + region.size.height
          )
          let expected = try alone.stretched(to: size, workspace: Workspace())
          let isolated = try image.resampled(.region(region, size, isolated: true))
          #expect(isolated.pixels == expected.pixels, "\(region) \(size)")
        }
      }
    }
  }

  /// Where both are possible, cutting out and resampling have the same pixels.
  @Test func cuttingOutIsResamplingByNothing() throws {
    for format in [PixelFormat.bgrx, .bgra] {
      let image = try noise(40, 30, format)
      let region = PixelRectangle(x: 3, y: 4, width: 31, height: 8)
      let fitting = Fitting.region(region, region.size)
      let plan = RenderPlan(stored: image.size, orientation: .up, fitting: fitting)
      let resampled = try image.resampled(plan, workspace: Workspace())
      #expect(try image.resampled(fitting).pixels == resampled.pixels)
    }
  }

  @Test func aRectangleIsInsideWhenAllOfItIs() {
    let size = PixelSize(40, 30)
    #expect(PixelRectangle(x: 0, y: 0, width: 40, height: 30).isInside(size))
    #expect(PixelRectangle(x: 39, y: 29, width: 1, height: 1).isInside(size))
    for outside in [
      PixelRectangle(x: 1, y: 0, width: 40, height: 1), .init(x: -1, y: 0, width: 4, height: 1),
      .init(x: 0, y: 30, width: 1, height: 1), .init(x: 0, y: 0, width: 0, height: 1),
      .init(x: .max, y: 0, width: .max, height: 1), .init(x: .min, y: .min, width: 1, height: .max),
    ] {
      #expect(!outside.isInside(size), "\(outside)")
    }
  }
}
