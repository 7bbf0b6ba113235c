import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

@Suite(.timeLimit(.minutes(5)))
struct ColorConversionTests {
  @Test(arguments: MadeProfile.allCases)
  func colorsAreAsLittleCMSConvertsThem(_ made: MadeProfile) throws {
    let (profile, model) = (made.bytes, made.model)
    let samples = TestColors.samples(model, seed: 7)
    let expected = try #require(LittleCMS.converted(samples, profile, model))
    let (conversion, ignored) = make(.icc(profile), model)
    #expect(ignored == nil)
    let pixels = TestColors.pixels(samples, model)
    let differences = ColorDifferences(conversion?.result(pixels) ?? pixels, expected)
    print("\(made.rawValue): \(differences)")
    #expect(differences.mean <= 1 && differences.high <= 4, "\(differences)")
    #expect(made == .sRGB || conversion != nil)
  }

  @Test(arguments: MadeProfile.allCases.filter { $0 != .sRGB })
  func vectorsChangeNoByte(_ made: MadeProfile) throws {
    let conversion = try #require(make(.icc(made.bytes), made.model).conversion)
    let pixels = TestColors.pixels(TestColors.samples(made.model, seed: 3), made.model)
    #expect(conversion.result(pixels) == conversion.result(pixels, usesSIMD: hasSIMD))
  }

  @Test func profilesOfSRGBNeedNoConversion() {
    let (conversion, ignored) = make(.icc(MadeProfile.sRGB.bytes), .rgb)
    #expect(conversion == nil && ignored == nil)
    #expect(make(nil, .rgb).conversion == nil)
    #expect(make(.sRGB, .rgb).conversion == nil)
    let chunk = ColorSource.gammaAndPrimaries(gamma: 0.45455, primaries: .sRGB)
    #expect(make(chunk, .rgb).conversion == nil)
  }

  /// A gray profile of the curve of sRGB is one of sRGB.
  @Test func grayProfilesOfSRGBNeedNoConversion() {
    let gray = MadeProfile.saved(gray: MadeProfile.sRGBCurve)
    let (conversion, ignored) = make(.icc(gray), .gray)
    #expect(conversion == nil && ignored == nil)
  }

  @Test(arguments: [
    (ColorSource.adobeRGB, MadeProfile.adobeRGB),
    (.gammaAndPrimaries(gamma: 1 / 1.8, primaries: .proPhoto), .proPhoto),
    (.cicp(primaries: 12, transfer: 13, matrix: 0, isFullRange: true), .displayP3),
    (.cicp(primaries: 9, transfer: 8, matrix: 0, isFullRange: true), .linearRec2020),
    (.gammaAndPrimaries(gamma: 1 / 2.2, primaries: nil), .gray22),
    (.gammaAndPrimaries(gamma: 1, primaries: nil), .linearGray),
  ])
  func otherSourcesConvertAsTheProfileOfTheirColors(
    _ source: ColorSource,
    _ made: MadeProfile
  ) throws {
    let samples = TestColors.samples(made.model, seed: 11)
    let pixels = TestColors.pixels(samples, made.model)
    let expected = try #require(LittleCMS.converted(samples, made.bytes, made.model))
    let (conversion, ignored) = make(source, made.model)
    #expect(ignored == nil)
    let differences = ColorDifferences(conversion?.result(pixels) ?? pixels, expected)
    print("\(source): \(differences)")
    #expect(differences.mean <= 1 && differences.high <= 4, "\(differences)")
  }

  @Test func narrowRangesReachFromBlackToWhite() throws {
    let source = ColorSource.cicp(primaries: 1, transfer: 13, matrix: 0, isFullRange: false)
    let conversion = try #require(make(source, .rgb).conversion)
    let result = conversion.result([16, 16, 16, 255, 235, 235, 235, 255, 0, 255, 126, 255])
    #expect(result == [0, 0, 0, 255, 255, 255, 255, 255, 0, 255, 128, 255])
  }

