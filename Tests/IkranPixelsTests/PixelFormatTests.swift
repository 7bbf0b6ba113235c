import IkranPixels
import Testing

@Suite struct PixelFormatTests {
  @Test func rowsAreAlignedToSixtyFourBytes() {
    #expect(PixelFormat.bgr.bytesPerRow(width: 96) == 320)
    #expect(PixelFormat.bgra.bytesPerRow(width: 96) == 384)
  }
}
