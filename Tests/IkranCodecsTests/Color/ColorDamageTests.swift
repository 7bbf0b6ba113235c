import Glibc
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Damaged profiles are used or ignored, and converting with what is left writes pixels.
@Suite(.timeLimit(.minutes(5)))
struct ColorDamageTests {
  @Test(arguments: MadeProfile.allCases)
  func aDamagedProfileIsUsedOrIgnored(_ made: MadeProfile) {
    let seed = UInt64.random(in: .min ... .max)
    print("\(made.rawValue): seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let original = made.bytes
    // A table takes LittleCMS many milliseconds, and longer in an unoptimised build.
    let rounds = made.rawValue.lowercased().contains("table") || made.model == .cmyk ? 12 : 250
    let pixels = TestColors.pixels(TestColors.samples(made.model, seed: 1), made.model)
    for _ in 0..<Rounds.fewer(rounds, atLeast: 6) {
      var profile = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        Self.damage(&profile, using: &random)
      }
      let workspace = Workspace()
      let (conversion, _) = ColorConversion.make(.icc(profile), made.model, workspace: workspace)
      let result = conversion?.result(pixels, usesSIMD: workspace.usesSIMD)
      #expect(result == conversion?.result(pixels), "seed \(seed)")
      _ = ColorConversion.makeDeep(.icc(profile), made.model, workspace: workspace)
    }
  }

  private static func damage(_ profile: inout [UInt8], using random: inout SeededGenerator) {
    // Most bytes of a table are its colours; the first thousand decide more.
    let limit = Bool.random(using: &random) ? min(profile.count, 1000) : profile.count
    guard limit > 8 else { return }
    let position = Int.random(in: 0..<limit - 4, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: profile[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: profile[position] = .random(in: .min ... .max, using: &random)
    case 2:
      let words: [[UInt8]] = [
        [0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [255, 255, 255, 255],
        [0, 0, 0x7F, 0xFF], [0, 0, 0, 1],
      ]
      let word = words.randomElement(using: &random) ?? []
      profile.replaceSubrange(position & ~3..<(position & ~3) + word.count, with: word)
    case 3:
      // Another tag's place.
      let (one, two) = (132 + 12 * Int.random(in: 0..<8, using: &random), position & ~3)
      guard one + 12 <= profile.count, two + 8 <= profile.count else { return }
      profile.replaceSubrange(one + 4..<one + 12, with: Array(profile[two..<two + 8]))
    default:
      let length = Int.random(in: 1...min(64, profile.count - position), using: &random)
      profile.removeSubrange(position..<position + length)
      guard profile.count >= 4, Bool.random(using: &random) else { return }
      let count = profile.count
      for index in 0..<4 { profile[index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index)) }
    }
  }
}