  @Test func narrowRangesOfDeepSamplesReachFromBlackToWhite() throws {
    let source = ColorSource.cicp(primaries: 1, transfer: 13, matrix: 0, isFullRange: false)
    let levels = try #require(
      ColorConversion.makeDeep(source, .rgb, workspace: Workspace()).levels
    )
    #expect(levels.red[16 << 8] == 0 && levels.red[235 << 8] == 255)
    #expect(levels.red[126 << 8] == 128)
  }

  /// The numbers are those of a program of its own after ITU-R BT.2390, section 5.4.1, from 1,000 to
  /// 203 cd/m².
  @Test(
    arguments: [
      (
        16,
        [(0, 0), (64, 45), (100, 107), (128, 181), (148, 229), (170, 252), (192, 255), (255, 255)]
      ),
      (18, [(0, 0), (64, 62), (128, 137), (191, 229), (255, 255)]),
    ] as [(UInt8, [(UInt8, Int)])]
  )
  func brightLightIsRolledOff(_ transfer: UInt8, _ shown: [(UInt8, Int)]) throws {
    let source = ColorSource.cicp(primaries: 9, transfer: transfer, matrix: 0, isFullRange: true)
    let conversion = try #require(make(source, .rgb).conversion)
    for (sample, level) in shown {
      let result = conversion.result([sample, sample, sample, 255])
      #expect(abs(Int(result[1]) - level) <= 1, "\(sample): \(result[1]), not \(level)")
    }
  }

  @Test(arguments: [UInt8(16), 18]) func brighterLightIsNeverDarker(_ transfer: UInt8) throws {
    let source = ColorSource.cicp(primaries: 9, transfer: transfer, matrix: 0, isFullRange: true)
    let conversion = try #require(make(source, .rgb).conversion)
    let levels = (0...UInt8.max).map { conversion.result([$0, $0, $0, 255])[1] }
    #expect(levels == levels.sorted())
    #expect(Set(levels).count > 140)
  }

  @Test(arguments: [4, 9, 11, 12] as [UInt8], [16, 18] as [UInt8])
  func graysOfBrightCurvesStayGray(_ primaries: UInt8, _ transfer: UInt8) throws {
    let source = ColorSource.cicp(
      primaries: primaries,
      transfer: transfer,
      matrix: 0,
      isFullRange: true
    )
    let conversion = try #require(make(source, .rgb).conversion)
    for gray in 0...UInt8.max {
      let pixel = conversion.result([gray, gray, gray, 255]).prefix(3).map { Int($0) }
      #expect((pixel.max() ?? 0) - (pixel.min() ?? 0) <= 1, "\(gray): \(pixel)")
    }
    #expect(conversion.result([255, 255, 255, 255]) == [255, 255, 255, 255])
  }

  @Test func inksAreInvertedWhereTheFileInvertsThem() throws {
    let conversion = try #require(make(.icc(MadeProfile.inks.bytes), .cmyk).conversion)
    let inks = TestColors.samples(.cmyk, seed: 2)
    for usesSIMD in [false, hasSIMD] {
      var inverted = inks.map { ~$0 }
      inverted.withUnsafeMutableBytes {
        conversion.convertInks($0, inverted: true, usesSIMD: usesSIMD)
      }
      #expect(inverted == conversion.result(inks))
    }
  }

  /// Translucent pixels of any width are divided by their alpha, converted and multiplied.
  @Test(arguments: [MadeProfile.displayP3, .table, .gray22], [1, 7, 256, 613])
  func translucentColorsConvertAsOpaqueOnes(_ made: MadeProfile, _ width: Int) throws {
    var random = SeededGenerator(seed: UInt64(width))
    let workspace = Workspace()
    let conversion = try #require(
      ColorConversion.make(.icc(made.bytes), made.model, workspace: workspace).conversion
    )
    var canvas = try Canvas(size: PixelSize(width: width, height: 3), format: .bgra)
    var expected: [[UInt8]] = []
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<3 {
        var row: [UInt8] = []
        for x in 0..<width {
          // A row of opaque pixels, one of clear ones and one of all kinds.
          let alpha = [255, y == 1 ? 0 : 255, .random(in: 0...255, using: &random)][y]
          var color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
          if made.model == .gray { color = [color[0], color[0], color[0]] }
          color = color.map { UInt8((Int($0) * alpha + 127) / 255) }
          for (channel, byte) in (color + [UInt8(alpha)]).enumerated() {
            bytes[y * stride + x * 4 + channel] = byte
          }
          let straight = color.map { byte in
            alpha == 0 ? 0 : UInt8(min(255, (Int(byte) * 255 + alpha / 2) / alpha))
          }
          let converted = conversion.result(straight + [255]).prefix(3)
          row += converted.map { UInt8((Int($0) * alpha + 127) / 255) } + [UInt8(alpha)]
        }
        expected.append(row)
      }
    }
    let result = try conversion.convert(canvas.finish(), workspace: workspace)
    #expect(result.format == .bgra)
    for y in 0..<3 {
      let row = result.withRow(y) { row in row.indices.map { row[$0] } }
      #expect(row == expected[y], "row \(y)")
    }
  }

  @Test func sharedPixelsAreCopiedAndOthersAreNot() throws {
    let workspace = Workspace()
    let conversion = try #require(
      ColorConversion.make(.adobeRGB, .rgb, workspace: workspace).conversion
    )
    var canvas = try Canvas(size: PixelSize(width: 5, height: 4), format: .bgrx)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(index % 251) }
    }
    let original = canvas.finish()
    let address = original.withUnsafeBytes { $0.baseAddress }
    let first = original.withRow(1) { $0[5] }
    let copy = try conversion.convert(original, workspace: workspace)
    #expect(copy.format == .bgrx && copy.withUnsafeBytes { $0.baseAddress } != address)
    #expect(original.withRow(1) { $0[5] } == first)
    let place = copy.withUnsafeBytes { $0.baseAddress }
    let again = try conversion.convert(consume copy, workspace: workspace)
    #expect(again.withUnsafeBytes { $0.baseAddress } == place)
  }

  /// Linear light in 8 bits has 13 steps where sRGB has 64.
  @Test func deepSamplesOfLinearLightHaveAllStepsOfGray() throws {
    let source = ColorSource.gammaAndPrimaries(gamma: 1, primaries: nil)
    let (deep, rest, _) = ColorConversion.makeDeep(source, .rgb, workspace: Workspace())
    let levels = try #require(deep)
    #expect(rest == nil)
    let plain = try #require(make(source, .rgb).conversion)
    let grays = TestColors.pixels(Array(UInt8.min ... .max), .gray)
    let coarse = Set(plain.result(grays)[0..<1024]).filter { $0 < 64 }
    print("steps below 64: \(coarse.count) of 8 bits")
    #expect(coarse.count < 20)
    for channel in [levels.red, levels.green, levels.blue] { #expect(Set(channel).count == 256) }
    #expect(levels.green[0] == 0 && levels.green[65_535] == 255)
  }

  @Test(arguments: [
    MadeProfile.displayP3, .proPhoto, .linearRec2020, .adobeRGB, .linearRGB,
  ])
  func deepSamplesAndTheRestMakeTheColorsOfBoth(_ made: MadeProfile) throws {
    let source = ColorSource.icc(made.bytes)
    let (found, rest, ignored) = ColorConversion.makeDeep(source, .rgb, workspace: Workspace())
    let levels = try #require(found)
    #expect(ignored == nil)
    var random = SeededGenerator(seed: 4)
    // Dark colours, as in photos: their squares are as frequent as those of bright ones.
    let samples = (0..<12_000).map { _ in
      let value = Double.random(in: 0...1, using: &random)
      return UInt16(value * value * 65_535)
    }
    let expected = try #require(LittleCMS.converted(samples, made.bytes, .rgb))
    let tables = [levels.red, levels.green, levels.blue]
    let bytes = samples.enumerated().map { tables[$0 % 3][Int($1)] }
    let pixels = TestColors.pixels(bytes, .rgb)
    let differences = ColorDifferences(rest?.result(pixels) ?? pixels, expected)
    let high = TestColors.pixels(samples.map { UInt8((UInt32($0) + 128) / 257) }, .rgb)
    let plain = try #require(make(source, .rgb).conversion)
    let coarse = ColorDifferences(plain.result(high), expected)
    print("\(made.rawValue), 16 bits: \(differences); their high bytes: \(coarse)")
    #expect(differences.mean <= 1 && differences.high <= 4, "\(differences)")
  }

  @Test func deepGraysNeedNothingAfterTheirLevels() throws {
    let source = ColorSource.icc(MadeProfile.gray18.bytes)
    let (found, rest, _) = ColorConversion.makeDeep(source, .gray, workspace: Workspace())
    let levels = try #require(found)
    #expect(rest == nil)
    let conversion = try #require(make(source, .gray).conversion)
    let grays = TestColors.pixels(Array(UInt8.min ... .max), .gray)
    let plain = conversion.result(grays)
    for gray in 0..<256 { #expect(levels.green[gray * 257] == plain[gray * 4]) }
  }

  @Test func deepSamplesOfATableHaveNoLevels() throws {
    let source = ColorSource.icc(MadeProfile.table.bytes)
    let (levels, rest, _) = ColorConversion.makeDeep(source, .rgb, workspace: Workspace())
    #expect(levels == nil && rest != nil)
  }

  /// LittleCMS is used by all decoding threads at once, each with a context of its own.
  @Test func conversionsAreMadeOnManyThreadsAtOnce() async {
    let kinds: [MadeProfile] = [.displayP3, .proPhoto, .gray18, .table]
    let profiles = kinds.map(\.bytes)
    let pixels = kinds.map { TestColors.pixels(TestColors.samples($0.model, seed: 9), $0.model) }
    @Sendable func result(_ index: Int) -> [UInt8]? {
      let workspace = Workspace()
      let source = ColorSource.icc(profiles[index])
      let made = ColorConversion.make(source, kinds[index].model, workspace: workspace)
      return made.conversion?.result(pixels[index], usesSIMD: workspace.usesSIMD)
    }
    let alone = kinds.indices.map { result($0) }
    await withTaskGroup(of: Bool.self) { group in
      for job in 0..<16 {
        group.addTask { result(job % kinds.count) == alone[job % kinds.count] }
      }
      for await isSame in group { #expect(isSame) }
    }
    #expect(!alone.contains(nil))
  }

  private func make(
    _ source: ColorSource?,
    _ model: ColorModel
  ) -> (conversion: ColorConversion?, ignored: ColorFault?) {
    ColorConversion.make(source, model, workspace: Workspace())
  }

  private var hasSIMD: Bool { Workspace().usesSIMD }
}
