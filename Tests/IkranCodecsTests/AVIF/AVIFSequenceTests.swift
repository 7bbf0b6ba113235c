#if AVIF
import FoundationEssentials
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every sequence of the corpus.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct AVIFSequenceTests {
  private struct Timing: Decodable {
    let frames: Int
    let durations_ms: [Double]
  }

  private static let files = Corpus.files(format: "avif")
    .filter { $0.kinds.contains("animated") && $0.expected == "decodes" }

  private static let timings: [String: Timing] = {
    // Without the file every test below fails.
    guard let text = try? Corpus.bytes("ANIMATIONS.json") else { return [:] }
    return (try? JSONDecoder().decode([String: Timing].self, from: Data(text))) ?? [:]
  }()

  @Test(arguments: files)
  func framesAndDurationsAreThoseOfTheManifest(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let info = try animation(bytes).info
    let timing = try #require(Self.timings[file.path])
    #expect(info.frames.count == timing.frames)
    #expect(info.frames.map(\.duration) == timing.durations_ms.map { Int($0.rounded()) })
    #expect(try info.frames.map(\.duration) == probe(bytes).get().durations)
    #expect(info.frames.first?.isKey == true)
    #expect(info.end == .complete)
  }

  @Test(arguments: files)
  func everyFrameComposesInAnyOrder(_ file: Corpus.File) throws {
    let source = try animation(file.bytes())
    let wanted = try source.composed()
    #expect(Set(wanted.map { $0.pixels }).count > 1)
    var random = SeededGenerator(seed: 3)
    let composer = source.makeComposer()
    for _ in 0..<3 {
      for number in wanted.indices.shuffled(using: &random) {
        #expect(try composer.compose(number).pixels == wanted[number].pixels, "frame \(number)")
      }
    }
  }

  @Test(arguments: files)
  func theFirstFrameIsTheStill(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let first = try #require(try animation(bytes).composed().first)
    #expect(try outcome(of: bytes).get().pixels == first.pixels)
  }

  @Test(arguments: files)
  func aCutFileHasTheFramesBeforeThat(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    let wanted = try animation(bytes).composed()
    var most = 0
    for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 30)) {
      let beginning = Array(bytes[..<count])
      for isPrefix in [false, true] {
        guard
          let source = try? CodecList.standard.frames(of: beginning, isPrefix: isPrefix)
        else { continue }
        let frames = try source.composed()
        most = max(most, frames.count)
        #expect(frames.map(\.pixels) == wanted.prefix(frames.count).map(\.pixels))
        guard frames.count < wanted.count else { continue }
        let cut = AnimationInfo.End.broken(.truncated(.avif, offset: count))
        #expect(source.info.end == (isPrefix ? .arriving : cut))
      }
    }
    #expect(most >= wanted.count - 1)
  }

  @Test func aFrameIsScaledWhileItIsComposed() throws {
    let source = try animation(Corpus.bytes("avif/glide--animated_avif.avif"))
    let size = PixelSize(width: 40, height: 60)
    let composer = source.makeComposer()
    let frame = try composer.compose(
      2,
      from: nil,
      fitting: .cover(size),
      workspace: Workspace()
    )
    #expect(frame.size == size)
  }

  @Test func stillsAreNotSequences() throws {
    for name in ["grid-2x2", "8bit-yuv420", "libavif--draw_points_idat_progressive"] {
      #expect(try CodecList.standard.frames(of: Corpus.bytes("avif/\(name).avif")) == nil)
    }
  }

  @Test func tooManyFramesAreOverTheLimit() throws {
    let bytes = try Corpus.bytes("avif/animated-5-frames.avif")
    var limits = DecodeLimits()
    limits.maximumFrames = 4
    #expect(failure(of: bytes, limits: limits) == .overLimit(.frames, value: 5, limit: 4))
    #expect(throws: DecodeError.self) { try animation(bytes, limits: limits) }
  }
}
#endif
