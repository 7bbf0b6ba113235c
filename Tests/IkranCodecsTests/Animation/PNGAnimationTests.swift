import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct PNGAnimationTests {
  private static let size = PixelSize(width: 7, height: 5)
  private static let (red, green) = (Pixel(250, 1, 2), Pixel(3, 240, 4))
  private static let half = Pixel(200, 100, 50, 128)
  private static let clear = Pixel(0, 0, 0, 0)
  private let background = PlacedFrame(0, 0, 7, 5, red)

  private func file(_ frames: [PlacedFrame]) -> AnimatedPNG {
    AnimatedPNG(size: Self.size, frames: frames)
  }

  private func distances(_ frames: [PlacedFrame]) throws -> [Int] {
    let wanted = ReferenceCanvas.compose(frames, on: Self.size)
    let pictures = try animation(file(frames).bytes).composed()
    try #require(pictures.count == wanted.count)
    return zip(pictures, wanted).map { $0.distance(to: $1) }
  }

  @Test(arguments: PlacedFrame.Disposal.allCases, [true, false])
  func everyRuleHasItsPixels(_ disposal: PlacedFrame.Disposal, _ isBlended: Bool) throws {
    var second = PlacedFrame(1, 1, 3, 3, Self.half).disposed(disposal)
    second.pixels[0] = Self.clear
    second.isBlended = isBlended
    let pictures = try animation(
      file([background, second, PlacedFrame(6, 4, 1, 1, Self.green)]).bytes
    ).composed()
    let halfOver = Pixel(225, 51, 26)
    #expect(pictures[1].pixels[1][1] == (isBlended ? Self.red : Self.clear))
    #expect(pictures[1].pixels[1][2] == (isBlended ? halfOver : Pixel(100, 50, 25, 128)))
    let left: Pixel =
      switch disposal {
      case .keep: isBlended ? halfOver : Pixel(100, 50, 25, 128)
      case .clear: Self.clear
      case .restore: Self.red
      }
    #expect(pictures[2].pixels[1][2] == left)
    #expect(pictures[2].pixels[4][6] == Self.green)
    #expect(pictures[2].pixels[0][0] == Self.red)
  }

  @Test func opaqueAndClearPixelsComposeExactly() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("PNG frames, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(300, atLeast: 60) {
      let distances = try distances(random.frames(8, on: Self.size, alphas: [0, 255]))
      #expect(distances.allSatisfy { $0 == 0 }, "seed \(seed), round \(round): \(distances)")
    }
  }

  @Test func oneBlendIsRoundedOnce() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("blended frames, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(300, atLeast: 60) {
      let frames =
        [background] + random.frames(1, on: Self.size, alphas: [0, 1, 77, 128, 254, 255])
      #expect(try distances(frames) == [0, 0], "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: [1, 500]) func moreDataThanAFrameHasRowsForIsIgnored(_ count: Int) throws {
    var file = file([background, PlacedFrame(0, 0, 2, 2, Self.green)])
    let expected = try animation(file.bytes).composed().map(\.pixels)
    file.spareBytes = count
    #expect(try animation(file.bytes).composed().map(\.pixels) == expected)
  }

  @Test func lessDataThanAFrameHasRowsForIsAnError() throws {
    var file = file([background, PlacedFrame(0, 0, 2, 2, Self.green)])
    file.spareBytes = -1
    #expect(throws: DecodeError.self) { try animation(file.bytes).composed() }
  }

  @Test func aHiddenImageIsNotAFrame() throws {
    var file = file([background, PlacedFrame(0, 0, 1, 1, Self.green)])
    file.hiddenImage = PlacedFrame(0, 0, 7, 5, Self.half)
    let source = try animation(file.bytes)
    #expect(source.info.frames.count == 2)
    #expect(try source.composed()[0].pixels[2] == [Pixel](repeating: Self.red, count: 7))
    #expect(try outcome(of: file.bytes).get().pixels[0][0] == Pixel(100, 50, 25, 128))
  }

  @Test func delaysAndPlaysAreRead() throws {
    var file = file([background, background, background])
    file.delays = [(1, 0), (1, 1_000), (1, 3)]
    file.plays = 3
    let info = try animation(file.bytes).info
    #expect(info.frames.map(\.duration) == [100, 100, 333])
    #expect(info.plays == 3)
    file.plays = 0
    #expect(try animation(file.bytes).info.plays == nil)
  }

  @Test(arguments: [1, 5, -1, 70_000])
  func aWrongNumberEndsTheFrames(_ gap: Int) throws {
    var file = file([background, background, background])
    file.chunkLength = 1_000
    // Control chunk 0, control chunk 1 and data 2, then control chunk 3.
    file.gap = (from: 3, by: gap)
    let info = try animation(file.bytes).info
    #expect(info.frames.count == 2)
    guard case .broken(.malformed(.png, _, _)) = info.end else {
      Issue.record("\(info.end)")
      return
    }
  }

  @Test func fewerFramesThanPromisedEndInAnError() throws {
    var file = file([background, background])
    file.declaredFrames = 9
    let source = try animation(file.bytes)
    #expect(source.info.frames.count == 2)
    #expect(!source.info.isComplete)
    #expect(try source.composed().count == 2)
    #expect(throws: DecodeError.self) { try source.makeComposer().compose(2) }
  }

  @Test func moreFramesThanPromisedAreIgnored() throws {
    var file = file([background, background, background])
    file.declaredFrames = 2
    let info = try animation(file.bytes).info
    #expect(info.frames.count == 2)
    #expect(info.end == .complete)
  }

  @Test func aMissingEndIsNoError() throws {
    var file = file([background, background])
    file.hasEnd = false
    #expect(try animation(file.bytes).info.end == .complete)
  }

  @Test(arguments: [(5, 0, 3, 1), (0, 4, 1, 2), (0x7FFF_FFFF, 0, 0x7FFF_FFFF, 1), (0, 0, 0, 1)])
  func aFrameOutsideTheCanvasEndsTheFrames(_ area: (Int, Int, Int, Int)) throws {
    var second = PlacedFrame(0, 0, 1, 1, Self.green)
    (second.left, second.top, second.width, second.height) = area
    if area.2 > 0, area.2 < 100 {
      second.pixels = [Pixel](repeating: Self.green, count: area.2 * area.3)
    } else {
      second.height = min(second.height, 0)
    }
    let info = try animation(file([background, second]).bytes).info
    #expect(info.frames.count == 1)
    #expect(!info.isComplete)
  }

  @Test func aWrongChecksumOfAFrameIsAnError() throws {
    var bytes = file([background, PlacedFrame(1, 1, 3, 3, Self.green)]).bytes
    // The end chunk has 12 bytes, the checksum before it four.
    bytes[bytes.count - 13] ^= 1
    let source = try animation(bytes)
    let composer = source.makeComposer()
    #expect(try composer.compose(0).pixels[0][0] == Self.red)
    #expect(throws: DecodeError.self) { try composer.compose(1) }
    #expect(try composer.compose(0).pixels[0][0] == Self.red)
  }
}
