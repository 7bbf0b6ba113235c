import FoundationEssentials
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every animated file of the corpus.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct AnimationCorpusTests {
  private struct Timing: Decodable {
    let frames: Int
    let durations_ms: [Double]
    let loop_raw: Int?
  }

  static let files = Corpus.files.filter { file in
    ["apng", "gif", "webp"].contains(file.format) && file.frames ?? 1 > 1
      // Its second frame is that of another file, which is appended.
      && !file.path.hasSuffix("extents_transparency.gif")
      && ["gif", "apng", "webp-animated"].contains(String(file.path.prefix { $0 != "/" }))
  }

  private static let timings: [String: Timing] = {
    // Without the file every test below fails.
    guard let text = try? Corpus.bytes("ANIMATIONS.json") else { return [:] }
    return (try? JSONDecoder().decode([String: Timing].self, from: Data(text))) ?? [:]
  }()

  @Test(arguments: files)
  func framesDurationsAndLoopsAreThoseOfTheManifest(_ file: Corpus.File) throws {
    let info = try animation(file.bytes()).info
    let timing = try #require(Self.timings[file.path])
    #expect(info.frames.count == file.frames)
    #expect(info.end == .complete)
    let wanted = timing.durations_ms.map { Int($0.rounded()) }.map { $0 < 11 ? 100 : $0 }
    #expect(info.frames.map(\.duration) == wanted)
    // What the file stores; in GIF that counts repetitions.
    let isGIF = info.format == .gif
    let plays = timing.loop_raw.map { isGIF && $0 > 0 ? $0 + 1 : $0 } ?? 1
    #expect(info.plays == (plays == 0 ? nil : plays))
    #expect(info.size == PixelSize(width: file.width ?? 0, height: file.height ?? 0))
  }

  @Test(arguments: Rounds.fewer(of: files))
  func everyFrameComposesInAnyOrder(_ file: Corpus.File) throws {
    let source = try animation(file.bytes())
    let wanted = try source.composed()
    let seed = UInt64.random(in: 0...99_999)
    var random = SeededGenerator(seed: seed)
    let composer = source.makeComposer()
    for number in wanted.indices.shuffled(using: &random).prefix(Rounds.fewer(100, atLeast: 12)) {
      let pixels = try composer.compose(number).straightRGBA()
      #expect(try pixels == wanted[number].straightRGBA(), "frame \(number), seed \(seed)")
    }
  }

  @Test func stillsAreNotAnimations() throws {
    for file in Rounds.fewer(of: Corpus.files)
    where file.frames == 1 && file.expected == "decodes" {
      guard ["jpeg", "png", "apng", "gif", "webp"].contains(file.format) else { continue }
      let source = try CodecList.standard.frames(of: file.bytes())
      #expect(source == nil, "\(file)")
    }
  }

  /// Where Pillow 9 does not do what the formats' texts and browsers do.
  private static let pillowDiffers: Set<String> = [
    // It multiplies the alpha of blended pixels with itself, and loses gray ones.
    "apng/dispose0-blend0.png", "apng/dispose0-blend1.png", "apng/dispose1-blend0.png",
    "apng/dispose1-blend1.png", "apng/dispose2-blend0.png", "apng/dispose2-blend1.png",
    "apng/dispose-previous-first-frame.png", "apng/gray-alpha.png", "apng/palette-trns.png",
    "apng/wuffs--data-muybridge.apng", "apng/pillow--apng-mode_grayscale_alpha.png",
    // It cuts sixteen bits to eight without rounding.
    "apng/rgba16.png",
    // It clears to the background colour, and fills what the first frame leaves out with it.
    "gif/apng4android--assets-5.gif", "gif/disposal2-first-frame.gif",
    "gif/disposal2-transpnone.gif", "gif/disposal3-first-frame.gif", "gif/first-frame-offset.gif",
    "gif/image-rs-image--anim-issue_1455_undersized.gif",
    "gif/wuffs--artificial-gif-background-color.gif",
    // It restores what is below for the reserved numbers.
    "gif/disposal4-reserved.gif", "gif/disposal7-reserved.gif",
    // Frames outside the canvas make the canvas larger.
    "gif/serenity--gifsuite_files-animated_transparent_loop_frames_out_of_bounds.gif",
  ]

  @Test(
    .enabled(if: Pillow.isInstalled, "python3-pil is not installed"),
    arguments: Rounds.fewer(of: files.filter { !pillowDiffers.contains($0.path) })
  )
  func framesAreThoseOfPillow(_ file: Corpus.File) throws {
    // Pillow cannot read every file, and turns none upright.
    guard var wanted = Pillow.frames(ofFile: "\(Corpus.folder ?? "")/\(file.path)") else { return }
    let source = try animation(file.bytes())
    guard source.info.orientation == .up else { return }
    let pictures = try source.composed()
    // It counts a hidden picture.
    if wanted.count == pictures.count + 1 { wanted.removeFirst() }
    try #require(wanted.count == pictures.count)
    // libwebp blends straight pixels and rounds down.
    let tolerance = file.format == "webp" ? 1 : 0
    for (number, picture) in pictures.enumerated() {
      let distance = picture.distance(to: premultiplied(wanted[number]))
      #expect(distance <= tolerance, "frame \(number)")
    }
  }

  @Test func anAnimatedPNGShowsTheSameAsAGIFOfIt() throws {
    let png = try animation(Corpus.bytes("apng/wuffs--data-muybridge.apng")).composed()
    let gif = try animation(Corpus.bytes("gif/wuffs--data-muybridge.gif")).composed()
    #expect(zip(png, gif).allSatisfy { $0.distance(to: $1) == 0 })
  }

  private func premultiplied(_ straight: [UInt8]) -> [Pixel] {
    stride(from: 0, to: straight.count, by: 4).map { offset in
      let alpha = Int(straight[offset + 3])
      let colors = (0..<3).map { UInt8((Int(straight[offset + $0]) * alpha + 127) / 255) }
      return Pixel(colors[0], colors[1], colors[2], UInt8(alpha))
    }
  }
}
