import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// A watermark on a black picture of 40 × 20 pixels.
@Suite("Watermarks")
struct WatermarkTests {
  private func result(
    _ mark: Bitmap,
    opacity: Double = 1,
    dpr: Double = 1,
    _ options: Effects.Watermark
  ) throws -> Bitmap {
    var all = ProcessingOptions()
    all.effects.watermark = options
    let black = try Samples.picture(40, 20, .black)
    let info = ImageInfo(format: .png, size: black.size)
    var plan = try ResultPlan(info, all, as: .png)
    if dpr != 1 {
      all.resizing = Resizing(width: 20, dpr: dpr)
      plan = try ResultPlan(info, all, as: .png)
    }
    return try plan.render(black, watermark: WatermarkPicture(bitmap: mark, opacity: opacity))
  }

  /// The rectangle of all pixels that are not black.
  private func marked(_ picture: Bitmap) -> PixelRectangle? {
    let places = (0..<picture.height).flatMap { y in
      (0..<picture.width).filter { picture.color(x: $0, y: y) != .black }.map { ($0, y) }
    }
    guard let left = places.map(\.0).min(), let right = places.map(\.0).max(),
      let top = places.map(\.1).min(), let bottom = places.map(\.1).max()
    else { return nil }
    return Samples.box(left, top, right - left + 1, bottom - top + 1)
  }

  private var mark: Bitmap { get throws { try Samples.picture(10, 4, Samples.red) } }

  @Test func itLiesWhereItsGravitySays() throws {
    let center = try result(mark, Effects.Watermark(opacity: 1))
    // rhe(31 / 2) = 16, rhe(17 / 2) = 8.
    #expect(marked(center) == Samples.box(16, 8, 10, 4))
    let corner = Effects.Watermark(opacity: 1, position: .southEast, x: 3, y: 0.1)
    #expect(marked(try result(mark, corner)) == Samples.box(27, 14, 10, 4))
  }

  @Test func offsetsGrowWithTheDensity() throws {
    let corner = Effects.Watermark(opacity: 1, position: .northWest, x: 3, y: 1)
    #expect(marked(try result(mark, dpr: 2, corner)) == Samples.box(6, 2, 10, 4))
  }

  @Test func itMayOverhang() throws {
    let over = Effects.Watermark(opacity: 1, position: .northWest, x: -7, y: -100)
    #expect(marked(try result(mark, over)) == Samples.box(0, 0, 3, 1))
  }

  @Test func bothOpacitiesAreMultiplied() throws {
    let half = try result(mark, opacity: 0.5, Effects.Watermark(opacity: 0.5))
    #expect((63...65).contains(half.color(x: 20, y: 10)?.red ?? 0))
    #expect(marked(try result(mark, opacity: 0, Effects.Watermark(opacity: 1))) == nil)
    #expect(marked(try result(mark, Effects.Watermark())) == nil)
  }

  @Test func aScaleFitsItIntoAShareOfThePicture() throws {
    var options = Effects.Watermark(opacity: 1, position: .northWest)
    // 20 × 10 hold 20 × 8.
    options.scale = 0.5
    #expect(marked(try result(mark, options)) == Samples.box(0, 0, 20, 8))
    options.scale = 1e-9
    #expect(marked(try result(mark, options)) == Samples.box(0, 0, 1, 1))
    options.scale = 1e300
    #expect(throws: RenderError.self) { try result(mark, options) }
  }

  @Test func tilesCoverThePictureFromTheMiddle() throws {
    let tiled = try result(
      Samples.picture(2, 2, Samples.red),
      Effects.Watermark(opacity: 1, position: nil)
    )
    #expect((0..<800).allSatisfy { tiled.color(x: $0 % 40, y: $0 / 40) == Samples.red })
  }

  @Test func offsetsAreTheSpaceBetweenTiles() throws {
    let options = Effects.Watermark(opacity: 1, position: nil, x: 6, y: 16)
    // Tiles of 10 × 20 with 3 and 8 before the mark; five of them, as an odd number, begin at −5.
    let tiled = try result(Samples.picture(4, 4, Samples.red), options)
    let row = (0..<40).filter { tiled.color(x: $0, y: 10) == Samples.red }
    #expect(row == [0, 1, 8, 9, 10, 11, 18, 19, 20, 21, 28, 29, 30, 31, 38, 39])
    #expect((0..<20).filter { tiled.color(x: 9, y: $0) == Samples.red } == [8, 9, 10, 11])
  }

  @Test(arguments: [1e300, -1e300, -3, Double(Int32.max)])
  func noSpaceIsTooLargeOrTooSmall(_ space: Double) throws {
    let options = Effects.Watermark(opacity: 1, position: nil, x: space, y: space)
    #expect(throws: Never.self) { try result(mark, options) }
  }
}
