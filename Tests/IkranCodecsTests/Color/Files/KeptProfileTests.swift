import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Profiles that travel with pixels, and are written again.
@Suite(.timeLimit(.minutes(10)))
struct KeptProfileTests {
  private static let size = PixelSize(width: 41, height: 30)
  private static let encodings: [ImageEncoding] = [
    .png, .jpeg(quality: 95), .webp(quality: 95), .webpLossless, .gif,
  ]

  private func decode(_ file: [UInt8], _ colors: ColorHandling) throws -> DecodedPicture {
    try CodecList.standard.decode(file.span, rules: DecodeRules(colors: colors))
  }

  private func picture(_ profile: [UInt8], hasAlpha: Bool = false) throws -> Bitmap {
    var picture = try Bitmap.colorful(Self.size, hasAlpha: hasAlpha)
    picture.profile = ColorProfile(profile)
    return picture
  }

  @Test(arguments: encodings, [false, true])
  func encodersWriteTheProfileAndDecodersKeepIt(
    _ encoding: ImageEncoding,
    _ hasAlpha: Bool
  ) throws {
    // Of an odd number of bytes, and of more than a JPEG segment or a GIF block holds.
    let long = MadeProfile.adobeRGB.bytes + [UInt8](repeating: 7, count: 140_001)
    for profile in [MadeProfile.proPhoto.bytes, long] {
      let picture = try picture(profile, hasAlpha: hasAlpha)
      var plain = picture
      plain.profile = nil
      let file = try picture.encoded(as: encoding)
      let kept = try decode(file, .keepProfile)
      #expect(kept.notes.isEmpty)
      #expect(kept.bitmap.profile?.bytes == profile)
      let expected = try decode(try plain.encoded(as: encoding), .sRGB).bitmap
      #expect(kept.bitmap.hasSamePixels(as: expected))
      #expect(try CodecList.standard.probe(file.span).hasICCProfile)
      let managed = try decode(file, .sRGB).bitmap
      #expect(managed.profile == nil && !managed.hasSamePixels(as: expected))
    }
  }

  @Test func aProfileStaysThroughChangesOfPixels() throws {
    let picture = try picture(MadeProfile.proPhoto.bytes)
    let small = PixelSize(width: 10, height: 10)
    let changed = [
      try picture.resampled(.cover(small)), try picture.oriented(.left),
      try picture.cropped(columns: 2..<9, rows: 3..<8), try picture.rotated(degrees: 20),
      try picture.rotated(degrees: 90, keepsSize: true), try picture.flipped(vertically: true),
      try picture.converted(to: .bgra), try picture.converted(to: .bgr).converted(to: .bgrx),
      try picture.rounded(radius: 4), try picture.filtered([.blur(radius: 2), .sepia()]),
      try picture.converted(to: .bgra).flattened(over: .white),
    ]
    for (index, bitmap) in changed.enumerated() {
      #expect(bitmap.profile === picture.profile, "change \(index)")
    }
    #expect(try picture.converted(to: .gray).profile == nil)
    let again = picture.weakened()
    #expect(again()?.profile === picture.profile)
  }

  @Test func whatHasNoProfileOfColorsIsConverted() throws {
    let inks = ColorFiles.jpeg(
      InkJPEG(width: 30, height: 20).bytes(),
      profile: MadeProfile.inks.bytes
    )
    let gray = ColorFiles.jpeg(
      JPEGSample(width: 40, height: 30, sampling: .gray).bytes(),
      profile: MadeProfile.linearGray.bytes
    )
    let png = try Bitmap.colorful(Self.size).encoded(as: .png)
    for file in [inks, gray, ColorFiles.png(png, [ColorFiles.gAMA(1)])] {
      let kept = try decode(file, .keepProfile).bitmap
      #expect(kept.profile == nil)
      #expect(kept.hasSamePixels(as: try decode(file, .sRGB).bitmap))
      #expect(!kept.hasSamePixels(as: try decode(file, .untouched).bitmap))
    }
  }

  @Test func aProfileThatIsIgnoredIsNotKept() throws {
    var picture = try picture([1, 2, 3])
    let file = try picture.encoded(as: .png)
    let kept = try decode(file, .keepProfile)
    #expect(kept.bitmap.profile == nil && kept.notes.count == 1)
    picture.profile = nil
    #expect(kept.bitmap.hasSamePixels(as: picture))
  }

  @Test func grayFilesHaveNoProfileOfColors() throws {
    var gray = try Bitmap.colorful(Self.size).converted(to: .gray)
    gray.profile = ColorProfile(MadeProfile.proPhoto.bytes)
    for encoding in [ImageEncoding.png, .jpeg()] {
      let file = try gray.encoded(as: encoding)
      #expect(try !CodecList.standard.probe(file.span).hasICCProfile)
    }
  }

  @Test func aProfileThatNoSegmentsHoldIsAnErrorOfJPEG() throws {
    let picture = try picture([UInt8](repeating: 0, count: 255 * 65_519 + 1))
    #expect(throws: EncodeError.self) { try picture.encoded(as: .jpeg()) }
  }
}
