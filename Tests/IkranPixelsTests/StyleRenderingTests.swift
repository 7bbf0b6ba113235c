import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct StyleRenderingTests {
  @Test(arguments: [(1.0, 96, 64), (2.0, 192, 128), (0.5, 48, 32), (1.256, 121, 80), (1e-9, 1, 1)])
  func pointsTimesScaleArePixels(scale: Double, width: Int, height: Int) throws {
    let style = Style.rectangle(width: 96, height: 64)
    #expect(try style.fitting(scale: scale) == .cover(PixelSize(width, height)))
    let fit = try Style.fit(width: 96, height: 64).fitting(scale: scale)
    #expect(fit == .inside(PixelSize(width, height)))
  }

  @Test(arguments: [
    Style.rectangle(width: 0, height: 5), .rectangle(width: -1, height: 5), .circle(.nan),
    .circle(.infinity), .fit(width: 16_385, height: 1), .fill(width: 1, height: 1e300),
    .rounded(width: 5, height: 5, cornerRadius: -1),
    .rounded(width: 5, height: 5, cornerRadius: .nan), .circle(5, border: .init(-1)),
    .circle(5, border: .init(.nan)),
  ])
  func invalidStylesThrow(style: Style) throws {
    let image = try noise(4, 4)
    #expect(throws: StyleError.self) { _ = try image.styled(style) }
  }

  @Test(arguments: [0, -1, Double.nan, .infinity, 1e9])
  func invalidScalesThrow(scale: Double) throws {
    #expect(throws: StyleError.self) { _ = try Style.circle(48).fitting(scale: scale) }
  }

  @Test func stylesWithoutEdgesDoNotChangePixels() throws {
    let image = try noise(40, 30)
    #expect(try image.styled(.original).pixels == image.pixels)
    #expect(try image.styled(.rectangle(width: 40, height: 30)).pixels == image.pixels)
    let fitted = try image.styled(.fit(width: 20, height: 20))
    #expect(fitted.size == PixelSize(20, 15))
    #expect(fitted.format == .bgrx)
    let filled = try image.styled(.fill(width: 20, height: 20))
    #expect(filled.pixels == (try image.styled(.rectangle(width: 20, height: 20)).pixels))
  }

  @Test func aRegionIsCutOutOrResampled() throws {
    let image = try noise(40, 30)
    let region = PixelRectangle(x: 7, y: 11, width: 12, height: 9)
    let part = try image.cropped(columns: 7..<19, rows: 11..<20)
    #expect(try image.styled(.region(region, width: 12, height: 9)).pixels == part.pixels)
    let small = try image.styled(.region(region, width: 3, height: 4.5), scale: 2)
    #expect(small.size == PixelSize(6, 9))
    let outside = PixelRectangle(x: 30, y: 0, width: 11, height: 1)
    let error = StyleError.bitmap(.outside(outside, of: PixelSize(40, 30)))
    #expect(throws: error) { try image.styled(.region(outside, width: 4, height: 4)) }
  }

  @Test(arguments: [
    (Style.fit(width: 10, height: 10), 1.0, 10, 5), (.fit(width: 10, height: 10), 4, 40, 20),
    (.fit(width: 10, height: 10, enlarges: false), 1, 10, 5),
    (.fit(width: 10, height: 10, enlarges: false), 4, 20, 10),
    (.fit(width: 30), 1, 30, 15), (.fit(width: 30, enlarges: false), 1, 20, 10),
    (.fit(height: 4), 1, 8, 4), (.fit(height: 4), 2.5, 20, 10), (.fit(height: 4), 10, 80, 40),
    (.fit(height: 4, enlarges: false), 10, 20, 10),
  ])
  func aFitEnlargesUnlessItMustNot(style: Style, scale: Double, width: Int, height: Int) throws {
    let image = try noise(20, 10)
    let result = try image.styled(style, scale: scale)
    #expect(result.size == PixelSize(width, height))
    if result.size == image.size { #expect(result.pixels == image.pixels) }
  }

  /// A picture of one column must not take any amount of memory.
  @Test func anOpenSideHasABound() throws {
    #expect(
      try Style.fit(width: 800).fitting(scale: 7_000 / 800) == .inside(PixelSize(7000, 16384))
    )
    #expect(try noise(1, 300).styled(.fit(width: 800)).size == PixelSize(55, 16_384))
    #expect(throws: StyleError.self) { _ = try Style.fit(width: 800).fitting(scale: 0) }
    #expect(throws: StyleError.self) { _ = try Style.fit(height: .nan).fitting(scale: 1) }
    #expect(throws: StyleError.self) { _ = try Style.fit(height: 16_385).fitting(scale: 1) }
  }

  @Test func oneCellOfASpriteIsStyledAlone() throws {
    let sprite = try picture(30, 10) { x, _ in x / 10 == 1 ? [0, 200, 0, 255] : [255, 0, 0, 255] }
    let cell = PixelRectangle(x: 10, y: 0, width: 10, height: 10)
    let alone = try sprite.styled(.region(cell, width: 3, height: 3, isolated: true), scale: 2)
    #expect(alone.pixels == (0..<36).flatMap { _ in [0, 200, 0, 255] as [UInt8] })
    #expect(try sprite.styled(.region(cell, width: 6, height: 6)).pixels != alone.pixels)
  }

  @Test func zeroRadiusIsARectangle() throws {
    let image = try noise(30, 20)
    let square = try image.styled(.rounded(width: 8, height: 8, cornerRadius: 0))
    let plain = try image.styled(.rectangle(width: 8, height: 8))
    #expect(square.pixels == plain.pixels)
    #expect(square.format == .bgrx)
  }

  @Test func zeroRadiusWithAnInsetIsASmallerRectangle() throws {
    let style = Style.rounded(width: 6, height: 5, cornerRadius: 0, border: .init(1.5))
    let image = try picture(6, 5) { _, _ in [10, 20, 40, 255] }.styled(style)
    for y in 0..<5 {
      for x in 0..<6 {
        let across = x == 0 || x == 5 ? 0.0 : x == 1 || x == 4 ? 0.5 : 1
        let down = y == 0 || y == 4 ? 0.0 : y == 1 || y == 3 ? 0.5 : 1
        // Coverage is rounded to 1/255 before it multiplies the pixel.
        let covered = (across * down * 255 + 1e-9).rounded()
        let expected = [10, 20, 40, 255].map { UInt8(($0 * covered / 255).rounded()) }
        #expect(image.pixel(x, y) == expected)
      }
    }
  }

  @Test func aRadiusOverHalfTheSideIsACircle() throws {
    let image = try noise(30, 30)
    let circle = try image.styled(.circle(15))
    let round = try image.styled(.rounded(width: 15, height: 15, cornerRadius: 400))
    #expect(circle.pixels == round.pixels)
    #expect(circle.format == .bgra)
  }

  @Test(arguments: [PixelFormat.bgr, .bgr555, .gray, .bgra])
  func everyFormatCanBeRounded(format: PixelFormat) throws {
    let image = try noise(9, 9).converted(to: format)
    let round = try image.styled(.circle(9))
    #expect(round.format == .bgra)
    #expect(round.pixel(0, 0) == [0, 0, 0, 0])
    #expect(round.pixel(4, 4) == (try image.converted(to: .bgra).pixel(4, 4)))
  }

  @Test func transparencyIsMultipliedByCoverage() throws {
    let image = try picture(24, 24, .bgra) { _, _ in [50, 0, 100, 100] }
    let solid = try picture(24, 24) { _, _ in [255, 255, 255, 255] }
    let round = try image.styled(.circle(24))
    let coverage = try solid.styled(.circle(24))
    for y in 0..<24 {
      for x in 0..<24 {
        let covered = Double(coverage.pixel(x, y)[3])
        let expected = [50, 0, 100, 100].map { UInt8(($0 * covered / 255).rounded()) }
        #expect(round.pixel(x, y) == expected)
      }
    }
  }

  @Test func finishingNeverChangesSharedPixels() throws {
    let image = try noise(16, 16, .bgra)
    let before = image.pixels
    let round = try Style.circle(16).applyFiltersAndEdges(image, scale: 1, workspace: Workspace())
    #expect(image.pixels == before)
    #expect(round.pixels != before)
  }

  @Test func finishingChangesUnsharedPixelsInPlace() throws {
    func address(_ image: borrowing Bitmap) -> UnsafeRawPointer? {
      image.withUnsafeBytes { $0.baseAddress }
    }
    var before: UnsafeRawPointer?
    func fresh() throws -> Bitmap {
      let image = try noise(16, 16, .bgra)
      before = address(image)
      return image
    }
    let round = try Style.circle(16).applyFiltersAndEdges(fresh(), scale: 1, workspace: Workspace())
    #expect(before == address(round))
  }

  @Test func aFreeformStyleRunsItsTransform() throws {
    let image = try noise(5, 3)
    let turned = try image.styled(.freeform(name: "turn", version: 1) { try $0.oriented(.left) })
    #expect(turned.pixels == (try image.oriented(.left).pixels))
  }

  @Test func aFreeformStylesErrorIsNamed() throws {
    struct Broken: Error {}
    let image = try noise(5, 3)
    #expect(throws: StyleError.transformFailed(name: "bad", reason: "Broken()")) {
      _ = try image.styled(.freeform(name: "bad", version: 1) { _ in throw Broken() })
    }
  }

  @Test func aRenderedPhotoIsTheSameWithBothInstructionSets() throws {
    let portable = Workspace()
    portable.usesSIMD = false
    let image = try noise(50, 40, .bgra)
    for text in ["circle:31", "rounded:33x20,r=6.5", "circle:30,b=2", "circle:30,b=2,bc=#102030"] {
      let style = try Style(parsing: text)
      let plain = try image.styled(style, workspace: portable)
      #expect(try image.styled(style).pixels == plain.pixels)
    }
  }
}
