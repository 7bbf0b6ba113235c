import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Profiles that cannot be used are reported, and never an error, a trap or a long wait.
@Suite(.timeLimit(.minutes(5)))
struct ColorFaultTests {
  @Test(arguments: MadeProfile.allCases)
  func aProfileThatIsCutIsIgnoredAtEveryLength(_ made: MadeProfile) {
    let profile = made.bytes
    let lengths = Array(0..<min(profile.count, 700)) + stride(from: 700, to: profile.count, by: 997)
    for length in lengths {
      let (conversion, ignored) = make(.icc(Array(profile[..<length])), made.model)
      #expect(conversion == nil)
      let declared = length < 132 ? 132 : profile.count
      #expect(ignored == .truncated(declared: declared, given: length))
    }
  }

  /// The header's length is right, and tags lie outside.
  @Test(arguments: MadeProfile.allCases)
  func aProfileWhoseTagsAreMissingIsIgnored(_ made: MadeProfile) {
    let profile = made.bytes
    for length in stride(from: 132, to: profile.count - 4, by: max(1, profile.count / 300)) {
      var cut = Array(profile[..<length])
      cut.replaceSubrange(0..<4, with: word(length))
      let (conversion, ignored) = make(.icc(cut), made.model)
      // Tags that follow those of the colours may be missing.
      #expect((ignored == nil) == (conversion != nil) || made == .sRGB)
    }
    var first = Array(profile[..<132])
    first.replaceSubrange(0..<4, with: word(132))
    #expect(make(.icc(first), made.model).ignored != nil)
  }

  @Test(arguments: [
    (MadeProfile.displayP3, ColorModel.gray, "RGB"), (.displayP3, .cmyk, "RGB"),
    (.gray22, .rgb, "GRAY"), (.gray22, .cmyk, "GRAY"), (.inks, .rgb, "CMYK"),
    (.inks, .gray, "CMYK"), (.table, .gray, "RGB"),
  ])
  func aProfileOfOtherColorsIsIgnored(_ made: MadeProfile, _ model: ColorModel, _ name: String) {
    let (conversion, ignored) = make(.icc(made.bytes), model)
    #expect(conversion == nil)
    #expect(ignored == .wrongColors(profile: name))
    #expect("\(ColorFault.wrongColors(profile: name))".contains(name))
  }

  @Test(arguments: ["link", "abst", "nmcl", "\u{1}\u{2}<>"])
  func aProfileOfAnotherKindIsIgnored(_ kind: String) {
    var profile = MadeProfile.displayP3.bytes
    profile.replaceSubrange(12..<16, with: Array(kind.utf8))
    let shown = kind.hasPrefix("\u{1}") ? "????" : kind
    #expect(make(.icc(profile), .rgb).ignored == .wrongKind(shown))
  }

  @Test(arguments: [100_000_000, 0x7FFF_FFFF, 0xFFFF_FFFF])
  func aProfileThatDeclaresTooMuchIsIgnored(_ length: Int) {
    var profile = MadeProfile.displayP3.bytes
    profile.replaceSubrange(0..<4, with: word(length))
    let expected = ColorFault.tooLarge(bytes: length, limit: ColorSource.largestProfile)
    #expect(make(.icc(profile), .rgb).ignored == expected)
  }

  @Test func aProfileThatIsTooLongIsIgnored() {
    var profile = MadeProfile.displayP3.bytes
    profile += [UInt8](repeating: 0, count: ColorSource.largestProfile - profile.count + 1)
    let expected = ColorFault.tooLarge(
      bytes: profile.count,
      limit: ColorSource.largestProfile
    )
    #expect(make(.icc(profile), .rgb).ignored == expected)
  }

  /// Zeros to an even length, or what a program forgot there.
  @Test func bytesAfterTheProfileDoNotMatter() throws {
    let profile = MadeProfile.displayP3.bytes
    let plain = try #require(make(.icc(profile), .rgb).conversion)
    let longer = try #require(make(.icc(profile + [0, 0, 7]), .rgb).conversion)
    let pixels = TestColors.pixels(TestColors.samples(.rgb, seed: 1), .rgb)
    #expect(plain.result(pixels) == longer.result(pixels))
  }

  /// As many tags as a word can count, all the one that is looked for or none.
  @Test func anyNumberOfTagsIsReadInNoTime() {
    var profile = MadeProfile.displayP3.bytes
    profile.replaceSubrange(128..<132, with: word(0x8000_0000))
    let (conversion, ignored) = make(.icc(profile), .rgb)
    #expect(conversion != nil && ignored == nil)
    profile.replaceSubrange(132..<profile.count, with: [UInt8](repeating: 0xFF, count: 1 << 20))
    profile.replaceSubrange(0..<4, with: word(profile.count))
    #expect(make(.icc(profile), .rgb).ignored == .malformed(reason: "it has no rXYZ"))
  }

