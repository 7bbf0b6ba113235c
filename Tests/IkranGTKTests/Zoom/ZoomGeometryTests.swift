import IkranPixels
import Testing

@testable import IkranGTK

/// Which part of a picture is seen, without a widget.
@Suite(.timeLimit(.minutes(1)))
struct ZoomGeometryTests {
  private typealias Point = ZoomGeometry.Point
  private typealias Size = ZoomGeometry.Size

  /// A picture of 2000 × 1000 pixels in a room.
  private func geometry(_ width: Double, _ height: Double, _ factor: Double? = nil) -> ZoomGeometry
  {
    var geometry = ZoomGeometry(PixelSize(width: 2_000, height: 1_000))
    geometry.resize(Size(width: width, height: height))
    geometry.set(factor)
    return geometry
  }

  @Test func fromAPixelForAPixelOnThePixelsAreTheFilesOwn() {
    // Its overview has nearly as many.
    for factor in [1.0, 2, 16] {
      #expect(geometry(300, 300, factor).tiles(overview: 0.95, bytes: 1 << 24)?.level == 0)
      #expect(geometry(300, 300, factor).tiles(overview: 1, bytes: 1 << 24) == nil)
    }
    #expect(geometry(300, 300, 0.9).tiles(overview: 0.95, bytes: 1 << 24) == nil)
  }

  @Test func theWholePictureIsShownInTheMiddle() {
    let whole = geometry(500, 500)
    #expect(whole.current == 0.25)
    #expect(whole.origin == Point(x: 0, y: 125))
    #expect(whole.visible == PixelRectangle(x: 0, y: 0, width: 2_000, height: 1_000))
  }

  @Test func aSmallPictureIsNotEnlarged() {
    #expect(geometry(5_000, 5_000).current == 1)
    #expect(geometry(5_000, 5_000).origin == Point(x: 1_500, y: 2_000))
  }

  @Test func aFactorWithRoomForAllIsTheWholePicture() {
    #expect(geometry(500, 500, 0.25).factor == nil)
    #expect(geometry(500, 500, -1).factor == nil)
    #expect(geometry(500, 500, .nan).factor == nil)
    #expect(geometry(500, 500, 0.3).factor == 0.3)
    #expect(geometry(500, 500, .infinity).factor == 16)
  }

  @Test func stepsStopAtOnePixelForOne() {
    var zoomed = geometry(500, 500, 0.9)
    zoomed.step(1)
    #expect(zoomed.factor == 1)
    zoomed.step(1)
    #expect(zoomed.factor == 1.4)
    zoomed.step(-2)
    #expect(zoomed.factor == 1)
    zoomed.step(.nan)
    #expect(zoomed.factor == 1)
  }

  @Test func aToggleIsBetweenTheWholePictureAndItsPixels() {
    var zoomed = geometry(500, 500)
    zoomed.toggle()
    #expect(zoomed.factor == 1)
    zoomed.toggle()
    #expect(zoomed.factor == nil)
    zoomed.set(3)
    zoomed.toggle()
    #expect(zoomed.factor == nil)
  }

  @Test(arguments: [1.0, 2, 5.5, 16])
  func whatIsAtAPointStaysThere(factor: Double) {
    var zoomed = geometry(500, 500, 0.9)
    zoomed.center(x: 900, y: 400)
    let point = Point(x: 123, y: 321)
    func pixel() -> Point {
      Point(
        x: (zoomed.offset.x + point.x) / zoomed.current,
        y: (zoomed.offset.y + point.y) / zoomed.current
      )
    }
    let before = pixel()
    zoomed.set(factor, keeping: point)
    #expect(abs(pixel().x - before.x) < 1e-6 && abs(pixel().y - before.y) < 1e-6)
    zoomed.set(0.9, keeping: point)
    #expect(abs(pixel().x - before.x) < 1e-6 && abs(pixel().y - before.y) < 1e-6)
  }

