import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct ColorReadingTests {
  private static let orange = Color(red: 240, green: 120, blue: 16)

  @Test(arguments: PixelFormat.allCases)
  func aColourIsReadFromEveryFormat(_ format: PixelFormat) throws {
    let image = try picture(3, 2, .bgrx) { x, y in [UInt8(x * 99), UInt8(y * 255), 132, 255] }
    let stored = try image.converted(to: format)
    for y in 0..<2 {
      for x in 0..<3 {
        let wanted = try stored.converted(to: .bgrx).pixel(x, y)
        let color = try #require(stored.color(x: x, y: y))
        #expect([color.blue, color.green, color.red, color.alpha] == wanted)
      }
    }
  }

  @Test func aColourIsStraight() throws {
    let image = try picture(256, 1, .bgra) { x, _ in [UInt8(x / 2), UInt8(x), 0, UInt8(x)] }
    #expect(image.color(x: 0, y: 0) == Color(red: 0, green: 0, blue: 0, alpha: 0))
    for x in 1..<256 {
      let color = try #require(image.color(x: x, y: 0))
      #expect((color.green, color.red, color.alpha) == (255, 0, UInt8(x)))
      #expect(abs(Int(color.blue) - 255 * (x / 2) / x) <= 1)
    }
  }

  @Test(arguments: [(-1, 0), (0, -1), (4, 0), (0, 3)])
  func outsideThereIsNoColour(x: Int, y: Int) throws {
    #expect(try noise(4, 3).color(x: x, y: y) == nil)
  }

  @Test func onePixelThatIsNotOpaqueIsEnough() throws {
    let opaque = try picture(9, 5, .bgra) { _, _ in [1, 2, 3, 255] }
    #expect(!opaque.hasTransparentPixels)
    #expect(
      try picture(9, 5, .bgra) { x, y in [0, 0, 0, (x, y) == (8, 4) ? 254 : 255] }
        .hasTransparentPixels
    )
    #expect(try !noise(9, 5).hasTransparentPixels)
  }

  @Test func theMeanOfAPartLeavesTheRestOut() throws {
    let image = try picture(10, 10) { x, y in x < 5 ? [10, 20, 30, 255] : [UInt8(y), 0, 0, 255] }
    #expect(
      try image.averageColor(columns: -3..<5) == Color(red: 30, green: 20, blue: 10)
    )
    #expect(
      try image.averageColor(columns: 5..<99, rows: 2..<5) == Color(red: 0, green: 0, blue: 3)
    )
    #expect(try image.averageColor(rows: 10..<12) == nil)
  }

  @Test func clearPixelsHaveNoColourInAMean() throws {
    // Half of it is clear, a quarter opaque orange, a quarter half transparent orange.
    let image = try picture(4, 1, .bgra) { x, _ in
      x < 2 ? [0, 0, 0, 0] : x == 2 ? [16, 120, 240, 255] : [8, 60, 120, 128]
    }
    let mean = try #require(try image.averageColor())
    #expect(mean.alpha == 96)
    for (channel, wanted) in [(mean.red, 240), (mean.green, 120), (mean.blue, 16)] {
      #expect(abs(Int(channel) - wanted) <= 1)
    }
  }

  @Test func theMeanOfNoiseIsThatOfItsBytes() throws {
    let image = try noise(37, 23)
    let bytes = image.pixels
    let means = (0..<3).map { channel in
      let values = stride(from: channel, to: bytes.count, by: 4).map { Int(bytes[$0]) }
      return UInt8((Double(values.reduce(0, +)) / Double(values.count)).rounded())
    }
    let color = try #require(try image.averageColor())
    #expect([color.blue, color.green, color.red] == means)
  }

  @Test func mostOfAPictureIsItsDominantColour() throws {
    var dice = Dice(seed: 7)
    // A third is noise; the colour lies at the edge of its cell and flickers over it.
    let image = try picture(60, 60) { x, _ in
      if x % 3 == 0 { return [dice.byte(), dice.byte(), dice.byte(), 255] }
      return [15 + dice.byte() % 3, 119 + dice.byte() % 3, 239 + dice.byte() % 3, 255]
    }
    let color = try #require(try image.dominantColor())
    for (channel, wanted) in [(color.red, 240), (color.green, 120), (color.blue, 16)] {
      #expect(abs(Int(channel) - wanted) <= 2)
    }
  }

  @Test func clearPixelsDominateNothing() throws {
    let image = try picture(10, 1, .bgra) { x, _ in
      x < 8 ? [0, 0, 0, 0] : [16, 120, 240, 255]
    }
    #expect(try image.dominantColor() == Self.orange)
    #expect(try picture(2, 2, .bgra) { _, _ in [0, 0, 0, 0] }.dominantColor() == nil)
  }
}
