import IkranPixels
import TestBasics
import Testing

/// Blocks that slip sideways.
@Suite(.timeLimit(.minutes(10)))
struct GlitchTests {
  /// A picture whose columns and rows can be told from each pixel.
  private func places(_ width: Int, _ height: Int) throws -> Bitmap {
    try picture(width, height) { x, y in [UInt8(x * 255 / width), UInt8(y * 255 / height), 0, 255] }
  }

  /// How far each pixel has been moved, as a part of the width, 0…1.
  private func shifts(_ width: Int, _ height: Int, seed: Int) throws -> [[Double]] {
    let image = try places(width, height)
    let result = try image.filtered([.blockGlitch(1, seed: seed)])
    return (0..<height).map { y in
      (0..<width).map { x in
        let away = Double(result.pixel(x, y)[0]) - Double(image.pixel(x, y)[0])
        return (away < 0 ? away + 255 : away) / 255
      }
    }
  }

  @Test func everyPixelStaysInItsRow() throws {
    let image = try places(120, 90)
    let result = try spatiallyFiltered(image) {
      try $0.filtered([.blockGlitch(1, seed: 4)], workspace: $1)
    }
    for y in 0..<90 {
      for x in 0..<120 { #expect(result.pixel(x, y)[1] == image.pixel(x, y)[1]) }
    }
    #expect(result.pixels != image.pixels)
  }

  @Test func aSeedAlwaysMovesTheSameBlocks() throws {
    let image = try spatialNoise(PixelSize(90, 60), .bgra, seed: 94)
    let first = try image.filtered([.blockGlitch(seed: 7)])
    #expect(try image.filtered([.blockGlitch(seed: 7)]).pixels == first.pixels)
    #expect(try image.filtered([.blockGlitch(seed: 8)]).pixels != first.pixels)
  }

  @Test func theBlocksOfASeedNeverChange() throws {
    let sums = try [1, 2, 999_999].map { seed in
      try places(64, 48).filtered([.blockGlitch(1, seed: seed)]).pixels.reduce(into: UInt32(1)) {
        $0 = $0 &* 31 &+ UInt32($1)
      }
    }
    #expect(sums == [815_783_208, 541_910_135, 2_010_523_587])
  }

  @Test(arguments: [1, 5, 19]) func alikeAtTwiceTheSize(seed: Int) throws {
    let (small, large) = (try shifts(96, 64, seed: seed), try shifts(192, 128, seed: seed))
    var alike = 0
    for y in 0..<64 {
      for x in 0..<96 {
        let away = (small[y][x] - large[2 * y][2 * x]).magnitude
        alike += min(away, 1 - away) < 0.03 ? 1 : 0
      }
    }
    // The others lie at edges of blocks.
    #expect(alike > 96 * 64 * 9 / 10)
  }

  @Test func noAmountReturnsTheBitmapItself() throws {
    let image = try spatialNoise(PixelSize(9, 7), .bgra, seed: 95)
    #expect(areOne(try image.filtered([.blockGlitch(0, seed: 3)]), image))
  }
}
