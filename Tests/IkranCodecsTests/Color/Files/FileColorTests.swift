import Glibc
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Files whose colours a profile or something else describes, against LittleCMS.
@Suite(.timeLimit(.minutes(10)))
struct FileColorTests {
  private static let size = PixelSize(width: 70, height: 50)
  private static let profiles: [MadeProfile] = [
    .displayP3, .adobeRGB, .proPhoto, .linearRec2020, .table, .composedTable,
  ]

  private func decode(
    _ file: [UInt8],
    _ colors: ColorHandling = .sRGB,
    _ fitting: Fitting = .original
  ) throws -> DecodedPicture {
    let rules = DecodeRules(colors: colors)
    return try CodecList.standard.decode(file.span, fitting: fitting, rules: rules)
  }

  /// Compares a decode with LittleCMS's conversion of one that leaves colours alone.
  private func check(
    _ file: [UInt8],
    _ profile: [UInt8],
    _ model: ColorModel = .rgb,
    _ comment: String = ""
  ) throws {
    for fitting in [Fitting.original, .inside(PixelSize(width: 31, height: 20))] {
      let picture = try decode(file, .sRGB, fitting)
      let plain = try decode(file, .untouched, fitting)
      #expect(picture.notes.isEmpty && plain.notes.isEmpty, "\(comment) \(picture.notes)")
      let pixels = try plain.bitmap.opaquePixels()
      try expectSame(try picture.bitmap.opaquePixels(), pixels, profile, model, comment)
    }
  }

  private func expectSame(
    _ seen: [UInt8],
    _ pixels: [UInt8],
    _ profile: [UInt8],
    _ model: ColorModel,
    _ comment: String
  ) throws {
    var samples: [UInt8] = []
    for start in stride(from: 0, to: pixels.count, by: 4) {
      if model != .gray { samples += [pixels[start + 2], pixels[start + 1]] }
      samples.append(pixels[start])
    }
    let expected = try #require(LittleCMS.converted(samples, profile, model))
    let difference = ColorDifferences(seen, expected)
    #expect(difference.mean <= 1 && difference.high <= 4, "\(comment): \(difference)")
    #expect(ColorDifferences(seen, pixels).mean > 0.5, "\(comment): nothing was converted")
  }

  // MARK: - Profiles

  @Test(arguments: profiles)
  func jpegProfilesAreConverted(_ profile: MadeProfile) throws {
    let picture = try Bitmap.colorful(Self.size)
    let file = try picture.encoded(as: .jpeg(quality: 90))
    for parts in [1, 3] {
      try check(ColorFiles.jpeg(file, profile: profile.bytes, parts: parts), profile.bytes)
    }
    var sample = JPEGSample(width: 90, height: 80, sampling: .quarter)
    sample.isProgressive = true
    try check(ColorFiles.jpeg(sample.bytes(), profile: profile.bytes), profile.bytes)
  }

  @Test(arguments: profiles, [false, true])
  func pngAndWebPProfilesAreConverted(_ profile: MadeProfile, _ hasAlpha: Bool) throws {
    let picture = try Bitmap.colorful(Self.size, hasAlpha: hasAlpha)
    let png = ColorFiles.png(
      try picture.encoded(as: .png),
      [ColorFiles.iCCP(profile.bytes)]
    )
    try check(png, profile.bytes, .rgb, "PNG \(profile)")
    for encoding in [ImageEncoding.webpLossless, .webp(quality: 95)] {
      let webp = ColorFiles.webp(
        try picture.encoded(as: encoding),
        [("ICCP", profile.bytes)],
        Self.size
      )
      try check(webp, profile.bytes, .rgb, "WebP \(profile)")
    }
  }

  @Test(arguments: profiles)
  func gifProfilesAreConverted(_ profile: MadeProfile) throws {
    let gif = try Bitmap.colorful(Self.size).encoded(as: .gif)
    try check(ColorFiles.gif(gif, profile: profile.bytes), profile.bytes)
  }

