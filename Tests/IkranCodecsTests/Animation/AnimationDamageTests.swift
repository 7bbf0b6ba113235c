import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Files that end too early or have wrong bits, and files that ask for too much.
@Suite(.timeLimit(.minutes(10))) struct AnimationDamageTests {
  private static let size = PixelSize(width: 9, height: 7)

  private func file(_ format: String) throws -> [UInt8] {
    var random = SeededGenerator(seed: 20)
    let frames = random.frames(4, on: Self.size, alphas: [0, 255], step: 2)
    return switch format {
    case "gif": AnimatedGIF(size: Self.size, frames: frames).bytes
    case "png": AnimatedPNG(size: Self.size, frames: frames).bytes
    default: try AnimatedWebP(size: Self.size, frames: frames).bytes()
    }
  }

  @Test(arguments: AnimationAccessTests.formats, [true, false])
  func whatHasArrivedOfATruncatedFilePlays(_ format: String, _ isPrefix: Bool) throws {
    let bytes = try file(format)
    let wanted = try animation(bytes).composed()
    var most = 0
    var completeParts = 0
    for count in 0..<bytes.count {
      let prefix = Array(bytes[..<count])
      guard let source = try? animation(prefix, isPrefix: isPrefix) else {
        #expect(most == 0, "\(count) bytes")
        continue
      }
      let pictures = prefixComposed(of: source)
      // Without its end chunk, a PNG that ends between two chunks of its last frame looks complete.
      let isOpen = format == "png" && !isPrefix && count < bytes.count - 12
      #expect(pictures.count == source.info.frames.count || isOpen)
      #expect((most...wanted.count).contains(pictures.count))
      most = isOpen ? min(pictures.count, wanted.count - 1) : pictures.count
      for (picture, whole) in zip(pictures, wanted) { #expect(picture.distance(to: whole) == 0) }
      if source.info.end == .complete, pictures.count < wanted.count, !isOpen { completeParts += 1 }
      if isPrefix, case .broken(let error) = source.info.end { Issue.record("\(error)") }
      if !isPrefix, source.info.end == .arriving { Issue.record("\(count) bytes") }
    }
    // Without its trailer, a GIF that is cut off between two frames looks complete.
    #expect(completeParts == (format == "gif" && !isPrefix ? 2 : 0))
    #expect(most == wanted.count || format == "webp" && most == wanted.count - 1)
  }

  /// The frames before the first that cannot be composed.
  private func prefixComposed(of source: any FrameSource) -> [Bitmap] {
    let composer = source.makeComposer()
    var pictures: [Bitmap] = []
    for number in source.info.frames.indices {
      guard let picture = try? composer.compose(number) else { break }
      pictures.append(picture)
    }
    return pictures
  }

  @Test(arguments: AnimationAccessTests.formats)
  func theFirstFrameIsThereAsSoonAsItHasArrived(_ format: String) throws {
    let bytes = try file(format)
    let first = try #require(
      (0..<bytes.count).first { count in
        (try? animation(Array(bytes[..<count]), isPrefix: true)) != nil
      }
    )
    let info = try animation(Array(bytes[..<first]), isPrefix: true).info
    #expect(info.frames.count == 1)
    #expect(info.end == .arriving)
  }

  @Test(arguments: AnimationAccessTests.formats)
  func theStillOfACutFileIsItsFirstFrame(_ format: String) throws {
    let bytes = try file(format)
    let wanted = try animation(bytes).makeComposer().compose(0)
    for count in 0..<bytes.count {
      let prefix = Array(bytes[..<count])
      guard let source = try? animation(prefix), !source.info.frames.isEmpty else { continue }
      let still = try CodecList.standard.decode(prefix.span).bitmap
      #expect(still.distance(to: wanted) == 0, "\(count) bytes")
    }
  }

  @Test(arguments: AnimationAccessTests.formats)
  func flippedBitsNeverCrash(_ format: String) throws {
    let seed = UInt64.random(in: 0...99_999)
    print("\(format) with flipped bits, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let original = try file(format)
    var limits = DecodeLimits()
    limits.maximumPixels = 100_000
    for _ in 0..<Rounds.fewer(2_000, atLeast: 300) {
      var bytes = original
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      // Damage that is found is an error, and the rest plays.
      guard let source = try? animation(bytes, limits: limits) else { continue }
      let composer = source.makeComposer()
      for number in source.info.frames.indices.shuffled(using: &random) {
        if let picture = try? composer.compose(number) { #expect(picture.size == source.info.size) }
      }
    }
  }

  @Test(
    arguments: Corpus.files.filter { $0.path.hasPrefix("hostile/") || $0.path.hasPrefix("bombs/") }
  )
  func hostileFilesAreBounded(_ file: Corpus.File) throws {
    guard let source = try? animation(file.bytes()) else { return }
    let composer = source.makeComposer()
    let workspace = Workspace()
    let fitting = Fitting.inside(PixelSize(width: 64, height: 64))
    for number in source.info.frames.indices.prefix(8) {
      // Some have damaged frames.
      _ = try? composer.compose(number, from: nil, fitting: fitting, workspace: workspace)
    }
  }

  @Test(arguments: AnimationAccessTests.formats)
  func tooManyFramesAreRefused(_ format: String) throws {
    let bytes = try file(format)
    var limits = DecodeLimits()
    limits.maximumFrames = 3
    #expect(throws: DecodeError.overLimit(.frames, value: 4, limit: 3)) {
      try animation(bytes, limits: limits)
    }
  }

  @Test(arguments: AnimationAccessTests.formats)
  func tooManyPixelsTogetherAreRefused(_ format: String) throws {
    let bytes = try file(format)
    var limits = DecodeLimits()
    limits.maximumAnimationPixels = 10
    do {
      _ = try animation(bytes, limits: limits)
      Issue.record("it was accepted")
    } catch let error as DecodeError {
      guard case .overLimit(.animationPixels, _, 10) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func aHundredThousandFramesAreRefused() throws {
    let frame = PlacedFrame(0, 0, 1, 1, Pixel(1, 2, 3))
    let two = AnimatedGIF(size: PixelSize(width: 1, height: 1), frames: [frame, frame]).bytes
    let one = AnimatedGIF(size: PixelSize(width: 1, height: 1), frames: [frame]).bytes
    let added = Array(two[(one.count - 1)..<(two.count - 1)])
    let many = [UInt8](one.dropLast()) + (0..<100_000).flatMap { _ in added }
    #expect(throws: DecodeError.overLimit(.frames, value: 100_001, limit: 10_000)) {
      try animation(many)
    }
  }

  @Test(arguments: AnimationAccessTests.formats)
  func aHugeCanvasIsRefused(_ format: String) throws {
    let frame = PlacedFrame(0, 0, 1, 1, Pixel(1, 2, 3))
    let size = PixelSize(width: 65_535, height: 65_535)
    let bytes =
      switch format {
      case "gif": AnimatedGIF(size: size, frames: [frame, frame]).bytes
      case "png": AnimatedPNG(size: size, frames: [frame, frame]).bytes
      default: try AnimatedWebP(size: size, frames: [frame, frame]).bytes()
      }
    let limit = DecodeLimits().maximumPixels
    #expect(throws: DecodeError.overLimit(.pixels, value: 65_535 * 65_535, limit: limit)) {
      try animation(bytes)
    }
  }
}
