import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct DrawingTests {
  private func drawn(
    _ image: Bitmap,
    _ size: PixelSize,
    _ format: PixelFormat,
    _ fitting: CanvasFitting
  ) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: format)
    try canvas.draw(image, fitting: fitting)
    return canvas.finish()
  }

  @Test(arguments: PixelFormat.allCases)
  func aPictureOfTheCanvasesSizeIsCopied(format: PixelFormat) throws {
    let image = try noise(37, 11)
    let expected = try image.converted(to: format)
    for fitting in CanvasFitting.allCases {
      #expect(try drawn(image, image.size, format, fitting).pixels == expected.pixels)
    }
  }

  @Test func fillingCoversTheCanvas() throws {
    let image = try noise(40, 20)
    let expected = try image.resampled(.cover(PixelSize(10, 10)))
    #expect(try drawn(image, PixelSize(10, 10), .bgrx, .fill).pixels == expected.pixels)
  }

  @Test(arguments: [(40, 20, 0, 2), (20, 40, 3, 0)])
  func fittingDrawsAllInTheMiddleAndKeepsTheRest(
    width: Int,
    height: Int,
    left: Int,
    top: Int
  ) throws {
    let image = try picture(width, height, .bgrx) { _, _ in [10, 20, 30, 255] }
    let size = width > height ? PixelSize(10, 9) : PixelSize(10, 8)
    let result = try drawn(image, size, .bgra, .fit)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isInside =
          x >= left && y >= top && x < left + (width > height ? 10 : 4)
          && y < top + (width > height ? 5 : 8)
        #expect(result.pixel(x, y) == (isInside ? [10, 20, 30, 255] : [0, 0, 0, 0]))
      }
    }
  }

  @Test func transparencyReplacesTheCanvas() throws {
    let clear = try picture(4, 4, .bgra) { _, _ in [0, 0, 0, 0] }
    var canvas = try Canvas(size: PixelSize(4, 4), format: .bgra)
    canvas.withMutableBytes { bytes in for index in bytes.indices { bytes[index] = 255 } }
    try canvas.draw(clear)
    #expect(canvas.finish().pixels.allSatisfy { $0 == 0 })
    #expect(try drawn(clear, PixelSize(4, 4), .bgr, .fill).pixels.allSatisfy { $0 == 0 })
  }

  @Test func aWorkspaceChangesNothing() throws {
    let image = try noise(33, 21)
    let workspace = Workspace()
    for _ in 0..<2 {
      var canvas = try Canvas(size: PixelSize(9, 7), format: .bgr)
      try canvas.draw(image, workspace: workspace)
      let expected = try drawn(image, PixelSize(9, 7), .bgr, .fill)
      #expect(canvas.finish().pixels == expected.pixels)
    }
  }
}
