import IkranPixels
import Testing

/// Core Graphics reads every row to its end, also the last one.
@Suite struct WholeRowsTests {
  private final class Owner: Sendable {}

  @Test(arguments: PixelFormat.allCases)
  func memoryOfOurOwnHasAllOfTheLastRow(format: PixelFormat) throws {
    let canvas = try Canvas(size: PixelSize(width: 7, height: 3), format: format)
    #expect(canvas.finish().hasWholeRows)
  }

  @Test func lentMemoryMayEndWithTheLastPixel() throws {
    let bytes = [UInt8](repeating: 0, count: 128 + 12)
    try bytes.withUnsafeBytes { memory in
      let bitmap = try Bitmap(
        lending: memory,
        size: PixelSize(width: 3, height: 3),
        format: .bgrx,
        bytesPerRow: 64,
        owner: Owner()
      )
      #expect(!bitmap.hasWholeRows)
    }
  }
}
