import CLittleCMS
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// What counts when a file says its colours more than once, or without a profile.
@Suite(.timeLimit(.minutes(10)))
struct FileColorPrecedenceTests {
  private typealias Chunk = (String, [UInt8])

  private static let size = PixelSize(width: 60, height: 40)
  private static let adobe = ColorFiles.iCCP(MadeProfile.adobeRGB.bytes)
  private static let sRGB: Chunk = ("sRGB", [0])
  /// Display P3 with the curve of sRGB.
  private static let cICP: Chunk = ("cICP", [12, 13, 0, 1])
  private static let wide = [ColorFiles.gAMA(1 / 1.8), ColorFiles.cHRM(.proPhoto)]

  private func decode(_ file: [UInt8], _ colors: ColorHandling = .sRGB) throws -> DecodedPicture {
    try CodecList.standard.decode(file.span, rules: DecodeRules(colors: colors))
  }

  private func png(_ chunks: [Chunk]) throws -> [UInt8] {
    ColorFiles.png(try Bitmap.colorful(Self.size).encoded(as: .png), chunks)
  }

  /// Whether the first chunks alone make the same pixels as with the others, in any order.
  private func expect(_ first: [Chunk], above others: [Chunk]) throws {
    let alone = try decode(png(first)).bitmap
    for chunks in [first + others, others + first] {
      let picture = try decode(png(chunks))
      #expect(picture.bitmap.hasSamePixels(as: alone), "\(chunks.map(\.0))")
      #expect(picture.notes.isEmpty)
    }
  }

  @Test func codePointsCountMoreThanAProfileAndThatMoreThanTheRest() throws {
    try expect([Self.cICP], above: [Self.adobe, Self.sRGB] + Self.wide)
    try expect([Self.adobe], above: [Self.sRGB] + Self.wide)
    try expect([Self.sRGB], above: Self.wide)
  }

  @Test func whatCannotBeUsedLeavesItToTheNext() throws {
    // BT.601 luma and chroma are no colours of a PNG.
    let alone = try decode(png([Self.adobe])).bitmap
    let picture = try decode(png([("cICP", [12, 13, 6, 1]), Self.adobe]))
    #expect(picture.bitmap.hasSamePixels(as: alone))
    #expect(picture.notes.count == 1)
    let broken = ColorFiles.iCCP(Array(MadeProfile.adobeRGB.bytes.dropLast(100)))
    let gamma = try decode(png(Self.wide)).bitmap
    let other = try decode(png([broken] + Self.wide))
    #expect(other.bitmap.hasSamePixels(as: gamma))
    #expect(other.notes.count == 1)
  }

  /// A profile with the same colours says what is right.
  @Test func codePointsGammaAndChromaticitiesAreThoseOfAProfile() throws {
    let cases: [([Chunk], [UInt8])] = [
      ([Self.cICP], MadeProfile.displayP3.bytes),
      ([ColorFiles.gAMA(1 / 1.8), ColorFiles.cHRM(.proPhoto)], MadeProfile.proPhoto.bytes),
      ([ColorFiles.gAMA(1)], MadeProfile.matrix(.sRGB, cmsBuildGamma(nil, 1))),
      ([ColorFiles.gAMA(256 / 563.0), ColorFiles.cHRM(.adobeRGB)], MadeProfile.adobeRGB.bytes),
    ]
    for (chunks, profile) in cases {
      let seen = try decode(png(chunks)).bitmap.opaquePixels()
      let wanted = try decode(png([ColorFiles.iCCP(profile)])).bitmap.opaquePixels()
      let difference = ColorDifferences(seen, wanted)
      #expect(difference.mean <= 1 && difference.high <= 4, "\(chunks.map(\.0)): \(difference)")
      let plain = try decode(png(chunks), .untouched).bitmap.opaquePixels()
      #expect(ColorDifferences(seen, plain).mean > 0.5)
    }
  }

  @Test func colorsOfSRGBStayToTheLastBit() throws {
    let gamma = [ColorFiles.gAMA(0.45455), ColorFiles.cHRM(.sRGB)]
    let plain = try decode(png([])).bitmap
    for chunks in [[Self.sRGB], gamma, [ColorFiles.iCCP(MadeProfile.sRGB.bytes)]] {
      let picture = try decode(png(chunks))
      #expect(picture.bitmap.hasSamePixels(as: plain), "\(chunks.map(\.0))")
      #expect(picture.notes.isEmpty)
    }
  }

  @Test func nothingIsSaidOfAProfileThatCodePointsComeBefore() throws {
    let damaged = ("iCCP", Array("made\0\0".utf8) + [1, 2, 3])
    #expect(try decode(png([damaged])).notes.count == 1)
    let points = ("cICP", [1, 13, 0, 1] as [UInt8])
    for chunks in [[points, damaged], [damaged, points]] {
      #expect(try decode(png(chunks)).notes.isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func exifNamesAdobeRGB(_ isBigEndian: Bool) throws {
    let picture = try Bitmap.colorful(Self.size)
    let (jpeg, webp) = (try picture.encoded(as: .jpeg()), try picture.encoded(as: .webpLossless))
    func files(_ space: UInt16, _ index: String?, _ profile: [UInt8]? = nil) -> [[UInt8]] {
      let block = ColorFiles.exif(space: space, index: index, isBigEndian: isBigEndian)
      let file = profile.map { ColorFiles.jpeg(jpeg, profile: $0) } ?? jpeg
      return [
        ColorFiles.jpeg(file, [(0xE1, Array("Exif\0\0".utf8) + block)]),
        ColorFiles.webp(
          webp,
          (profile.map { [("ICCP", $0)] } ?? []) + [("EXIF", block)],
          Self.size
        ),
      ]
    }
    let adobe = MadeProfile.adobeRGB.bytes
    let named = files(0xFFFF, "R03") + files(2, nil)
    for (named, profiled) in zip(named, files(1, nil, adobe) + files(1, nil, adobe)) {
      let (seen, wanted) = (try decode(named).bitmap, try decode(profiled).bitmap)
      let difference = ColorDifferences(try seen.opaquePixels(), try wanted.opaquePixels())
      #expect(difference.mean <= 0.2 && difference.most <= 2, "\(difference)")
      #expect(!seen.hasSamePixels(as: try decode(named, .untouched).bitmap))
    }
    for (space, index) in [(1, nil), (1, "R98"), (0xFFFF, nil), (0xFFFF, "R98"), (7, "R03")] {
      for file in files(UInt16(space), index) {
        let plain = try decode(file, .untouched).bitmap
        #expect(try decode(file).bitmap.hasSamePixels(as: plain), "\(space) \(index ?? "")")
      }
    }
  }
}
