import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// What composing frames costs: limits, and pictures of canvases of which little changes.
@Suite(.timeLimit(.minutes(10))) struct AnimationCostTests {
  private static let formats = ["gif", "png", "webp"]
  private static let fittings = [
    Fitting.cover(PixelSize(width: 9, height: 9)), .inside(PixelSize(width: 21, height: 13)),
    .cover(PixelSize(width: 40, height: 3)), .original,
    .region(PixelRectangle(x: 20, y: 30, width: 99, height: 70), PixelSize(width: 10, height: 8)),
    .region(PixelRectangle(x: 5, y: 6, width: 20, height: 7), PixelSize(width: 20, height: 7)),
  ]

  private func file(_ format: String, _ size: PixelSize, _ frames: [PlacedFrame]) throws -> [UInt8]
  {
    switch format {
    case "gif": AnimatedGIF(size: size, frames: frames).bytes
    case "png": AnimatedPNG(size: size, frames: frames).bytes
    default: try AnimatedWebP(size: size, frames: frames).bytes()
    }
  }

  @Test(arguments: formats, fittings.indices)
  func framesThatFollowEachOtherAreThoseComposedAlone(_ format: String, _ fitting: Int) throws {
    let seed = UInt64.random(in: 0...99_999)
    print("\(format) frames in fitting \(fitting), seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let fitting = Self.fittings[fitting]
    for size in [PixelSize(width: 130, height: 110), PixelSize(width: 400, height: 333)] {
      let alphas: [UInt8] = format == "gif" ? [0, 255, 255] : [0, 120, 255]
      var frames = small(14, on: size, alphas, &random)
      for index in frames.indices where format == "webp" {
        if frames[index].disposal == .restore { frames[index].disposal = .keep }
        frames[index].left &= ~1
        frames[index].top &= ~1
      }
      let bytes = try file(format, size, frames)
      let source = try animation(bytes)
      let (composer, workspace) = (source.makeComposer(), Workspace())
      // In order, again from the start, and with another size in between.
      for number in [Int](frames.indices) + [3, 4, 0, 1, 9, 13] {
        let picture = try composer.compose(
          number,
          from: nil,
          fitting: fitting,
          workspace: workspace
        )
        let alone = try source.makeComposer()
          .compose(number, from: nil, fitting: .original, workspace: workspace)
        let wanted = try alone.resampled(fitting, workspace: workspace)
        #expect(picture.distance(to: wanted) == 0, "frame \(number), seed \(seed)")
        if number == 6 { _ = try composer.compose(6, workspace: workspace) }
      }
    }
  }

  /// Frames of a few pixels, the first of which may cover the canvas.
  private func small(
    _ count: Int,
    on size: PixelSize,
    _ alphas: [UInt8],
    _ random: inout SeededGenerator
  ) -> [PlacedFrame] {
    let covers = Bool.random(using: &random)
    return (0..<count).map { number in
      let isWhole = covers && number == 0
      let left = isWhole ? 0 : Int.random(in: 0..<size.width - 12, using: &random)
      let top = isWhole ? 0 : Int.random(in: 0..<size.height - 12, using: &random)
      let width = isWhole ? size.width : Int.random(in: 1...12, using: &random)
      let height = isWhole ? size.height : Int.random(in: 1...12, using: &random)
      var frame = PlacedFrame(left, top, width, height, Pixel(0, 0, 0))
      let colors = (0..<5).map { _ in
        Pixel(
          .random(in: 0...255, using: &random),
          .random(in: 0...255, using: &random),
          .random(in: 0...255, using: &random),
          alphas.randomElement(using: &random) ?? 255
        )
      }
      frame.pixels = frame.pixels.map { _ in colors.randomElement(using: &random) ?? colors[0] }
      frame.disposal = PlacedFrame.Disposal.allCases.randomElement(using: &random) ?? .keep
      return frame
    }
  }

  @Test(arguments: formats)
  func everyFrameCountsWithTheWholeCanvas(_ format: String) throws {
    let size = PixelSize(width: 30, height: 20)
    let first = PlacedFrame(0, 0, 30, 20, Pixel(1, 2, 3))
    let dot = PlacedFrame(4, 6, 2, 1, Pixel(9, 9, 9)).disposed(.clear)
    let bytes = try file(format, size, [first, dot, dot])
    // Three canvases, the pixels of all frames, and two areas that are cleared.
    let cost = 3 * 600 + 600 + 2 * 2 + 2 * 2
    var limits = DecodeLimits()
    limits.maximumAnimationPixels = cost
    #expect(try animation(bytes, limits: limits).info.frames.count == 3)
    limits.maximumAnimationPixels = cost - 1
    #expect(throws: DecodeError.overLimit(.animationPixels, value: cost, limit: cost - 1)) {
      try animation(bytes, limits: limits)
    }
  }

  /// A GIF of frames of one pixel in the corners of a large screen.
  private static func dots(_ count: Int, on side: Int) -> [UInt8] {
    let frames = (0..<count).map { number in
      let place = number % 4
      let dot = PlacedFrame(place % 2 * (side - 1), place / 2 * (side - 1), 1, 1, Pixel(250, 9, 9))
      return dot.disposed(PlacedFrame.Disposal.allCases[number % 3])
    }
    return AnimatedGIF(size: PixelSize(width: side, height: side), frames: frames).bytes
  }

  @Test func tenThousandFramesOfOnePixelOnAHugeScreenAreRefused() throws {
    guard case .overLimit(.animationPixels, _, _) = refusal(of: Self.dots(10_000, on: 10_000))
    else {
      Issue.record("\(String(describing: refusal(of: Self.dots(10_000, on: 10_000))))")
      return
    }
    #expect(refusal(of: Self.dots(10_000, on: 900)) == nil)
  }

  private func refusal(of bytes: [UInt8]) -> DecodeError? {
    do throws(DecodeError) {
      _ = try CodecList.standard.frames(of: bytes)
      return nil
    } catch { return error }
  }

  /// Composes thumbnails in a process of its own, whose memory nothing else takes.
  @Test func framesOfOnePixelOnAHugeScreenTakeLittle() async {
    let process = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      let bytes = Self.dots(20, on: 10_000)
      let before = try ResidentMemory.resetPeak()
      let source = try animation(bytes)
      let (composer, workspace) = (source.makeComposer(), Workspace())
      let time = try ContinuousClock().measure {
        for number in source.info.frames.indices {
          _ = try composer.compose(
            number,
            from: nil,
            fitting: .cover(PixelSize(width: 96, height: 96)),
            workspace: workspace
          )
        }
      }
      let grown = try ResidentMemory.peak() - before
      print(
        "\(bytes.count) bytes, 20 frames of a pixel on 10,000 × 10,000: \(time), \(grown) bytes"
      )
      #expect(grown <= 32 << 20, "\(grown) bytes")
    }
    print(String(decoding: process?.standardOutputContent ?? [], as: UTF8.self))
  }
}
