import IkranPixels
import TestBasics
import Testing

/// Canny's edges of pictures whose edges are known.
@Suite(.timeLimit(.minutes(10)))
struct CannyTests {
  private let white: [UInt8] = [255, 255, 255, 255]
  private let black: [UInt8] = [0, 0, 0, 255]

  /// The edges of a gray picture, without a blur.
  private func edges(
    _ width: Int,
    _ height: Int,
    low: Double = 0.2,
    high: Double = 0.5,
    gray: (Int, Int) -> UInt8
  ) throws -> Bitmap {
    let image = try picture(width, height) { x, y in
      [gray(x, y), gray(x, y), gray(x, y), 255]
    }
    return try spatiallyFiltered(image) {
      try $0.filtered([.canny(radius: 0, low: low, high: high)], workspace: $1)
    }
  }

  @Test func anEdgeIsALineOfOnePixel() throws {
    let result = try edges(16, 9) { x, _ in x < 8 ? 0 : 255 }
    for y in 0..<9 {
      for x in 0..<16 { #expect(result.pixel(x, y) == (x == 7 ? white : black)) }
    }
  }

  @Test func aLevelEdgeIsALineOfOnePixel() throws {
    let result = try edges(9, 16) { _, y in y < 8 ? 255 : 0 }
    for y in 0..<16 {
      for x in 0..<9 { #expect(result.pixel(x, y) == (y == 7 ? white : black)) }
    }
  }

  @Test(arguments: [true, false]) func aSlantedEdgeIsThin(falls: Bool) throws {
    let result = try edges(20, 20) { x, y in (falls ? x > y : x + y > 19) ? 255 : 0 }
    for y in 2..<18 {
      #expect((1...2).contains((0..<20).count { result.pixel($0, y) == white }))
    }
  }

  @Test func anEdgeGoesOnWhereItIsWeak() throws {
    // Its gradient falls from 4 · 200 / 255 to 4 · 20 / 255, about 0.3.
    let result = try edges(16, 60) { x, y in x < 8 ? 0 : UInt8(max(200 - 5 * y, 20)) }
    for y in 0..<60 { #expect((7...8).contains { result.pixel($0, y) == white }) }
  }

  @Test func aWeakEdgeAloneIsNone() throws {
    let result = try edges(16, 40) { x, _ in x < 8 ? 0 : 20 }
    for y in 0..<40 {
      for x in 0..<16 { #expect(result.pixel(x, y) == black) }
    }
  }

  @Test func theBlurTakesSpecksAway() throws {
    let image = try picture(41, 41) { x, y in
      (x == 20 && y == 20) ? [255, 255, 255, 255] : [0, 0, 0, 255]
    }
    func count(_ radius: Double) throws -> Int {
      let result = try image.filtered([.canny(radius: radius)])
      return result.pixels.count { $0 == 255 } - 41 * 41
    }
    #expect(try count(0) > 0)
    #expect(try count(3) == 0)
  }

  @Test func aPlainPictureHasNoEdges() throws {
    let result = try edges(12, 9, low: 0, high: 0) { _, _ in 90 }
    #expect(result.pixels == (0..<12 * 9).flatMap { _ in black })
  }

  @Test func alphaStaysAndHidesWhatIsClear() throws {
    let image = try spatialNoise(PixelSize(31, 22), .bgra, seed: 111)
    let result = try spatiallyFiltered(image) {
      try $0.filtered([.canny(radius: 0.6)], workspace: $1)
    }
    for y in 0..<22 {
      for x in 0..<31 {
        let pixel = result.pixel(x, y)
        #expect(pixel[3] == image.pixel(x, y)[3])
        #expect(pixel[..<3].allSatisfy { $0 == 0 } || pixel[..<3].allSatisfy { $0 == pixel[3] })
      }
    }
  }

  @Test func clearNeighborsMakeNoEdge() throws {
    let image = try picture(20, 9, .bgra) { x, _ in x < 10 ? [120, 120, 120, 255] : [0, 0, 0, 0] }
    let result = try image.filtered([.canny(radius: 0)])
    for y in 0..<9 { #expect((0..<10).allSatisfy { result.pixel($0, y) == black }) }
  }

  @Test func aWeakEdgeIsFollowedToTheFarSide() throws {
    let result = try edges(3_000, 6, low: 0.3, high: 3) { x, y in
      y < 3 ? 0 : UInt8(max(255 - x, 40))
    }
    for x in 0..<3_000 { #expect((2...3).contains { result.pixel(x, $0) == white }) }
  }
}
