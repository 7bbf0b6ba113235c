import IkranCodecs
import IkranImageIO
import IkranPixels
import Testing

@Suite struct PicturePlanTests {
  private static let box = PixelSize(width: 100, height: 100)

  private func info(_ width: Int, _ height: Int, _ orientation: Orientation = .up) -> ImageInfo {
    var info = ImageInfo(format: .heic, size: PixelSize(width: width, height: height))
    info.orientation = orientation
    return info
  }

  private func plan(
    _ info: ImageInfo,
    _ fitting: Fitting,
    _ limits: DecodeLimits = DecodeLimits()
  ) throws(DecodeError) -> PicturePlan {
    try PicturePlan(info, fitting: fitting, limits: limits, byteCount: 1000)
  }

  @Test(arguments: [
    (Fitting.original, 4000), (.inside(box), 100), (.around(box), 134), (.cover(box), 134),
    (.inside(PixelSize(width: 8000, height: 8000)), 4000),
  ])
  func imageIOIsAskedForAsManyPixelsAsAreNeeded(fitting: Fitting, longestSide: Int) throws {
    #expect(try plan(info(4000, 3000), fitting).longestSide == longestSide)
  }

  @Test func ofARegionAsManyAsItsOwnPixelsNeed() throws {
    let region = PixelRectangle(x: 1000, y: 0, width: 1000, height: 1000)
    #expect(try plan(info(4000, 3000), .region(region, Self.box)).longestSide == 400)
    // Cut out before it is resized.
    let isolated = Fitting.region(region, Self.box, isolated: true)
    #expect(try plan(info(4000, 3000), isolated).longestSide == 4000)
  }

  @Test func theSidesOfATurnedPictureAreThoseOfTheUprightOne() throws {
    let turned = try plan(info(4000, 3000, .right), .cover(PixelSize(width: 30, height: 40)))
    #expect(turned.longestSide == 40)
    #expect(turned.rest(for: PixelSize(width: 30, height: 40)) == nil)
  }

  /// What stands for ImageIO makes pictures whose shorter side is off by one.
  @Test(
    arguments: [
      Fitting.original, .inside(box), .around(box), .cover(PixelSize(width: 31, height: 77)),
      .region(PixelRectangle(x: 10, y: 20, width: 200, height: 100), box),
      .region(PixelRectangle(x: 10, y: 20, width: 200, height: 100), box, isolated: true),
      .region(PixelRectangle(x: 10, y: 20, width: 100, height: 100), box),
    ],
    [0, -1, 1]
  )
  func theResultHasTheSizeThatIsWanted(fitting: Fitting, error: Int) throws {
    let stored = PixelSize(width: 640, height: 360)
    let plan = try plan(info(640, 360), fitting)
    let (width, share) = (plan.longestSide, Double(plan.longestSide) / 640)
    let off = width == 640 ? 0 : error
    let given = PixelSize(width: width, height: Int((360 * share).rounded()) + off)
    let bitmap = try Canvas(size: given, format: .bgrx).finish()
    let result = try plan.finish(bitmap, workspace: Workspace())
    #expect(result.size == RenderPlan(stored: stored, orientation: .up, fitting: fitting).output)
    #expect(result.format == .bgrx)
  }

  @Test func pixelsOfTheWantedSizeAreTakenAsTheyAre() throws {
    let plan = try plan(info(400, 300), .inside(Self.box))
    let bitmap = try Canvas(size: PixelSize(width: 100, height: 75), format: .bgra).finish()
    #expect(try plan.finish(bitmap, workspace: Workspace()).sharesPixels(with: bitmap))
  }

  @Test func aHeaderOverALimitIsRefusedBeforeAnythingIsDecoded() throws {
    var limits = DecodeLimits()
    limits.maximumPixels = 1_000_000
    #expect(throws: DecodeError.overLimit(.pixels, value: 12_000_000, limit: 1_000_000)) {
      try plan(info(4000, 3000), .inside(Self.box), limits)
    }
    limits = DecodeLimits()
    limits.maximumDimension = 3999
    #expect(throws: DecodeError.overLimit(.dimension, value: 4000, limit: 3999)) {
      try plan(info(4000, 3000), .inside(Self.box), limits)
    }
    limits = DecodeLimits()
    limits.maximumBytes = 999
    #expect(throws: DecodeError.overLimit(.bytes, value: 1000, limit: 999)) {
      try plan(info(4000, 3000), .inside(Self.box), limits)
    }
  }

  @Test func aResultOverTheLimitIsRefused() {
    #expect(throws: DecodeError.self) {
      try plan(info(4000, 3000), .cover(PixelSize(width: 16_000, height: 16_000)))
    }
  }

  @Test func aRegionOutsideThePictureIsRefused() {
    let region = PixelRectangle(x: 3990, y: 0, width: 20, height: 20)
    let size = PixelSize(width: 4000, height: 3000)
    #expect(throws: DecodeError.bitmap(.outside(region, of: size))) {
      try plan(info(4000, 3000), .region(region, Self.box))
    }
  }

  @Test func framesAreHeldAgainstTheLimitsTogether() {
    var limits = DecodeLimits()
    limits.maximumFrames = 10
    #expect(throws: DecodeError.overLimit(.frames, value: 11, limit: 10)) {
      try limits.checkWholeFrames(11, of: Self.box)
    }
    limits.maximumAnimationPixels = 100_000
    #expect(throws: DecodeError.self) { try limits.checkWholeFrames(10, of: Self.box) }
    #expect(throws: Never.self) { try limits.checkWholeFrames(5, of: Self.box) }
  }
}
