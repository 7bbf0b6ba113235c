import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Frames in any order, from kept pictures, and at other sizes.
@Suite(.timeLimit(.minutes(10))) struct AnimationAccessTests {
  private static let size = PixelSize(width: 10, height: 8)
  static let formats = ["gif", "png", "webp"]

  private func file(_ format: String, _ random: inout SeededGenerator) throws -> [UInt8] {
    switch format {
    case "gif":
      return AnimatedGIF(
        size: Self.size,
        frames: random.frames(20, on: Self.size, alphas: [255, 255, 0])
      ).bytes
    case "png":
      let frames = random.frames(20, on: Self.size, alphas: [0, 100, 255])
      return AnimatedPNG(size: Self.size, frames: frames).bytes
    default:
      let frames = random.frames(20, on: Self.size, alphas: [0, 255], step: 2)
      return try AnimatedWebP(size: Self.size, frames: frames).bytes()
    }
  }

  @Test(arguments: formats)
  func framesInAnyOrderAreThoseInOrder(_ format: String) throws {
    let seed = UInt64.random(in: 0...99_999)
    print("\(format) in any order, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(100, atLeast: 15) {
      let source = try animation(file(format, &random))
      let wanted = try source.composed()
      let composer = source.makeComposer()
      for _ in 0..<40 {
        let number = Int.random(in: 0..<20, using: &random)
        let kept = Int.random(in: 0..<20, using: &random)
        let picture = try composer.compose(
          number,
          from: Bool.random(using: &random)
            ? (kept, wanted[kept]) : nil
        )
        #expect(picture.format == wanted[number].format)
        #expect(picture.distance(to: wanted[number]) == 0, "seed \(seed), round \(round)")
      }
    }
  }

  @Test(arguments: formats)
  func aKeyFrameNeedsNoOther(_ format: String) throws {
    var random = SeededGenerator(seed: 4)
    let source = try animation(file(format, &random))
    let wanted = try source.composed()
    #expect(source.info.frames[0].isKey)
    for (number, frame) in source.info.frames.enumerated() where frame.isKey {
      #expect(try source.makeComposer().compose(number).distance(to: wanted[number]) == 0)
    }
  }

  @Test func aDamagedFrameDoesNotHideTheKeyFrameAfterIt() throws {
    let whole = PlacedFrame(0, 0, 10, 8, Pixel(1, 2, 3))
    let frames = [whole, PlacedFrame(1, 1, 2, 2, Pixel(9, 9, 9)), whole]
    var bytes = AnimatedPNG(size: Self.size, frames: frames).bytes
    let source = try animation(bytes)
    #expect(source.info.frames.map(\.isKey) == [true, false, false])
    var replacing = frames
    replacing[2].isBlended = false
    bytes = AnimatedPNG(size: Self.size, frames: replacing).bytes
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: "fdAT".utf8) })
    bytes[start + 9] ^= 0xFF
    let damaged = try animation(bytes)
    #expect(damaged.info.frames.map(\.isKey) == [true, false, true])
    let composer = damaged.makeComposer()
    #expect(throws: DecodeError.self) { try composer.compose(1) }
    #expect(try composer.compose(2).pixels[1][1] == Pixel(1, 2, 3))
  }

  @Test(arguments: formats)
  func framesAreScaledLikeStills(_ format: String) throws {
    var random = SeededGenerator(seed: 8)
    let source = try animation(file(format, &random))
    let composer = source.makeComposer()
    for fitting in [
      Fitting.cover(PixelSize(width: 4, height: 4)), .inside(PixelSize(width: 5, height: 9)),
    ] {
      for number in source.info.frames.indices {
        let whole = try composer.compose(number)
        let scaled = try composer.compose(
          number,
          from: nil,
          fitting: fitting,
          workspace: Workspace()
        )
        #expect(scaled.distance(to: try whole.resampled(fitting)) == 0)
      }
    }
  }

  @Test func aScaledPictureIsNotContinued() throws {
    var random = SeededGenerator(seed: 8)
    let source = try animation(file("gif", &random))
    let wanted = try source.composed()
    let small = try wanted[5].resampled(.cover(PixelSize(width: 4, height: 4)))
    let picture = try source.makeComposer()
      .compose(6, from: (5, small))
    #expect(picture.distance(to: wanted[6]) == 0)
  }

  @Test(arguments: [-1, 20, Int.max, Int.min])
  func aFrameThatDoesNotExistIsAnError(_ number: Int) throws {
    var random = SeededGenerator(seed: 1)
    let composer = try animation(file("gif", &random)).makeComposer()
    #expect(throws: DecodeError.self) { try composer.compose(number) }
    #expect(try composer.compose(0).size == Self.size)
  }
}
