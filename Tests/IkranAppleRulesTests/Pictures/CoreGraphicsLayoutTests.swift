import IkranApple
import IkranPixels
import Testing

@Suite struct CoreGraphicsLayoutTests {
  /// By the constants of `CGImage.h`: alpha in the lowest five bits, the order of bytes above bit 11.
  @Test(arguments: [
    (PixelFormat.bgra, 8, 32, UInt32(0x2002)),
    (.bgrx, 8, 32, 0x2006),
    (.bgr555, 5, 16, 0x1006),
    (.gray, 8, 8, 0),
  ])
  func eachFormatHasTheNumbersOfCoreGraphics(
    format: PixelFormat,
    component: Int,
    pixel: Int,
    info: UInt32
  ) throws {
    let layout = try #require(CoreGraphicsLayout(format))
    #expect(layout.bitsPerComponent == component)
    #expect(layout.bitsPerPixel == pixel)
    #expect(layout.bitmapInfo == info)
    #expect(layout.colorSpace == (format == .gray ? .grayGamma22 : .sRGB))
  }

  @Test func only24BitsAreCopied() {
    #expect(PixelFormat.allCases.filter(CoreGraphicsLayout.copies) == [.bgr])
    #expect(CoreGraphicsLayout(.bgr) == nil)
  }

  @Test(arguments: PixelFormat.allCases)
  func whatIsSharedIsAFormatOfCoreGraphics(format: PixelFormat) {
    #expect(CoreGraphicsLayout(CoreGraphicsLayout.shared(for: format)) != nil)
  }

  /// Core Graphics wants rows of whole pixels.
  @Test(
    arguments: PixelFormat.allCases.filter { !CoreGraphicsLayout.copies($0) },
    [1, 7, 97, 4096]
  )
  func rowsHaveRoomForTheirPixels(format: PixelFormat, width: Int) throws {
    let layout = try #require(CoreGraphicsLayout(format))
    let bytesPerRow = try #require(format.bytesPerRow(width: width))
    #expect(bytesPerRow * 8 >= width * layout.bitsPerPixel)
    #expect(bytesPerRow % 64 == 0)
  }

  /// `none`, `premultipliedLast`, `premultipliedFirst`, `last`, `first`, `noneSkipLast`,
  /// `noneSkipFirst`, `alphaOnly`.
  @Test func alphaIsWhatCoreGraphicsSaysItIs() {
    #expect((0...7).filter(CoreGraphicsLayout.hasAlpha) == [1, 2, 3, 4, 7])
  }
}
