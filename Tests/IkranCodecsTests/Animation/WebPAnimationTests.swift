import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct WebPAnimationTests {
  private static let size = PixelSize(width: 12, height: 9)
  private static let (red, green) = (Pixel(250, 1, 2), Pixel(3, 240, 4))
  private static let clear = Pixel(0, 0, 0, 0)
  private let background = PlacedFrame(0, 0, 12, 9, red)

  @Test(arguments: [PlacedFrame.Disposal.keep, .clear], [true, false])
  func everyRuleHasItsPixels(_ disposal: PlacedFrame.Disposal, _ isBlended: Bool) throws {
    var second = PlacedFrame(2, 2, 3, 3, Self.green).disposed(disposal)
    second.pixels[0] = Self.clear
    second.isBlended = isBlended
    let frames = [background, second, PlacedFrame(10, 8, 1, 1, Self.green)]
    let file = AnimatedWebP(size: Self.size, frames: frames)
    let pictures = try animation(file.bytes()).composed()
    #expect(pictures[1].pixels[2][2] == (isBlended ? Self.red : Self.clear))
    #expect(pictures[1].pixels[2][3] == Self.green)
    #expect(pictures[2].pixels[2][3] == (disposal == .keep ? Self.green : Self.clear))
    #expect(pictures[2].pixels[8][10] == Self.green)
  }

  @Test func randomFramesComposeAsInTheReference() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("WebP frames, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(200, atLeast: 30) {
      let frames = random.frames(
        6,
        on: Self.size,
        alphas: [0, 255],
        disposals: [.keep, .clear],
        step: 2
      )
      let wanted = ReferenceCanvas.compose(frames, on: Self.size)
      let pictures = try animation(AnimatedWebP(size: Self.size, frames: frames).bytes()).composed()
      let distances = zip(pictures, wanted).map { $0.distance(to: $1) }
      #expect(distances == [0, 0, 0, 0, 0, 0], "seed \(seed), round \(round)")
    }
  }

  @Test func durationsAndPlaysAreRead() throws {
    var file = AnimatedWebP(size: Self.size, frames: [background, background, background])
    file.durations = [0, 10, 11]
    file.plays = 4
    let info = try animation(file.bytes()).info
    #expect(info.frames.map(\.duration) == [100, 100, 11])
    #expect(info.plays == 4)
    file.plays = 0
    #expect(try animation(file.bytes()).info.plays == nil)
  }

  @Test func oneFrameIsAStill() throws {
    let bytes = try AnimatedWebP(size: Self.size, frames: [background]).bytes()
    let source = try CodecList.standard.frames(of: bytes)
    #expect(source == nil)
  }

  @Test func aFrameOutsideTheCanvasEndsTheFrames() throws {
    let frames = [background, PlacedFrame(10, 0, 3, 1, Self.green)]
    let info = try animation(AnimatedWebP(size: Self.size, frames: frames).bytes()).info
    #expect(info.frames.count == 1)
    #expect(!info.isComplete)
  }
}