  @Test(arguments: RandomPNG.kinds.indices)
  func everyKindOfPNGIsConverted(_ index: Int) throws {
    let kind = RandomPNG.kinds[index]
    // Of so few grays, most are black or white.
    guard kind.depth >= 8 || kind.color == 3 else { return }
    let isGray = kind.color == 0 || kind.color == 4
    let profile = isGray ? MadeProfile.linearGray : .proPhoto
    let sample = RandomPNG(
      size: Self.size,
      depth: kind.depth,
      color: kind.color,
      filters: [0],
      seed: 7
    )
    let file = ColorFiles.png(sample.bytes, [ColorFiles.iCCP(profile.bytes)])
    // Noise with alpha of every strength has few exact colours.
    let isTransparent = kind.color >= 4
    guard !isTransparent else {
      #expect(try decode(file).bitmap.format == .bgra)
      return
    }
    let picture = try decode(file)
    #expect(picture.notes.isEmpty)
    let pixels = try decode(file, .untouched).bitmap.opaquePixels()
    let seen = try picture.bitmap.opaquePixels()
    try expectSame(seen, pixels, profile.bytes, isGray ? .gray : .rgb, "\(kind)")
  }

  /// Of light in 8 bits, the darkest fifth of all grays would have 12 levels.
  @Test func samplesOf16BitsKeepTheirDarkColors() throws {
    let sample = PNGSample(size: PixelSize(width: 256, height: 2)) { x, _ in
      [UInt16](repeating: UInt16(x * 8), count: 3)
    }
    let file = ColorFiles.png(sample.bytes, [ColorFiles.gAMA(1)])
    let pixels = try decode(file).bitmap.opaquePixels()
    for x in 0..<256 {
      let light = Double(x * 8) / 65_535
      let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
      #expect(abs(Double(pixels[x * 4]) - value * 255) <= 1, "\(x)")
    }
    for profile in [MadeProfile.proPhoto, .table] {
      let colors = PNGSample(size: Self.size, hasAlpha: true) { x, y in
        [UInt16(x * 900), UInt16(y * 1_200), UInt16((x * y) % 250 * 257), 65_535]
      }
      let file = ColorFiles.png(colors.bytes, [ColorFiles.iCCP(profile.bytes)])
      let pixels = try decode(file, .untouched).bitmap.opaquePixels()
      let seen = try decode(file).bitmap.opaquePixels()
      try expectSame(seen, pixels, profile.bytes, .rgb, "\(profile)")
    }
  }

  @Test(arguments: [MadeProfile.gray18, .linearGray])
  func grayFilesAreConvertedByTheirCurve(_ profile: MadeProfile) throws {
    let sample = JPEGSample(width: 80, height: 60, sampling: .gray)
    try check(ColorFiles.jpeg(sample.bytes(), profile: profile.bytes), profile.bytes, .gray)
  }

  @Test(arguments: [false, true], [false, true])
  func inksAreConvertedByTheirProfile(_ isYCCK: Bool, _ isProgressive: Bool) throws {
    let profile = MadeProfile.inks.bytes
    let sample = InkJPEG(width: 96, height: 64, isYCCK: isYCCK, isProgressive: isProgressive)
    let file = ColorFiles.jpeg(sample.bytes(), profile: profile, parts: 3)
    let picture = try decode(file)
    #expect(picture.notes.isEmpty)
    let inks = InkJPEG.inks(of: file)
    let expected = try #require(LittleCMS.converted(inks, profile, .cmyk))
    let seen = try picture.bitmap.opaquePixels()
    let difference = ColorDifferences(seen, expected)
    #expect(difference.mean <= 1 && difference.high <= 4, "\(difference)")
    // Reduced after the conversion, as it is done elsewhere, slow changes are nearly as they are here.
    let small = PixelSize(width: 48, height: 32)
    let reduced = try picture.bitmap.resampled(.cover(small)).opaquePixels()
    let target = try decode(file, .sRGB, .cover(small)).bitmap.opaquePixels()
    #expect(ColorDifferences(target, reduced).mean <= 1)
  }

  @Test func inksWithoutAProfileAreMultiplied() throws {
    let file = InkJPEG(width: 40, height: 30).bytes()
    let inks = InkJPEG.inks(of: file)
    let seen = try decode(file).bitmap.opaquePixels()
    for pixel in 0..<seen.count / 4 {
      for channel in 0..<3 {
        let light = (255 - Int(inks[pixel * 4 + 2 - channel])) * (255 - Int(inks[pixel * 4 + 3]))
        #expect(abs(Int(seen[pixel * 4 + channel]) - light / 255) <= 1)
      }
    }
  }