  @Test func scrollingEndsWithThePicture() {
    var zoomed = geometry(500, 500, 1)
    #expect(zoomed.offset == Point(x: 750, y: 250))
    let hasMoved = zoomed.scroll(by: Point(x: -1_000, y: 1_000))
    #expect(hasMoved)
    #expect(zoomed.visible == PixelRectangle(x: 0, y: 500, width: 500, height: 500))
    for way in [Point(x: -1, y: 1), Point(x: .nan, y: 1)] {
      let movesOn = zoomed.scroll(by: way)
      #expect(!movesOn)
    }
  }

  @Test func aPictureThatFitsIsNotScrolled() {
    var whole = geometry(500, 500)
    let hasMoved = whole.scroll(by: Point(x: 10, y: 10))
    #expect(!hasMoved)
  }

  @Test func anotherRoomKeepsTheMiddle() {
    var zoomed = geometry(500, 500, 2)
    zoomed.center(x: 700, y: 300)
    zoomed.resize(Size(width: 900, height: 300))
    #expect(zoomed.offset == Point(x: 1_400 - 450, y: 600 - 150))
    zoomed.resize(Size(width: 9_000, height: 9_000))
    #expect(zoomed.factor == 2)
    #expect(zoomed.visible == PixelRectangle(x: 0, y: 0, width: 2_000, height: 1_000))
  }

  @Test func theFirstRoomShowsTheMiddle() {
    var zoomed = ZoomGeometry(PixelSize(width: 2_000, height: 1_000))
    zoomed.set(2)
    zoomed.resize(Size(width: 100, height: 100))
    #expect(zoomed.visible == PixelRectangle(x: 975, y: 475, width: 50, height: 50))
  }

  @Test func aFactorThatIsChosenBeforeThereIsARoomIsKept() {
    var zoomed = ZoomGeometry(PixelSize(width: 2_000, height: 1_000))
    zoomed.set(1)
    zoomed.resize(Size(width: 100, height: 100))
    #expect(zoomed.factor == 1)
    zoomed = ZoomGeometry(PixelSize(width: 2_000, height: 1_000))
    zoomed.set(1)
    zoomed.resize(Size(width: 3_000, height: 3_000))
    #expect(zoomed.factor == nil)
  }

  @Test func aMiddleThatIsChosenBeforeThereIsARoomIsShown() {
    var zoomed = ZoomGeometry(PixelSize(width: 2_000, height: 1_000))
    zoomed.set(2)
    zoomed.center(x: 500, y: 700)
    zoomed.set(4)
    zoomed.resize(Size(width: 100, height: 100))
    #expect(zoomed.visible == PixelRectangle(x: 487, y: 687, width: 26, height: 26))
  }

  // MARK: - Tiles

  private func grid(_ zoomed: ZoomGeometry, bytes: Int = 44 << 20) -> ZoomGrid? {
    zoomed.tiles(overview: 0.01, bytes: bytes)
  }

  @Test(arguments: [(16.0, 0), (1, 0), (0.7, 0), (0.6, 1), (0.3, 2), (0.15, 3)])
  func tilesHaveNearlyThePixelsOfTheScreen(factor: Double, level: Int) {
    #expect(grid(geometry(100, 100, factor))?.level == level)
  }

  @Test func onlyTilesThatAreSeenAreDecoded() {
    var zoomed = geometry(300, 300, 1)
    zoomed.center(x: 512, y: 256)
    #expect(grid(zoomed) == ZoomGrid(level: 0, columns: 1..<3, rows: 0..<2))
    _ = zoomed.scroll(by: Point(x: 5_000, y: 5_000))
    #expect(grid(zoomed) == ZoomGrid(level: 0, columns: 6..<8, rows: 2..<4))
  }

  @Test func whereTheOverviewHasEnoughPixelsThereAreNoTiles() {
    #expect(geometry(500, 500).tiles(overview: 0.25, bytes: 1 << 20) == nil)
    #expect(geometry(500, 500, 4).tiles(overview: 1, bytes: 1 << 20) == nil)
  }

  @Test func tilesThatTakeTooMuchAreCoarser() {
    let zoomed = geometry(2_000, 1_000, 1.1)
    #expect(grid(zoomed)?.level == 0)
    #expect(grid(zoomed, bytes: 4 << 20)?.level == 1)
    #expect(grid(zoomed, bytes: 0) == nil)
  }