  @Test(arguments: [UInt32(1) << 31, .max, 0x7FFF, 0x8000])
  func curvesWithMoreEntriesThanBytesAreIgnored(_ count: UInt32) throws {
    for made in [MadeProfile.tabulatedRGB, .tabulatedGray] {
      var profile = made.bytes
      let curve = try #require(places(of: "curv", in: profile).first)
      profile.replaceSubrange(curve + 8..<curve + 12, with: word(Int(count)))
      let name = made == .tabulatedGray ? "kTRC" : "rTRC"
      #expect(
        make(.icc(profile), made.model).ignored == .malformed(reason: "its \(name) is damaged")
      )
    }
  }

  @Test(arguments: [MadeProfile.table, .composedTable, .inks, .composedInks])
  func tablesWithMoreColorsThanBytesAreIgnored(_ made: MadeProfile) throws {
    let name = made == .table || made == .inks ? "mft2" : "mAB "
    let original = made.bytes
    let table = try #require(places(of: name, in: original).last)
    var damaged: [[UInt8]] = []
    for nodes in [UInt8(0), 1, 60, 255] {
      var profile = original
      if name == "mft2" {
        profile[table + 10] = nodes
      } else {
        let grid = table + original[table + 24..<table + 28].reduce(0) { $0 << 8 | Int($1) }
        profile.replaceSubrange(grid..<grid + 4, with: [nodes, nodes, nodes, nodes])
      }
      damaged.append(profile)
    }
    for channels in [UInt8(0), 1, 5, 15, 255] {
      for place in [8, 9] {
        var profile = original
        profile[table + place] = channels
        damaged.append(profile)
      }
    }
    for profile in damaged {
      #expect(make(.icc(profile), made.model).ignored == .malformed(reason: "its table is damaged"))
    }
  }

  /// Multi-process elements can hold any number of segments, and one colour may look at all of them.
  @Test func elementsOfAnyKindAreLeftToTheTableBesideThem() throws {
    let profile = MadeProfile.table.bytes
    let expected = try #require(make(.icc(profile), .rgb).conversion)
    // One more tag in the list moves all data by twelve bytes.
    let count = profile[128..<132].reduce(0) { $0 << 8 | Int($1) }
    var other = Array(profile[..<128]) + word(count + 1)
    for entry in stride(from: 132, to: 132 + 12 * count, by: 12) {
      let offset = profile[entry + 4..<entry + 8].reduce(0) { $0 << 8 | Int($1) }
      other += profile[entry..<entry + 4] + word(offset + 12) + profile[entry + 8..<entry + 12]
    }
    let elements = Array("mpet".utf8) + word(0) + [0, 3, 0, 3] + word(Int(UInt32.max))
    other += Array("D2B1".utf8) + word(profile.count + 12) + word(elements.count)
    other += profile[(132 + 12 * count)...]
    other += elements
    other.replaceSubrange(0..<4, with: word(other.count))
    let conversion = try #require(make(.icc(other), .rgb).conversion)
    let pixels = TestColors.pixels(TestColors.samples(.rgb, seed: 1), .rgb)
    #expect(conversion.result(pixels) == expected.result(pixels))
  }

  @Test(arguments: [0, -1, 1e-6, 1e6, .nan, .infinity])
  func anImpossibleGammaIsIgnored(_ gamma: Double) {
    let source = ColorSource.gammaAndPrimaries(gamma: gamma, primaries: nil)
    #expect(make(source, .rgb).ignored == .impossibleColors)
  }

  @Test func impossibleChromaticitiesAreIgnored() {
    var flat = Chromaticities.sRGB
    flat.green = flat.red
    var dark = Chromaticities.sRGB
    dark.white.y = 0
    var far = Chromaticities.sRGB
    far.blue.x = 21_474
    var unknown = Chromaticities.sRGB
    unknown.red.x = .nan
    for colors in [flat, dark, far, unknown] {
      let source = ColorSource.gammaAndPrimaries(gamma: nil, primaries: colors)
      #expect(make(source, .rgb).ignored == .impossibleColors)
    }
  }

  @Test func codePointsWithoutColorsAreIgnored() {
    for point in UInt8.min ... .max {
      let primaries = ColorSource.cicp(
        primaries: point,
        transfer: 13,
        matrix: 0,
        isFullRange: true
      )
      let isKnown = [1, 4, 5, 6, 7, 8, 9, 11, 12, 22].contains(point)
      #expect((make(primaries, .rgb).ignored == nil) == isKnown)
      let transfer = ColorSource.cicp(primaries: 9, transfer: point, matrix: 0, isFullRange: true)
      let hasCurve = [1, 4, 5, 6, 7, 8, 13, 14, 15, 16, 18].contains(point)
      #expect((make(transfer, .rgb).ignored == nil) == hasCurve)
    }
    let mixed = ColorSource.cicp(primaries: 1, transfer: 13, matrix: 1, isFullRange: true)
    let fault = ColorFault.unsupportedCodePoints(primaries: 1, transfer: 13, matrix: 1)
    #expect(make(mixed, .rgb).ignored == fault)
  }

  /// What is found out about a profile is kept, faults too, for the last four.
  @Test func theLastProfilesAreKept() {
    let memory = ColorMemory()
    let good = ColorSource.icc(MadeProfile.displayP3.bytes)
    let bad = ColorSource.icc([1, 2, 3])
    for _ in 0..<3 {
      #expect(memory.reading(good, .rgb, isDeep: false).reading.conversion != nil)
      #expect(memory.reading(bad, .rgb, isDeep: false).ignored != nil)
    }
    #expect(memory.readings == 2)
    for gamma in 1...4 {
      let source = ColorSource.gammaAndPrimaries(gamma: Double(gamma), primaries: nil)
      _ = memory.reading(source, .rgb, isDeep: false)
    }
    _ = memory.reading(good, .rgb, isDeep: false)
    #expect(memory.readings == 7)
    // The colours of another model are others.
    _ = memory.reading(good, .gray, isDeep: false)
    #expect(memory.readings == 8)
  }

  private func make(
    _ source: ColorSource?,
    _ model: ColorModel
  ) -> (conversion: ColorConversion?, ignored: ColorFault?) {
    ColorConversion.make(source, model, workspace: Workspace())
  }

  private func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private func places(of name: String, in bytes: [UInt8]) -> [Int] {
    let letters = Array(name.utf8)
    return (132..<bytes.count - 3).filter { Array(bytes[$0..<$0 + 4]) == letters }
  }
}
