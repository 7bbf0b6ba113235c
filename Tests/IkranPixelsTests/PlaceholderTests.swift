import IkranPixels
import Testing

/// What is shown until an image is there.
@Suite struct PlaceholderTests {
  private let size = PixelSize(40, 30)

  @Test func aColorFillsThePlace() throws {
    let color = Color(red: 200, green: 100, blue: 0, alpha: 128)
    let picture = try Placeholder.color(color).bitmap(size: size)
    #expect(picture.size == size)
    #expect(picture.format == .bgra)
    // Premultiplied: 100 · 128 / 255 is 50.2.
    #expect(try picture.pixels == Bitmap(color, size: size).pixels)
    #expect(picture.pixels.prefix(4) == [0, 50, 100, 128])
  }

  @Test func aPictureCoversThePlace() throws {
    let photo = try noise(90, 20, .bgrx)
    let picture = try Placeholder.picture(photo).bitmap(size: size)
    #expect(try picture.pixels == photo.resampled(.cover(size)).pixels)
  }

  @Test func hashesAreDrawnInThePlace() throws {
    let photo = try noise(64, 48, .bgrx)
    let thumb = try Placeholder.thumbHash(photo.thumbHash()).bitmap(size: size)
    let blur = try Placeholder.blurHash(photo.blurHash()).bitmap(size: size)
    let mean = try #require(try photo.averageColor())
    for picture in [thumb, blur] {
      #expect(picture.size == size)
      let found = try #require(try picture.averageColor())
      #expect((Int(found.green) - Int(mean.green)).magnitude < 24)
    }
  }

  @Test(arguments: [Placeholder.thumbHash([1, 2]), .blurHash("no hash")])
  func damagedHashesThrow(placeholder: Placeholder) {
    #expect(throws: BitmapError.self) { try placeholder.bitmap(size: size) }
  }

  @Test(arguments: [PixelSize(0, 4), PixelSize(.max, .max)])
  func impossibleSizesThrow(size: PixelSize) {
    for placeholder in [Placeholder.color(.white), .blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")] {
      #expect(throws: BitmapError.self) { try placeholder.bitmap(size: size) }
    }
  }
}
