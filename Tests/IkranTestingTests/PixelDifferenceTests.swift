import Ikran
import IkranTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PixelDifferenceTests {
  /// A picture of one colour, given as blue, green, red and alpha, with other bytes at one place.
  private func picture(_ pixel: [UInt8], _ other: [UInt8]? = nil) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: 4, height: 3), format: .bgra)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<3 {
        for x in 0..<4 {
          let shown = x == 2 && y == 1 ? other ?? pixel : pixel
          for channel in 0..<4 { bytes[y * bytesPerRow + 4 * x + channel] = shown[channel] }
        }
      }
    }
    return canvas.finish()
  }

  @Test func equalPicturesInOtherPixelFormatsAreEqual() throws {
    let picture = try picture([80, 160, 240, 255])
    try expectPixels(picture, equal: picture)
    try expectPixels(picture.converted(to: .bgr), equal: picture)
    try expectPixels(picture, equal: picture.converted(to: .bgrx))
  }

  @Test func anotherSizeIsADifference() throws {
    let picture = try picture([0, 0, 0, 255])
    let large = try TestImages.gradient(width: 5, height: 3)
    let error = #expect(throws: PixelDifference.self) { try expectPixels(large, equal: picture) }
    #expect(error?.description == "the image has 5×3 pixels, expected 4×3")
  }

  @Test func theFirstDifferentPixelIsNamed() throws {
    let (black, dot) = (try picture([0, 0, 0, 255]), try picture([0, 0, 0, 255], [0, 0, 9, 255]))
    let error = #expect(throws: PixelDifference.self) { try expectPixels(dot, equal: black) }
    #expect(
      error
        == .pixels(
          x: 2,
          y: 1,
          found: SIMD4(9, 0, 0, 255),
          expected: SIMD4(0, 0, 0, 255),
          maximum: 9,
          count: 1
        )
    )
    #expect(
      error?.description == "1 pixel differs, by 9 at most; the first, x 2 y 1, is 9 0 0 255,"
        + " expected 0 0 0 255 (premultiplied red, green, blue, alpha)"
    )
  }

  @Test func aDifferenceUpToTheToleranceIsNone() throws {
    let (black, dot) = (try picture([0, 0, 0, 255]), try picture([0, 0, 0, 255], [0, 9, 0, 255]))
    try expectPixels(dot, equal: black, tolerance: 9)
    try expectPixels(black, equal: dot, tolerance: 9)
    #expect(throws: PixelDifference.self) { try expectPixels(dot, equal: black, tolerance: 8) }
  }
}
