import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Profiles that are cut, hostile or wrong: ignored, with a note, and never an error.
@Suite(.timeLimit(.minutes(10)))
struct FileColorDamageTests {
  private static let size = PixelSize(width: 20, height: 16)
  private static let good = MadeProfile.adobeRGB.bytes

  private func decode(_ file: [UInt8], _ colors: ColorHandling = .sRGB) throws -> DecodedPicture {
    try CodecList.standard.decode(file.span, rules: DecodeRules(colors: colors))
  }

  /// Whether a file is shown as if it had no profile, and says so.
  private func expectIgnored(_ file: [UInt8], _ comment: String) throws {
    let picture = try decode(file)
    #expect(picture.bitmap.hasSamePixels(as: try decode(file, .untouched).bitmap), "\(comment)")
    #expect(picture.notes.count == 1, "\(comment): \(picture.notes)")
    guard case .profileIgnored(let reason)? = picture.notes.first else {
      Issue.record("\(comment): \(picture.notes)")
      return
    }
    #expect(!reason.isEmpty)
  }

  /// Files of all formats with a profile.
  private func files(_ profile: [UInt8]) throws -> [(String, [UInt8])] {
    let picture = try Bitmap.colorful(Self.size)
    let parts = max(1, (profile.count + 64_999) / 65_000)
    return [
      ("JPEG", ColorFiles.jpeg(try picture.encoded(as: .jpeg()), profile: profile, parts: parts)),
      ("PNG", ColorFiles.png(try picture.encoded(as: .png), [ColorFiles.iCCP(profile)])),
      (
        "WebP",
        ColorFiles.webp(try picture.encoded(as: .webpLossless), [("ICCP", profile)], Self.size)
      ), ("GIF", ColorFiles.gif(try picture.encoded(as: .gif), profile: profile)),
    ]
  }

  private static var wrong: [(String, [UInt8])] {
    func changed(_ offset: Int, _ bytes: [UInt8]) -> [UInt8] {
      good[..<offset] + bytes + good[(offset + bytes.count)...]
    }
    // In the list of tags, which is before all of them.
    let curve = good.firstRange(of: Array("rTRC".utf8))?.lowerBound ?? 0
    return [
      ("cut", Array(good.dropLast(50))), ("a header", Array(good[..<128])),
      ("three bytes", [1, 2, 3]),
      ("zeros", [UInt8](repeating: 0, count: 500)), ("100 MB", changed(0, [6, 0, 0, 0])),
      ("a device link", changed(12, Array("link".utf8))),
      ("for gray", MadeProfile.gray22.bytes), ("for inks", MadeProfile.inks.bytes),
      ("no tags", changed(128, [0, 0, 0, 0])),
      ("a curve far away", changed(curve + 4, [0x7F, 0xFF, 0xFF, 0xF0])),
    ]
  }

  @Test(arguments: wrong.indices) func wrongProfilesAreIgnored(_ index: Int) throws {
    let (comment, profile) = Self.wrong[index]
    for (format, file) in try files(profile) {
      try expectIgnored(file, "\(format) with a profile: \(comment)")
    }
  }

  @Test func aProfileOfColorsInAGrayFileIsIgnored() throws {
    let sample = JPEGSample(width: 40, height: 30, sampling: .gray)
    try expectIgnored(ColorFiles.jpeg(sample.bytes(), profile: Self.good), "JPEG")
    let gray = try Bitmap.colorful(Self.size).converted(to: .gray)
    let png = try gray.encoded(as: .png)
    try expectIgnored(ColorFiles.png(png, [ColorFiles.iCCP(Self.good)]), "PNG")
    let inks = InkJPEG(width: 40, height: 30).bytes()
    try expectIgnored(ColorFiles.jpeg(inks, profile: Self.good), "inks")
  }

