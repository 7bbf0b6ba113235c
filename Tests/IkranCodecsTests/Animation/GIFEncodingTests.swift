import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct GIFEncodingTests {
  private static let size = PixelSize(width: 64, height: 48)

  private func source(_ pictures: [Bitmap], durations: [Int] = []) throws -> any FrameSource {
    let encoder = try AnimationEncoder(.gif, size: pictures[0].size, plays: nil)
    for (number, picture) in pictures.enumerated() {
      try encoder.add(picture, duration: durations.isEmpty ? 100 : durations[number])
    }
    return try animation(encoder.finish())
  }

  /// Soft colours, some three thousand of them, that move with `phase`.
  private func soft(_ phase: Int, square: Int? = nil) throws -> Bitmap {
    var pixels: [Pixel] = []
    for y in 0..<48 {
      for x in 0..<64 {
        let isSquare = square.map { x >= $0 && x < $0 + 8 && y >= 8 && y < 16 } ?? false
        let color = Pixel(UInt8(x * 4), UInt8(y * 5), UInt8((x + y + phase) * 2 & 255))
        pixels.append(isSquare ? Pixel(255, 255, 0) : color)
      }
    }
    return try bitmap(pixels, Self.size, hasAlpha: false)
  }

  @Test func aStillOf256ColorsKeepsThem() throws {
    let pixels = (0...255 as ClosedRange<UInt8>).map { Pixel($0, 255 - $0, $0 / 2) }
    let picture = try bitmap(pixels, PixelSize(width: 16, height: 16), hasAlpha: false)
    let read = try outcome(of: picture.encoded(as: .gif)).get()
    #expect(read.format == .bgrx)
    #expect(read.distance(to: picture) == 0)
  }

  @Test func aChangeOf256ColorsKeepsThem() throws {
    let size = PixelSize(width: 20, height: 16)
    let gray = [Pixel](repeating: Pixel(1, 1, 1), count: 320)
    var many = (0..<320).map { Pixel(UInt8($0 & 255), 77, UInt8($0 & 255)) }
    (many[9], many[265]) = (Pixel(1, 1, 1), Pixel(1, 1, 1))
    let written = [
      try bitmap(gray, size, hasAlpha: false), try bitmap(many, size, hasAlpha: false),
    ]
    let read = try source(written).composed()
    #expect(zip(read, written).allSatisfy { $0.distance(to: $1) == 0 })
  }

  @Test(arguments: [2, 3, 4, 16, 17, 128, 256])
  func noiseThatFillsTheTableOfCodesKeepsItsPixels(_ colors: Int) throws {
    var random = SeededGenerator(seed: UInt64(colors))
    let size = PixelSize(width: 210, height: 190)
    for picture in try random.pictures(1, size, colors: colors) {
      let read = try outcome(of: picture.encoded(as: .gif)).get()
      #expect(read.distance(to: picture) == 0)
    }
  }

  @Test func aStillWithClearEdgesCoversItsCanvas() throws {
    let size = PixelSize(width: 4, height: 4)
    var pixels = [Pixel](repeating: Pixel(0, 0, 0, 0), count: 16)
    pixels[5] = Pixel(255, 0, 0)
    let file = try bitmap(pixels, size).encoded(as: .gif)
    // The control block with a transparent index, and the descriptor of a whole canvas.
    #expect(file[13...15] == [0x21, 0xF9, 4] && file[16] & 1 == 1)
    #expect(file[21...29] == [0x2C, 0, 0, 0, 0, 4, 0, 4, 0])
    #expect(try outcome(of: file).get().pixels[0].allSatisfy { $0.alpha == 0 })
  }

  @Test(arguments: [2, 256, 3_000])
  func aPictureThatIsClearedAfterwardsHasATransparentIndex(colors: Int) throws {
    let size = PixelSize(width: 60, height: 60)
    let first = (0..<3_600).map { place in
      let color = place % colors
      return Pixel(UInt8(color & 255), UInt8(color >> 8), 9)
    }
    var second = first
    second[7] = Pixel(0, 0, 0, 0)
    let encoder = try AnimationEncoder(.gif, size: size, plays: 1)
    for pixels in [first, second] { try encoder.add(bitmap(pixels, size), duration: 100) }
    let file = try encoder.finish()
    #expect(file[13...15] == [0x21, 0xF9, 4] && file[16] == 2 << 2 | 1)
    let read = try animation(file).composed()
    #expect(read[1].pixels[0][7].alpha == 0 && read[1].pixels[0][6].alpha == 255)
  }

  @Test func alphaIsOpaqueFromAHalf() throws {
    let size = PixelSize(width: 4, height: 1)
    let alphas: [UInt8] = [0, 127, 128, 255]
    let picture = try bitmap(alphas.map { Pixel(255, 255, 255, $0) }, size)
    let read = try outcome(of: picture.encoded(as: .gif)).get()
    #expect(read.pixels[0].map(\.alpha) == [0, 0, 255, 255])
  }

  @Test func thousandsOfColorsStayClose() throws {
    let written = try (0..<4).map { try soft($0 * 40) }
    let read = try source(written).composed()
    for (number, pair) in zip(read, written).enumerated() {
      let decibels = try pair.0.signalToNoise(pair.1)
      #expect(decibels > 29, "frame \(number): \(decibels) dB")
    }
  }

  @Test func noiseOfManyColorsStaysNear() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("GIF of noise, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let written = try random.pictures(4, Self.size, colors: 3_000, alphas: [255])
    for pair in try zip(source(written).composed(), written) {
      #expect(try pair.0.signalToNoise(pair.1) > 20, "seed \(seed)")
    }
  }

  @Test func manyColorsMayHaveClearPixels() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("GIF of noise with clear pixels, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let written = try random.pictures(6, Self.size, colors: 3_000, alphas: [0, 255, 255, 255])
    for pair in try zip(source(written).composed(), written) {
      let alphas = pair.0.pixels.joined().map(\.alpha)
      #expect(alphas == pair.1.pixels.joined().map(\.alpha), "seed \(seed)")
      #expect(try pair.0.signalToNoise(pair.1) > 20, "seed \(seed)")
    }
  }

  @Test func onlyWhatMovesIsStored() throws {
    let still = try source([soft(0), soft(0, square: 8)])
    let moving = try soft(0, square: 8).encoded(as: .gif).count
    let encoder = try AnimationEncoder(.gif, size: Self.size, plays: nil)
    for step in 0..<20 { try encoder.add(soft(0, square: step), duration: 100) }
    #expect(try encoder.finish().count < 2 * moving + 20 * 800)
    // The square is exact, what is around it stays as it was.
    let read = try still.composed()
    #expect(read[1].pixels[12][10] == Pixel(255, 255, 0))
    #expect(read[1].pixels[40] == read[0].pixels[40])
  }

  @Test func durationsAreRoundedWithoutDrift() throws {
    let durations = [Int](repeating: 33, count: 30) + [25, 26, 27, 28]
    let stored = try source(durations.indices.map { try dot($0) }, durations: durations).info
    let read = stored.frames.map(\.duration)
    #expect(zip(read, durations).allSatisfy { abs($0 - $1) < 10 })
    var (sum, wanted) = (0, 0)
    for (stored, given) in zip(read, durations) {
      sum += stored
      wanted += given
      #expect(abs(sum - wanted) <= 5)
    }
  }

  @Test func noDurationIsBelowTwentyMilliseconds() throws {
    let durations = [1, 11, 15, 19, 11, 200, .max, 100]
    let stored = try source(durations.indices.map { try dot($0) }, durations: durations).info
    #expect(stored.frames.map(\.duration) == [20, 20, 20, 20, 20, 200, 655_350, 100])
  }

  private func dot(_ place: Int) throws -> Bitmap {
    var pixels = [Pixel](repeating: Pixel(0, 0, 0), count: 64)
    pixels[place] = Pixel(255, 255, 255)
    return try bitmap(pixels, PixelSize(width: 8, height: 8), hasAlpha: false)
  }
}