  @Test func regionsAndTheBeginningOfAFileAreConverted() throws {
    let profile = MadeProfile.proPhoto.bytes
    var sample = JPEGSample(width: 160, height: 120, sampling: .quarter)
    let region = PixelRectangle(x: 30, y: 20, width: 60, height: 40)
    for isProgressive in [false, true] {
      sample.isProgressive = isProgressive
      let file = ColorFiles.jpeg(sample.bytes(), profile: profile)
      var managed = try RegionDecoder(file.span)
      var plain = try RegionDecoder(file.span, rules: DecodeRules(colors: .untouched))
      let seen = try managed.decode(region, of: file.span)
      let pixels = try plain.decode(region, of: file.span)
      try expectSame(seen.opaquePixels(), pixels.opaquePixels(), profile, .rgb, "region")
    }
    let file = ColorFiles.jpeg(sample.bytes(), profile: profile)
    let fitting = Fitting.cover(PixelSize(width: 10, height: 8))
    let count = try #require(JPEGPrefix(file.span)?.sufficientByteCount(for: fitting))
    let beginning = Array(file[..<(count + 2)])
    let early = try JPEGPrefix.decode(
      beginning.span,
      fitting: fitting,
      rules: DecodeRules(),
      workspace: Workspace()
    )
    #expect(early?.bitmap.hasSamePixels(as: try decode(file, .sRGB, fitting).bitmap) == true)
  }

  @Test func whatIsThereOfAnInterlacedFileIsConverted() throws {
    let profile = MadeProfile.proPhoto.bytes
    let sample = PNGSample(size: Self.size, isInterlaced: true) { x, y in
      [UInt16(x * 900), UInt16(y * 1_200), UInt16((x * y) % 250 * 257)]
    }
    let png = ColorFiles.png(sample.bytes, [ColorFiles.iCCP(profile)])
    let gif = ColorFiles.gif(
      GIFSample.interlaced(width: 70, height: 50) { x, y in UInt8((x * 3 + y * 2) % 256) },
      profile: profile
    )
    for file in [png, gif] {
      let beginning = Array(file[..<(file.count * 3 / 4)])
      func early(_ colors: ColorHandling) throws -> [UInt8] {
        let picture = try CodecList.standard.decodePrefix(
          beginning.span,
          fitting: .original,
          rules: DecodeRules(colors: colors),
          workspace: Workspace()
        )
        return try #require(picture).bitmap.opaquePixels()
      }
      try expectSame(early(.sRGB), early(.untouched), profile, .rgb, "beginning")
    }
  }

  @Test(arguments: [ImageEncoding.png, .gif, .webpLossless])
  func framesOfAnimationsAreConverted(_ encoding: ImageEncoding) throws {
    let profile = MadeProfile.proPhoto.bytes
    let encoder = try AnimationEncoder(encoding, size: Self.size, plays: nil, hasAlpha: false)
    let first = try Bitmap.colorful(Self.size)
    for frame in [first, try first.oriented(.down), try first.oriented(.upMirrored)] {
      try encoder.add(frame, duration: 100)
    }
    let plain = try encoder.finish()
    let file =
      switch encoding {
      case .png: ColorFiles.png(plain, [ColorFiles.iCCP(profile)])
      case .gif: ColorFiles.gif(plain, profile: profile)
      default: ColorFiles.webp(plain, [("ICCP", profile)], Self.size)
      }
    func composer(_ colors: ColorHandling) throws -> any FrameComposer {
      let rules = DecodeRules(colors: colors)
      return try #require(try CodecList.standard.frames(of: file, rules: rules)).makeComposer()
    }
    let (managed, untouched) = (try composer(.sRGB), try composer(.untouched))
    var kept: (number: Int, bitmap: Bitmap)?
    for number in [0, 1, 2, 1] {
      let seen = try managed.compose(number)
      let pixels = try untouched.compose(number).opaquePixels()
      try expectSame(seen.opaquePixels(), pixels, profile, .rgb, "frame \(number)")
      // A converted frame is no canvas to draw the next one on.
      let fitting = Fitting.original
      let again = try composer(.sRGB)
        .compose(number, from: kept, fitting: fitting, workspace: Workspace())
      #expect(again.hasSamePixels(as: seen))
      kept = (number, seen)
    }
  }
}