  @Test func partsThatAreMissingOrDoubledAreIgnored() throws {
    let file = try Bitmap.colorful(Self.size).encoded(as: .jpeg())
    let half = Self.good.count / 2
    let (first, last) = (Self.good[..<half], Self.good[half...])
    let cases = [
      [ColorFiles.part(1, of: 2, first)], [ColorFiles.part(2, of: 2, last)],
      [ColorFiles.part(1, of: 2, first), ColorFiles.part(1, of: 2, first)],
      [
        ColorFiles.part(1, of: 2, first), ColorFiles.part(2, of: 2, last),
        ColorFiles.part(2, of: 2, last),
      ], [ColorFiles.part(1, of: 2, first), ColorFiles.part(2, of: 3, last)],
      [ColorFiles.part(0, of: 2, first), ColorFiles.part(1, of: 2, last)],
      [ColorFiles.part(1, of: 0, Self.good)], [ColorFiles.part(0, of: 0, Self.good)],
      [ColorFiles.part(3, of: 2, first), ColorFiles.part(2, of: 2, last)],
    ]
    for (index, parts) in cases.enumerated() {
      try expectIgnored(ColorFiles.jpeg(file, parts), "case \(index)")
    }
  }

  @Test func manyPartsAreBounded() throws {
    let file = try Bitmap.colorful(Self.size).encoded(as: .jpeg())
    let parts = (0..<3_000).map { ColorFiles.part($0 % 255 + 1, of: 255, [0, 0, 0, 0]) }
    try expectIgnored(ColorFiles.jpeg(file, parts), "3,000 parts")
  }

  @Test func damagedChunksOfPNGAreIgnored() throws {
    let png = try Bitmap.colorful(Self.size).encoded(as: .png)
    var chunk = ColorFiles.iCCP(Self.good)
    // The checksum of the stream at its end, then its first block's length, then its method.
    for place in [chunk.1.count - 1, 9, 5] {
      chunk = ColorFiles.iCCP(Self.good)
      chunk.1[place] ^= 0xFF
      try expectIgnored(ColorFiles.png(png, [chunk]), "byte \(place)")
    }
    try expectIgnored(ColorFiles.png(png, [("iCCP", [])]), "an empty chunk")
    try expectIgnored(ColorFiles.png(png, [("iCCP", Array("name".utf8))]), "a name alone")
    var file = ColorFiles.png(png, [ColorFiles.iCCP(Self.good)])
    // The checksum of the chunk.
    file[33 + 8 + ColorFiles.iCCP(Self.good).1.count] ^= 1
    try expectIgnored(file, "a wrong checksum")
  }

  @Test func aProfileThatInflatesWithoutEndIsIgnored() throws {
    let png = try Bitmap.colorful(Self.size).encoded(as: .png)
    let bomb = try #require(PNGDeflation.compressed([UInt8](repeating: 0, count: 40 << 20)))
    let file = ColorFiles.png(png, [("iCCP", Array("bomb\0\0".utf8) + bomb)])
    #expect(file.count < 200_000)
    try expectIgnored(file, "40 MB of zeros")
  }

  @Test func everyBeginningOfAProfileIsReadWithoutATrap() throws {
    let picture = try Bitmap.colorful(PixelSize(width: 3, height: 3))
    let webp = try picture.encoded(as: .webpLossless)
    for profile in [MadeProfile.adobeRGB, .table, .composedTable].map(\.bytes) {
      for count in stride(from: 0, to: profile.count, by: Rounds.areAll ? 13 : 211) {
        let part = Array(profile[..<count])
        let size = PixelSize(width: 3, height: 3)
        try expectIgnored(ColorFiles.webp(webp, [("ICCP", part)], size), "\(count) bytes")
      }
    }
  }

  @Test func flippedBitsOfProfilesNeverCrash() throws {
    let seed = UInt64.random(in: 0...99_999)
    print("profiles with flipped bits, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let inks = InkJPEG(width: 8, height: 8).bytes()
    for _ in 0..<Rounds.fewer(400, atLeast: 60) {
      let made = [MadeProfile.adobeRGB, .displayP3, .table, .inks].randomElement(using: &random)
      var profile = try #require(made).bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        // The first bytes decide most.
        let end = [300, profile.count].randomElement(using: &random) ?? 300
        profile[Int.random(in: 0..<min(end, profile.count), using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
      for (_, file) in try files(profile) { _ = try decode(file) }
      _ = try decode(ColorFiles.jpeg(inks, profile: profile, parts: 2))
    }
  }
}