  @Test func theTilesAroundAreWithinThePicture() {
    let zoomed = geometry(300, 300, 1)
    let around = ZoomGrid(level: 0, columns: 6..<8, rows: 2..<4)
    let larger = zoomed.surroundings(of: around, bytes: 44 << 20)
    #expect(larger == ZoomGrid(level: 0, columns: 5..<8, rows: 1..<4))
    #expect(zoomed.surroundings(of: around, bytes: 1 << 20) == around)
  }

  @Test(arguments: [(5_120, 2_880), (7_680, 4_320), (15_360, 200)])
  func aPixelForAPixelIsNeverCoarser(width: Double, height: Double) throws {
    var zoomed = ZoomGeometry(PixelSize(width: 20_000, height: 20_000))
    zoomed.resize(Size(width: width, height: height))
    zoomed.set(1)
    // The most tiles are seen where both the first and the last are seen in part.
    zoomed.center(x: 10_001, y: 10_001)
    let bytes = ZoomGeometry.tileBytes(in: zoomed.room)
    let seen = try #require(grid(zoomed, bytes: bytes))
    #expect(seen.level == 0)
    #expect(zoomed.surroundings(of: seen, bytes: bytes).count > seen.count)
    #expect(bytes <= (seen.columns.count + 3) * (seen.rows.count + 3) * ZoomTile.largestBytes)
  }

  @Test func tilesOfARoomOfAnySizeAreBounded() {
    let endless = Size(width: .infinity, height: 1e9)
    #expect(ZoomGeometry.tileBytes(in: endless) == 256 << 20)
    let common = ZoomGeometry.tileBytes(in: Size(width: 3_440, height: 1_440))
    #expect(common + ZoomOptions.mostOverviewBytes <= ZoomView.maximumMemoryBytes)
  }

  // MARK: - The overview

  private func overview(_ width: Int, _ height: Int) -> PixelSize {
    ZoomOptions().overviewSize(of: PixelSize(width: width, height: height))
  }

  @Test func anOverviewHasTheShapeOfThePicture() {
    #expect(overview(1_024, 1_024) == PixelSize(width: 1_024, height: 1_024))
    #expect(overview(4_096, 4_096) == PixelSize(width: 1_024, height: 1_024))
    #expect(overview(8_192, 2_048) == PixelSize(width: 2_048, height: 512))
  }

  @Test func noSideOfAnOverviewIsTooLong() {
    #expect(overview(1, 100_000_000) == PixelSize(width: 1, height: 16_384))
    #expect(overview(100_000_000, 3) == PixelSize(width: 16_384, height: 1))
    #expect(overview(32_768, 20) == PixelSize(width: 16_384, height: 10))
    var options = ZoomOptions()
    options.overviewPixels = 1_000
    let size = options.overviewSize(of: PixelSize(width: 1, height: 100_000_000))
    #expect(size == PixelSize(width: 1, height: 1_000))
  }

  @Test(arguments: [0.37, 1, 1.4, 7.77])
  func tilesMeetOnTheScreen(factor: Double) {
    let zoomed = geometry(300, 300, factor)
    let tiles = (0..<7).map { ZoomTile(level: 0, column: $0, row: 0).region(in: zoomed.picture) }
    let places = tiles.map { zoomed.place(of: $0) }
    for (left, right) in zip(places, places.dropFirst()) {
      #expect(left.x + left.width == right.x)
      #expect(left.x == left.x.rounded())
    }
  }

  @Test func tilesAtTheEdgeAreCut() {
    let picture = PixelSize(width: 2_001, height: 1_000)
    let last = ZoomTile(level: 1, column: 3, row: 1)
    #expect(last.region(in: picture) == PixelRectangle(x: 1_536, y: 512, width: 465, height: 488))
    #expect(ZoomTiles(last).pixels(in: picture) == PixelSize(width: 233, height: 244))
    #expect(!ZoomTiles.isWhole(last, in: picture))
    #expect(last.parent(at: 3) == ZoomTile(level: 3, column: 0, row: 0))
  }
}
