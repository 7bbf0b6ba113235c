import IkranApple
import IkranPixels
import Testing

@Suite struct PointSizeTests {
  private let size = PixelSize(width: 300, height: 100)

  @Test(arguments: [(1.0, 300.0, 100.0), (2, 150, 50), (3, 100, 100.0 / 3), (0.5, 600, 200)])
  func pixelsAreDividedByTheScale(scale: Double, width: Double, height: Double) {
    let points = PointSize(size, scale: scale)
    #expect(points.width == width)
    #expect(points.height == height)
  }

  @Test(arguments: [0, -2, Double.nan, .infinity])
  func aScaleThatIsNoneCountsAsOne(scale: Double) {
    #expect(PointSize(size, scale: scale) == PointSize(size, scale: 1))
  }
}
