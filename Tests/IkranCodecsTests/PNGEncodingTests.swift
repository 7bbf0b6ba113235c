import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// PNG files whose rows are compressed together, and while they come; libpng reads both.
@Suite(.timeLimit(.minutes(10)))
struct PNGEncodingTests {
  @Test(arguments: [1, 3, 4], [(1, 1), (2, 5), (33, 17), (200, 150)])
  func bothWaysWriteTheSamePixels(_ channels: Int, _ sides: (width: Int, height: Int)) throws {
    let size = PixelSize(width: sides.width, height: sides.height)
    for noise in [0, 3, 255] {
      var random = SeededGenerator(seed: UInt64(noise))
      let pixels = (0..<size.width * size.height * channels).map { index in
        UInt8((index / 90 + Int.random(in: 0...noise, using: &random)) & 255)
      }
      let ours = try PNGWriterHandle.write(pixels, size, channels: channels)
      let streamed = try PNGWriterHandle.write(pixels, size, channels: channels, largestRows: 0)
      let expected = try BothPNGReaders.libpngs(streamed)
      #expect(BothPNGReaders.areSame(try BothPNGReaders.libpngs(ours), expected), "\(noise)")
    }
  }

  @Test func noiseTakesNoMoreThanItsBytes() throws {
    var random = SeededGenerator(seed: 1)
    let size = PixelSize(width: 300, height: 200)
    let pixels = (0..<size.width * size.height * 3).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let bytes = try PNGWriterHandle.write(pixels, size, channels: 3)
    #expect(bytes.count < pixels.count + pixels.count / 100)
  }

  @Test(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), arguments: ["jpeg", "png", "webp"])
  func theCorpusTakesNoMoreBytesTogetherThanInPieces(_ format: String) throws {
    var (together, streamed) = (0, 0)
    let files = Corpus.files(format: format).filter {
      $0.expected == "decodes" && ($0.width ?? 0) * ($0.height ?? 0) < 1_000_000
    }
    for file in Rounds.fewer(of: files) {
      let picture = try outcome(of: file.bytes()).get()
      together += try PNGWriterHandle.encode(picture).count
      streamed += try PNGWriterHandle.encode(picture, largestRows: 0).count
    }
    #expect(together <= streamed)
  }
}
