import IkranPixels
import Support
import Testing

@testable import IkranService

/// How different two pictures are, where that is known.
@Suite("Structural dissimilarity")
struct StructuralSimilarityTests {
  /// The constants of the formula, for lumas of 0…255.
  private static let (c1, c2) = (2.55 * 2.55, 7.65 * 7.65)

  private func gray(
    _ width: Int,
    _ height: Int,
    _ luma: (Int, Int) -> Int
  ) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgrx)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for channel in 0..<3 {
            bytes[y * stride + x * 4 + channel] = UInt8(luma(x, y))
          }
        }
      }
    }
    return canvas.finish()
  }

  /// A field like that of chess, whose squares are pixels.
  private func chess(_ mean: Int, _ contrast: Int) throws -> Bitmap {
    try gray(40, 24) { x, y in (x + y) % 2 == 0 ? mean + contrast : mean - contrast }
  }

  private func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> Bitmap {
    var random = SeededGenerator(seed: seed)
    return try gray(width, height) { _, _ in .random(in: 0...255, using: &random) }
  }

  @Test(arguments: [(64, 64), (1, 1), (3, 50), (50, 3), (9, 11), (7, 8), (1100, 1000)])
  func equalPicturesAreNotDifferent(width: Int, height: Int) throws {
    let picture = try noise(width, height, seed: 1)
    #expect(picture.dissimilarity(to: picture) == 0)
  }

  @Test(arguments: [(100, 110), (0, 255), (255, 250)])
  func aShiftOfFlatPicturesChangesTheMeanAlone(one: Int, two: Int) throws {
    let (x, y) = (Double(one), Double(two))
    let similarity = (2 * x * y + Self.c1) / (x * x + y * y + Self.c1)
    let flat = try gray(33, 21) { _, _ in one }
    let found = flat.dissimilarity(to: try gray(33, 21) { _, _ in two })
    #expect(abs(found - (1 - similarity) / 2) < 1e-9)
  }

  @Test(arguments: [(40, 20), (40, 60), (10, 100)])
  func anotherContrastChangesTheVarianceAlone(one: Int, two: Int) throws {
    let (x, y) = (Double(one), Double(two))
    let similarity = (2 * x * y + Self.c2) / (x * x + y * y + Self.c2)
    let found = try chess(128, one).dissimilarity(to: chess(128, two))
    #expect(abs(found - (1 - similarity) / 2) < 1e-9)
  }

  @Test func theOppositeIsWorseThanAFlatPicture() throws {
    // Covariances of −σ²: (C2 − 2σ²) / (C2 + 2σ²).
    let similarity = (Self.c2 - 2 * 2500) / (Self.c2 + 2 * 2500)
    let found = try chess(128, 50).dissimilarity(to: chess(128, -50))
    #expect(abs(found - (1 - similarity) / 2) < 1e-9)
    #expect(found > (try chess(128, 50).dissimilarity(to: chess(128, 0))))
  }

  @Test func itIsTheSameTheOtherWayRound() throws {
    for seed in UInt64(1)...5 {
      let (one, two) = (try noise(31, 17, seed: seed), try noise(31, 17, seed: seed + 50))
      let found = one.dissimilarity(to: two)
      #expect(found == two.dissimilarity(to: one) && found > 0.1 && found <= 1)
    }
  }

  @Test(arguments: [(0, 0), (40, 0), (0, 26), (40, 26), (20, 13)])
  func everyPixelCounts(x: Int, y: Int) throws {
    let picture = try gray(41, 27) { _, _ in 90 }
    let changed = try gray(41, 27) { $0 == x && $1 == y ? 200 : 90 }
    #expect(picture.dissimilarity(to: changed) > 0)
  }

  @Test func ofALargePictureRowsAllOverAreMeasured() throws {
    let size = (width: 1500, height: 1400)
    let picture = try gray(size.width, size.height) { _, _ in 0 }
    let halves = try gray(size.width, size.height) { $1 < 700 ? 0 : 255 }
    let whole = try gray(size.width, size.height) { _, _ in 255 }
    let (half, all) = (picture.dissimilarity(to: halves), picture.dissimilarity(to: whole))
    #expect(abs(half / all - 0.5) < 0.02)
  }
}
