import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct GIFAnimationTests {
  private static let size = PixelSize(width: 6, height: 5)
  private static let (red, green, blue) = (Pixel(250, 1, 2), Pixel(3, 240, 4), Pixel(5, 6, 230))
  private static let clear = Pixel(0, 0, 0, 0)
  private let background = PlacedFrame(0, 0, 6, 5, red)

  private func pictures(_ frames: [PlacedFrame], isInterlaced: Bool = false) throws -> [Bitmap] {
    var file = AnimatedGIF(size: Self.size, frames: frames)
    file.isInterlaced = isInterlaced
    return try animation(file.bytes).composed()
  }

  private func expect(_ frames: [PlacedFrame], isInterlaced: Bool = false) throws {
    let pictures = try pictures(frames, isInterlaced: isInterlaced)
    let wanted = ReferenceCanvas.compose(frames, on: Self.size)
    try #require(pictures.count == wanted.count)
    for (number, pair) in zip(pictures, wanted).enumerated() {
      #expect(pair.0.distance(to: pair.1) == 0, "frame \(number)")
    }
  }

  @Test func aFrameIsDrawnOverTheOneBefore() throws {
    let pictures = try pictures([background, PlacedFrame(1, 1, 2, 2, Self.green)])
    #expect(pictures.map(\.format) == [.bgrx, .bgrx])
    #expect(pictures[1].pixels[0] == [Pixel](repeating: Self.red, count: 6))
    let row = [Self.red, Self.green, Self.green, Self.red, Self.red, Self.red]
    #expect(pictures[1].pixels[1] == row)
  }

  @Test func aFrameDisposedOfToTheBackgroundIsCleared() throws {
    let frames = [
      background, PlacedFrame(1, 1, 2, 2, Self.green).disposed(.clear),
      PlacedFrame(5, 4, 1, 1, Self.blue),
    ]
    let pictures = try pictures(frames)
    #expect(pictures.map(\.format) == [.bgra, .bgra, .bgra])
    let row = [Self.red, Self.clear, Self.clear, Self.red, Self.red, Self.red]
    #expect(pictures[2].pixels[1] == row)
    #expect(pictures[2].pixels[4][5] == Self.blue)
  }

  @Test func aFrameDisposedOfToThePreviousGivesWay() throws {
    let frames = [
      background, PlacedFrame(1, 1, 2, 2, Self.green).disposed(.restore),
      PlacedFrame(2, 2, 2, 2, Self.blue).disposed(.restore), PlacedFrame(5, 4, 1, 1, Self.green),
    ]
    let pictures = try pictures(frames)
    #expect(pictures[2].pixels[1] == [Pixel](repeating: Self.red, count: 6))
    #expect(pictures[2].pixels[2][2...3] == [Self.blue, Self.blue])
    #expect(pictures[3].pixels.joined().count { $0 == Self.red } == 29)
  }

  @Test func theFirstFrameMayGiveWayToNothing() throws {
    try expect([background.disposed(.restore), PlacedFrame(1, 1, 2, 2, Self.green)])
  }

  @Test func anOldNumberOfTheDisposalIsAccepted() throws {
    var file = AnimatedGIF(
      size: Self.size,
      frames: [
        background, PlacedFrame(1, 1, 2, 2, Self.green).disposed(.restore),
        PlacedFrame(5, 4, 1, 1, Self.blue),
      ]
    )
    let wanted = try animation(file.bytes).composed()
    file.disposals = [0, 2, 4]
    let pictures = try animation(file.bytes).composed()
    #expect(zip(pictures, wanted).allSatisfy { $0.distance(to: $1) == 0 })
  }

  @Test func framesOutsideTheCanvasAreClipped() throws {
    try expect([
      background, PlacedFrame(4, 3, 5, 9, Self.green), PlacedFrame(1, 4, 90, 1, Self.blue),
    ])
  }

  @Test func aFrameWhollyOutsideHasNoPixels() throws {
    let frames = [
      background, PlacedFrame(6, 0, 2, 2, Self.green).disposed(.clear),
      PlacedFrame(0, 700, 2, 2, Self.green).disposed(.restore), PlacedFrame(0, 0, 1, 1, Self.blue),
    ]
    try expect(frames)
    #expect(
      try animation(AnimatedGIF(size: Self.size, frames: frames).bytes).info.frames.count == 4
    )
  }

  @Test(arguments: 1...20)
  func interlacedRowsFindTheirPlace(_ height: Int) throws {
    var frame = PlacedFrame(0, 0, 3, height, Self.red)
    for y in 0..<height { frame.pixels[y * 3 + 1] = Pixel(0, UInt8(y), 9) }
    // A first frame that is taller than the screen would enlarge it.
    let first = PlacedFrame(0, 0, 3, 12, Self.green)
    var tall = AnimatedGIF(size: PixelSize(width: 3, height: 12), frames: [first, frame, frame])
    tall.isInterlaced = true
    let wanted = ReferenceCanvas.compose(tall.frames, on: tall.size)
    let pictures = try animation(tall.bytes).composed()
    #expect(zip(pictures, wanted).allSatisfy { $0.distance(to: $1) == 0 })
  }

  @Test func missingPixelsShowWhatIsBelow() throws {
    let whole = AnimatedGIF(size: Self.size, frames: [background, background])
    // The second frame covers the canvas, but its data has only two rows.
    let sample = GIFSample(width: 6, height: 5, indices: [UInt8](repeating: 1, count: 12), depth: 2)
    var bytes = whole.bytes.dropLast()
    let palette: [UInt8] = [0, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0, 0]
    bytes += [0x2C, 0, 0, 0, 0, 6, 0, 5, 0, 0x81] + palette + sample.data + [0x3B]
    let source = try animation(Array(bytes))
    let picture = try source.makeComposer().compose(2)
    #expect(picture.pixels[1] == [Pixel](repeating: Pixel(9, 9, 9), count: 6))
    #expect(picture.pixels[2] == [Pixel](repeating: Self.red, count: 6))
    #expect(try source.composed()[2].distance(to: picture) == 0)
  }

  @Test(arguments: [nil, 0, 1, 7, 65_535], ["NETSCAPE2.0", "ANIMEXTS1.0"])
  func theLoopCountIsRead(_ loops: Int?, _ name: String) throws {
    var file = AnimatedGIF(size: Self.size, frames: [background, background])
    file.loops = loops
    file.loopExtension = name
    #expect(try animation(file.bytes).info.plays == (loops == 0 ? nil : (loops ?? 0) + 1))
  }

  @Test func tinyDelaysMeanATenthOfASecond() throws {
    var file = AnimatedGIF(
      size: Self.size,
      frames: [background, background, background, background]
    )
    file.delays = [0, 1, 2, 65_535]
    let info = try animation(file.bytes).info
    #expect(info.frames.map(\.duration) == [100, 100, 20, 655_350])
    #expect(info.duration == 655_570)
  }

  @Test func aMissingTrailerIsNoError() throws {
    var file = AnimatedGIF(size: Self.size, frames: [background, background])
    file.hasTrailer = false
    let source = try animation(file.bytes)
    #expect(source.info.end == .complete)
    #expect(try source.composed().count == 2)
  }

  @Test func oneFrameIsAStill() throws {
    let bytes = AnimatedGIF(size: Self.size, frames: [background]).bytes
    for isPrefix in [true, false] {
      let source = try CodecList.standard.frames(of: bytes, isPrefix: isPrefix)
      #expect(source == nil)
    }
  }

  @Test func randomFramesComposeAsInTheReference() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("GIF frames, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(300, atLeast: 60) {
      var frames = random.frames(9, on: Self.size, alphas: [255, 255, 0])
      for index in frames.indices { frames[index].isBlended = true }
      do { try expect(frames, isInterlaced: round % 2 == 0) } catch {
        Issue.record("\(error), seed \(seed), round \(round)")
      }
    }
  }
}
