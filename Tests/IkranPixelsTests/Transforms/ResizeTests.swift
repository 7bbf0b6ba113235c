import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResizeTests {
  @Test func modesHaveTheirNames() {
    let names = ResizeMode.allCases.map(\.rawValue)
    #expect(names == ["original", "stretch", "fit", "fill", "fillTopLeft", "fillBottomRight"])
  }

  @Test(arguments: PixelFormat.allCases)
  func eachModeHasItsSizeAndThePicturesFormat(format: PixelFormat) throws {
    let image = try noise(40, 20, format)
    let box = PixelSize(10, 10)
    for mode in ResizeMode.allCases {
      let resized = try image.resized(to: box, mode: mode)
      #expect(resized.format == format)
      switch mode {
      case .original: #expect(resized.pixels == image.pixels)
      case .fit: #expect(resized.size == PixelSize(10, 5))
      default: #expect(resized.size == box)
      }
    }
  }

  /// Four bands of columns or rows, each of one colour.
  private func bands(_ width: Int, _ height: Int) throws -> Bitmap {
    try picture(width, height) { x, y in
      [UInt8((width > height ? x * 4 / width : y * 4 / height) * 60), 0, 0, 255]
    }
  }

  @Test(arguments: [PixelSize(80, 20), PixelSize(20, 80)])
  func fillingCropsAtTheNamedEnd(size: PixelSize) throws {
    let image = try bands(size.width, size.height)
    for (mode, band) in [(ResizeMode.fillTopLeft, 0), (.fillBottomRight, 3)] {
      // The part of the same aspect is one band.
      let resized = try image.resized(to: PixelSize(10, 10), mode: mode)
      let inner = (2..<8).flatMap { y in (2..<8).map { x in resized.pixel(x, y)[0] } }
      #expect(inner.allSatisfy { $0 == UInt8(band * 60) })
    }
  }

  @Test func fillingWithoutScalingIsACrop() throws {
    let image = try noise(31, 20)
    let size = PixelSize(20, 20)
    let left = try image.cropped(columns: 0..<20, rows: 0..<20)
    let right = try image.cropped(columns: 11..<31, rows: 0..<20)
    #expect(try image.resized(to: size, mode: .fillTopLeft).pixels == left.pixels)
    #expect(try image.resized(to: size, mode: .fillBottomRight).pixels == right.pixels)
    let tall = try noise(20, 33)
    let top = try tall.cropped(columns: 0..<20, rows: 0..<20)
    let bottom = try tall.cropped(columns: 0..<20, rows: 13..<33)
    #expect(try tall.resized(to: size, mode: .fillTopLeft).pixels == top.pixels)
    #expect(try tall.resized(to: size, mode: .fillBottomRight).pixels == bottom.pixels)
  }

  @Test func theTwoEndsAreMirrorImages() throws {
    let image = try noise(50, 23)
    let size = PixelSize(9, 13)
    let left = try image.resized(to: size, mode: .fillTopLeft)
    let turned = try image.rotated(degrees: 180).resized(to: size, mode: .fillBottomRight)
    let pairs = try zip(left.pixels, turned.rotated(degrees: 180).pixels)
    #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test func fillIsTheMiddleAndFitIsAllOfThePicture() throws {
    let image = try photo(60, 25)
    let size = PixelSize(17, 12)
    #expect(
      try image.resized(to: size, mode: .fill).pixels == image.resampled(.cover(size)).pixels
    )
    #expect(try image.resized(to: size, mode: .fit).pixels == image.resampled(.inside(size)).pixels)
  }

  @Test func stretchingScalesTheAxesApart() throws {
    let image = try bands(80, 20)
    let resized = try image.resized(to: PixelSize(16, 40), mode: .stretch)
    for y in 0..<40 { #expect(resized.pixel(1, y)[0] == 0 && resized.pixel(14, y)[0] == 180) }
  }

  @Test(arguments: ResizeMode.allCases.filter { $0 != .original })
  func anImpossibleSizeThrows(mode: ResizeMode) throws {
    let image = try noise(8, 4)
    for size in [PixelSize(0, 5), PixelSize(5, -1), PixelSize(.max, .max), PixelSize(.min, .min)] {
      #expect(throws: BitmapError.self) { try image.resized(to: size, mode: mode) }
    }
  }
}
