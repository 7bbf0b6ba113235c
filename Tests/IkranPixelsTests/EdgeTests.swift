import IkranPixels
import Testing

/// A rounded rectangle sampled on a grid of 16 × 16 points per pixel.
private struct Supersampled {
  let size: PixelSize
  let inset, radius: Double

  init(_ size: PixelSize, inset: Double = 0, radius: Double) {
    self.size = size
    self.inset = inset
    let half = (Double(min(size.width, size.height)) - 2 * inset) / 2
    self.radius = max(0, min(radius, half))
  }

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
    let right = Double(size.width) - inset
    let bottom = Double(size.height) - inset
    guard x >= inset, x <= right, y >= inset, y <= bottom else { return false }
    let across = x - min(max(x, inset + radius), right - radius)
    let down = y - min(max(y, inset + radius), bottom - radius)
    return across * across + down * down <= radius * radius
  }
}

@Suite(.timeLimit(.minutes(10))) struct EdgeTests {
  private static let shapes: [(String, PixelSize, inset: Double, radius: Double)] = [
    ("circle:1", PixelSize(1, 1), 0, 0.5), ("circle:2", PixelSize(2, 2), 0, 1),
    ("circle:3", PixelSize(3, 3), 0, 1.5), ("circle:24", PixelSize(24, 24), 0, 12),
    ("circle:33", PixelSize(33, 33), 0, 16.5), ("rounded:20x14,r=4.5", PixelSize(20, 14), 0, 4.5),
    ("rounded:5x17,r=9", PixelSize(5, 17), 0, 2.5), ("rounded:1x9,r=3", PixelSize(1, 9), 0, 0.5),
    ("circle:20,b=2.5", PixelSize(20, 20), 2.5, 7.5), ("circle:9,b=5", PixelSize(9, 9), 5, 0),
    ("rounded:21x16,r=4,b=1.25", PixelSize(21, 16), 1.25, 4),
  ]

  @Test(arguments: shapes)
  func coverageIsThatOfSixteenTimesSupersampling(
    text: String,
    size: PixelSize,
    inset: Double,
    radius: Double
  ) throws {
    let white = try picture(size.width, size.height) { _, _ in [255, 255, 255, 255] }
    let styled = try white.styled(Style(parsing: text))
    let exact = Supersampled(size, inset: inset, radius: radius)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel = styled.pixel(x, y)
        #expect(abs(Double(pixel[3]) - exact.coverage(x, y) * 255) <= 1, "at \(x), \(y)")
        #expect(pixel == Array(repeating: pixel[3], count: 4))
      }
    }
  }

  @Test(arguments: [("#C86432", 255.0), ("#C8643280", 128.0)])
  func aRingIsPaintedOverThePictureWithinItsEdges(color: String, alpha: Double) throws {
    let size = PixelSize(20, 20)
    let image = try picture(20, 20) { _, _ in [240, 10, 90, 255] }
    let styled = try image.styled(Style(parsing: "rounded:20x20,r=6,b=2.5,bc=\(color)"))
    let outer = Supersampled(size, radius: 6)
    let inner = Supersampled(size, inset: 2.5, radius: 3.5)
    for y in 0..<20 {
      for x in 0..<20 {
        let inside = inner.coverage(x, y)
        let ring = max(0, outer.coverage(x, y) - inside)
        let paint = ring * alpha / 255
        let picture = inside + ring * (1 - alpha / 255)
        let expected = zip([240.0, 10, 90, 255], [50.0, 100, 200, 255]).map {
          $0 * picture + $1 * paint
        }
        let worst = zip(styled.pixel(x, y), expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst <= 2, "at \(x), \(y)")
      }
    }
    #expect(styled.pixel(10, 10) == [240, 10, 90, 255])
    #expect(styled.pixel(0, 0)[3] < 20)
  }

  @Test func aRingAsWideAsTheShapeHidesThePicture() throws {
    let image = try noise(8, 8)
    let styled = try image.styled(.circle(8, border: .init(9, color: .white)))
    let white = try picture(8, 8) { _, _ in [255, 255, 255, 255] }
    #expect(styled.pixels == (try white.styled(.circle(8)).pixels))
  }

  @Test func edgesAreSymmetric() throws {
    let white = try picture(23, 18) { _, _ in [255, 255, 255, 255] }
    let styled = try white.styled(Style(parsing: "rounded:23x18,r=7.3,b=0.7"))
    for flip in [Orientation.upMirrored, .downMirrored, .down] {
      #expect(try styled.oriented(flip).pixels == styled.pixels)
    }
  }

  @Test func masksTooLargeToStoreAreTheSame() throws {
    // Its quarter is over a megabyte, so rows are computed one by one.
    let workspace = Workspace()
    let size = 1500
    let white = try picture(1, 1) { _, _ in [255, 255, 255, 255] }
    let styled = try white.styled(.circle(Double(size)), workspace: workspace)
    let exact = Supersampled(PixelSize(size, size), radius: Double(size) / 2)
    for (x, y) in [(0, 749), (0, 750), (219, 219), (220, 219), (1280, 1279), (749, 0), (900, 15)] {
      let covered = exact.coverage(x, y) * 255
      #expect(abs(Double(styled.pixel(x, y)[3]) - covered) <= 1, "at \(x), \(y)")
    }
  }
}
