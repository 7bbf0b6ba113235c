import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Animated PNG files that are shown as stills: those of one frame, and those whose number of frames
/// cannot be.
@Suite(.timeLimit(.minutes(10))) struct OnlyFrameTests {
  private static let size = PixelSize(width: 7, height: 5)
  private static let (red, green) = (Pixel(250, 1, 2), Pixel(3, 240, 4))
  private static let half = Pixel(200, 100, 50, 128)
  private static let clear = Pixel(0, 0, 0, 0)
  private static let whole = PlacedFrame(0, 0, 7, 5, green)

  private func file(_ frames: [PlacedFrame], hidden: PlacedFrame? = nil) -> AnimatedPNG {
    var file = AnimatedPNG(size: Self.size, frames: frames)
    file.hiddenImage = hidden
    return file
  }

  private func isStill(_ bytes: [UInt8]) throws -> Bool {
    try CodecList.standard.frames(of: bytes) == nil
  }

  @Test(arguments: PlacedFrame.Disposal.allCases, [true, false])
  func theOnlyFrameIsShownForAHiddenPicture(
    _ disposal: PlacedFrame.Disposal,
    _ isBlended: Bool
  ) throws {
    for area in [(0, 0, 7, 5), (1, 2, 3, 3), (6, 4, 1, 1)] {
      for color in [Self.green, Self.half] {
        var frame = PlacedFrame(area.0, area.1, area.2, area.3, color).disposed(disposal)
        frame.isBlended = isBlended
        let bytes = file([frame], hidden: PlacedFrame(0, 0, 7, 5, Self.red)).bytes
        let wanted = ReferenceCanvas.compose([frame], on: Self.size)
        #expect(try outcome(of: bytes).get().distance(to: wanted[0]) == 0)
        let info = try probe(bytes).get()
        #expect(!info.isAnimated)
        #expect(info.loops == nil)
        #expect(try isStill(bytes))
      }
    }
  }

  @Test func theCanvasOfAnOnlyFrameCountsAgainstTheLimit() throws {
    let hidden = PlacedFrame(0, 0, 7, 5, Self.red)
    let bytes = file([PlacedFrame(0, 0, 1, 1, Self.green)], hidden: hidden).bytes
    var limits = DecodeLimits()
    limits.maximumPixels = 34
    let small = Fitting.inside(PixelSize(width: 2, height: 2))
    let refused = failure(of: bytes, small, limits: limits)
    #expect(refused == .overLimit(.pixels, value: 35, limit: 34))
    limits.maximumPixels = 35
    #expect(throws: Never.self) { try outcome(of: bytes, small, limits: limits).get() }
  }

  /// Red, green, blue, without compression.
  private func opaque(_ frame: (left: Int, top: Int, width: Int, height: Int)) -> [UInt8] {
    func rows(_ width: Int, _ height: Int, _ color: [UInt8]) -> [UInt8] {
      let row: [UInt8] = [0] + [[UInt8]](repeating: color, count: width).joined()
      return PNGSample.stored(Array([[UInt8]](repeating: row, count: height).joined()))
    }
    let header = PNGSample.word(7) + PNGSample.word(5) + [8, 2, 0, 0, 0]
    let area = [frame.width, frame.height, frame.left, frame.top].flatMap(PNGSample.word)
    let control = PNGSample.word(0) + area + [0, 1, 0, 10, 0, 0]
    return PNGSample.signature + PNGSample.chunk("IHDR", header)
      + PNGSample.chunk("acTL", PNGSample.word(1) + PNGSample.word(0))
      + PNGSample.chunk("IDAT", rows(7, 5, [250, 1, 2])) + PNGSample.chunk("fcTL", control)
      + PNGSample.chunk("fdAT", PNGSample.word(1) + rows(frame.width, frame.height, [3, 240, 4]))
      + PNGSample.chunk("IEND", [])
  }

  @Test func pixelsOutsideTheOnlyFrameAreClear() throws {
    let covering = opaque((0, 0, 7, 5))
    #expect(try probe(covering).get().hasAlpha == false)
    let picture = try outcome(of: covering).get()
    #expect(picture.format == .bgrx)
    #expect(picture.pixels.joined().allSatisfy { $0 == Self.green })
    let partial = opaque((2, 1, 3, 2))
    #expect(try probe(partial).get().hasAlpha)
    let other = try outcome(of: partial).get()
    #expect(other.format == .bgra)
    #expect(other.pixels[1][2] == Self.green)
    #expect(other.pixels[0][0] == Self.clear)
  }

  @Test func theOnlyFrameIsTurnedAndCropped() throws {
    let bytes = opaque((0, 0, 4, 2))
    let entry: [UInt8] = [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
    let chunk = PNGSample.chunk("eXIf", Array("II*\0".utf8) + entry)
    let turned: [UInt8] = bytes[..<33] + chunk + bytes[33...]
    let upright = try outcome(of: bytes).get().oriented(.right)
    #expect(try outcome(of: turned).get().distance(to: upright) == 0)
    let region = PixelRectangle(x: 1, y: 0, width: 2, height: 3)
    let part = try outcome(of: turned, .region(region, region.size)).get()
    let wanted = upright.pixels[..<3].map { Array($0[1..<3]) }
    #expect(part.pixels == wanted)
    var decoder = try RegionDecoder(turned.span)
    #expect(try decoder.decode(region, of: turned.span).pixels == wanted)
  }

  @Test func theFrameThatIsTheDefaultPictureIsShown() throws {
    let bytes = file([Self.whole]).bytes
    #expect(try outcome(of: bytes).get().pixels[0][0] == Self.green)
    #expect(try isStill(bytes))
  }

  @Test func aFrameThatIsNotWholeLeavesTheDefaultPicture() throws {
    let bytes = file([Self.whole], hidden: PlacedFrame(0, 0, 7, 5, Self.red)).bytes
    let control = try #require(bytes.firstRange(of: Array("fcTL".utf8))).lowerBound
    for count in control..<bytes.count - 16 {
      let picture = try outcome(of: Array(bytes[..<count])).get()
      #expect(picture.pixels[0][0] == Self.red, "\(count) bytes")
    }
  }

  @Test(arguments: [0, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF, 10_001, 0x7FFF_FFFF])
  func aNumberOfFramesThatCannotBeShowsTheStill(_ count: Int) throws {
    for frames in [[Self.whole], [Self.whole, PlacedFrame(0, 0, 1, 1, Self.red)]] {
      for hidden in [nil, PlacedFrame(0, 0, 7, 5, Self.red)] {
        var file = file(frames, hidden: hidden)
        file.declaredFrames = count
        let color = hidden == nil ? Self.green : Self.red
        #expect(try outcome(of: file.bytes).get().pixels[0][0] == color)
        #expect(try isStill(file.bytes))
        #expect(try probe(file.bytes).get().frames == 1)
      }
    }
  }

  @Test func aCutNumberOfFramesShowsTheStill() throws {
    let bytes = file([Self.whole, Self.whole]).bytes
    let start = try #require(bytes.firstRange(of: Array("acTL".utf8))).lowerBound - 4
    for length in [0, 4, 7, 9] {
      let chunk = PNGSample.chunk("acTL", [UInt8](repeating: 1, count: length))
      let changed = Array(bytes[..<start] + chunk + bytes[(start + 20)...])
      #expect(try outcome(of: changed).get().pixels[0][0] == Self.green)
      #expect(try isStill(changed))
    }
  }

  @Test func framesThatAreThereAreRefusedOverTheLimit() throws {
    let bytes = file([Self.whole, Self.whole, Self.whole]).bytes
    var limits = DecodeLimits()
    limits.maximumFrames = 2
    let error = DecodeError.overLimit(.frames, value: 3, limit: 2)
    #expect(failure(of: bytes, limits: limits) == error)
    #expect(throws: error) {
      try CodecList.standard.frames(of: bytes, rules: DecodeRules(limits: limits))
    }
  }
}
