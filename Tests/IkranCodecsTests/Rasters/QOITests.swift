import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

@Suite(.timeLimit(.minutes(5))) struct QOITests {
  @Test(arguments: [(1, 1), (7, 3), (64, 64), (301, 17)], [true, false])
  func pixelsInChunksOfEveryKindComeBack(_ side: (Int, Int), _ hasAlpha: Bool) throws {
    let size = PixelSize(width: side.0, height: side.1)
    for seed in 0..<8 as Range<UInt64> {
      let picture = RandomPicture(size, seed: seed, hasAlpha: hasAlpha)
      let file = QOISample(picture, channels: hasAlpha ? 4 : 3).bytes
      let bitmap = try outcome(of: file).get()
      #expect(bitmap.size == size)
      #expect(bitmap.format == (hasAlpha ? .bgra : .bgrx))
      #expect(Array(bitmap.pixels.joined()) == picture.premultiplied, "seed \(seed)")
    }
  }

  /// Each chunk written by hand from the specification.
  @Test func aFileOfKnownBytesHasItsColours() throws {
    let chunks: [UInt8] = [
      0xFE, 10, 20, 30,  // red, green, blue
      0x40 | 3 << 4 | 0 << 2 | 1,  // +1, -2, -1
      0x80 | 42, 0x4B,  // green +10, red 4 less than that, blue 3 more
      0xC1,  // two more
      0xFF, 1, 2, 3, 128,
      9,  // the first again: (10 · 3 + 20 · 5 + 30 · 7 + 255 · 11) mod 64
    ]
    let header = Array("qoif".utf8) + [0, 0, 0, 7, 0, 0, 0, 1, 4, 0]
    let bitmap = try outcome(of: header + chunks).get()
    let second = Pixel(11, 18, 29)
    let third = Pixel(17, 28, 42)
    let wanted = [
      Pixel(10, 20, 30), second, third, third, third, Pixel(1, 2, 3, 128).premultiplied,
      Pixel(10, 20, 30),
    ]
    #expect(bitmap.pixels == [wanted])
  }

  @Test func theHeaderSaysWhatItHas() throws {
    let picture = RandomPicture(PixelSize(width: 5, height: 4), seed: 1)
    let info = try probe(Array(QOISample(picture).bytes.prefix(14))).get()
    #expect(info.format == .qoi)
    #expect(info.size == PixelSize(width: 5, height: 4))
    #expect(info.hasAlpha)
    #expect(try !probe(QOISample(picture, channels: 3).bytes).get().hasAlpha)
  }

  @Test func alphaIsIgnoredWithoutItsChannel() throws {
    let picture = RandomPicture(PixelSize(width: 9, height: 9), seed: 2, hasAlpha: true)
    let bitmap = try outcome(of: QOISample(picture, channels: 3).bytes).get()
    let opaque = picture.pixels.map { Pixel($0.red, $0.green, $0.blue) }
    #expect(bitmap.format == .bgrx)
    #expect(Array(bitmap.pixels.joined()) == opaque)
  }

  @Test func samplesOfLightBecomeSRGB() throws {
    let picture = RandomPicture(PixelSize(width: 8, height: 8), seed: 3)
    var sample = QOISample(picture)
    sample.pixels = [Pixel](repeating: Pixel(55, 55, 55), count: 64)
    sample.space = 1
    let bitmap = try outcome(of: sample.bytes).get()
    // 55 of 255 is the light of 128 in sRGB.
    #expect(bitmap.pixels[0][0].distance(to: Pixel(128, 128, 128)) <= 1)
    let untouched = try outcome(of: sample.bytes, by: DecodeRules(colors: .untouched)).get()
    #expect(untouched.bitmap.pixels[0][0] == Pixel(55, 55, 55))
  }

  @Test func aPictureWithoutPixelsIsMalformed() {
    let header = Array("qoif".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 4, 0]
    let reason = "the image is 0×1 pixels"
    #expect(failure(of: header) == .malformed(.qoi, offset: 4, reason: reason))
  }
}
