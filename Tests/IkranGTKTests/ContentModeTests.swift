import IkranGTK
import IkranTesting
import Testing

extension GTKTests {
  /// Where a picture lies in a widget of another size.
  @Suite @MainActor
  struct ContentModeTests {
    private let pipeline = ImagePipeline.deterministic(transport: FakeTransport())

    /// Shows a picture of 16 × 8 in a widget of 40 × 40: the area that it covers.
    private func area(_ mode: ContentMode) throws -> [Int] {
      try Display.open()
      let window = try Window(width: 40, height: 40)
      var request = ImageRequest(TestURL.face(1), style: .rectangle(width: 16, height: 8))
      request.scale = 1
      let color = TestURL.color(1)
      let size = PixelSize(width: 16, height: 8)
      pipeline.store(try Bitmap(color, size: size).converted(to: .bgr), for: request)
      let options = DisplayOptions(contentMode: mode)
      ImageTarget(window.widget).setImage(request, from: pipeline, options: options)
      try window.drawFrames(2)
      let pixels = try window.pixels()
      var (left, top, right, bottom) = (40, 40, 0, 0)
      for y in 0..<40 {
        for x in 0..<40 where pixels.color(x: x, y: y)?.alpha == 255 {
          (left, top) = (min(left, x), min(top, y))
          (right, bottom) = (max(right, x + 1), max(bottom, y + 1))
        }
      }
      return [left, top, right, bottom]
    }

    @Test func aPictureInItsOwnSizeLiesOnWholePixels() throws {
      // Between 40 and 16 points are 12 a side, between 40 and 8 are 16: a third of either is none.
      let third = ContentMode(.none, horizontal: 1 / 3.0, vertical: 0.3)
      #expect(try area(third) == [8, 9, 24, 17])
    }

    @Test(
      arguments: [
        (.contain, [0, 10, 40, 30]), (.scaleDown, [12, 16, 28, 24]), (.cover, [0, 0, 40, 40]),
        (.stretch, [0, 0, 40, 40]), (.center, [12, 16, 28, 24]),
        (ContentMode(.none, horizontal: 0, vertical: 0), [0, 0, 16, 8]),
        (ContentMode(.none, horizontal: 1, vertical: 1), [24, 32, 40, 40]),
        (ContentMode(.contain, vertical: 0), [0, 0, 40, 20]),
        (ContentMode(.none, horizontal: -7, vertical: .nan), [0, 16, 16, 24]),
      ] as [(ContentMode, [Int])]
    )
    func thePictureCoversItsArea(mode: ContentMode, expected: [Int]) throws {
      #expect(try area(mode) == expected)
    }
  }
}
