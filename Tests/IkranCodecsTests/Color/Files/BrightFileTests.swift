#if JXL && AVIF && HEIC
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Files of high dynamic range: a ramp of grays up to 1,000 cd/m² above one of colours, in PQ.
@Suite(.timeLimit(.minutes(10))) struct BrightFileTests {
  private func picture(_ name: String, _ fitting: Fitting = .original) throws -> Bitmap {
    try outcome(of: Fixtures.bytes(name), fitting).get().converted(to: .bgra)
  }

  @Test(arguments: ["bright.avif", "bright.heic", "bright.jxl"])
  func allFormatsShowTheSamePicture(_ name: String) throws {
    let (found, expected) = (try picture(name), try picture("bright.png"))
    try #require(found.size == expected.size)
    #expect(found.distance(to: expected) <= 6)
  }

  @Test(arguments: ["bright.png", "bright.avif", "bright.heic", "bright.jxl"])
  func lightAboveWhiteIsToldApart(_ name: String) throws {
    // The white of a display, 203 cd/m², is left of these.
    let levels = try picture(name).pixels[3].dropFirst(13).map(\.green)
    #expect(levels.first ?? 0 > 215)
    #expect(levels.first ?? 255 < 240)
    #expect(Set(levels).count >= 15, "\(levels)")
    #expect(levels.last ?? 0 >= 253)
  }

  /// The same samples under hybrid log-gamma.
  @Test(arguments: ["bright.avif", "bright.heic", "bright-hlg.jxl"])
  func allFormatsShowHybridLogGammaTheSame(_ name: String) throws {
    let png = try Fixtures.bytes("bright.png")
    let place = try #require(png.firstRange(of: Array("cICP".utf8))).lowerBound
    let file = png[..<(place - 4)] + PNGSample.chunk("cICP", [9, 18, 0, 1]) + png[(place + 12)...]
    let expected = try outcome(of: Array(file)).get().converted(to: .bgra)
    #expect(try picture("bright.png").distance(to: expected) > 20)
    let found = try outcome(of: hybridFile(name)).get().converted(to: .bgra)
    #expect(found.distance(to: expected) <= 6)
  }

  /// A file whose code points say hybrid log-gamma; one of JPEG XL has been written so.
  private func hybridFile(_ name: String) throws -> [UInt8] {
    var file = try Fixtures.bytes(name)
    guard !name.hasSuffix(".jxl") else { return file }
    let points = try #require(file.firstRange(of: Array("nclx".utf8))).upperBound
    try #require(Array(file[points..<points + 4]) == [0, 9, 0, 16])
    file[points + 3] = 18
    return file
  }

  /// In 8 bits, levels of PQ near white are three bytes of sRGB apart.
  @Test(arguments: ["bright.avif", "bright.heic"])
  func samplesOfTenBitsShowFinerLevels(_ name: String) throws {
    let (found, expected) = (try picture(name), try picture("bright.png"))
    let errors = zip(found.pixels[3], expected.pixels[3]).map {
      abs(Int($0.green) - Int($1.green))
    }
    #expect(errors.max() ?? 9 <= 2, "\(errors)")
    #expect(errors.reduce(0, +) <= 30, "\(errors)")
  }

  @Test func theMeansOfABrightFileAreAsBright() throws {
    let small = Fitting.cover(PixelSize(width: 4, height: 1))
    let (found, expected) = (
      try picture("bright.jxl", small), try picture("bright.png", small)
    )
    #expect(found.distance(to: expected) <= 12)
  }

  @Test func samplesAreLeftAloneWhereThatIsWanted() throws {
    let rules = DecodeRules(colors: .untouched)
    let bitmaps = try ["bright.png", "bright.jxl"].map { name in
      try outcome(of: Fixtures.bytes(name), by: rules).get().bitmap
    }
    #expect(bitmaps[0].distance(to: bitmaps[1]) <= 4)
    // PQ has three quarters of its samples for 1,000 cd/m².
    #expect(abs(Int(bitmaps[1].pixels[3][63].green) - 192) <= 2)
  }
}
#endif
