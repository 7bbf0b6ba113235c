import IkranPixels
import TestBasics
import Testing

/// Filters of patterns, places and edges with numbers that make no sense.
@Suite(.timeLimit(.minutes(10)))
struct HostileFilterTests {
  /// A filter of each kind with all its numbers alike.
  static func filters(_ number: Double) -> [Filter] {
    [
      .glassSphere(number, radius: number, x: number, y: number),
      .glassSphere(radius: 0.5, x: number),
      .polkaDot(scale: number, size: number), .polkaDot(size: number),
      .crosshatch(spacing: number, lineWidth: number), .crosshatch(lineWidth: number),
      .cga(scale: number), .canny(radius: number, low: number, high: number),
      .canny(radius: 1, low: number), .blockGlitch(number),
      .affine(Array(repeating: number, count: 6)), .affine([1, 0, number]),
    ]
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func whatIsNoNumberIsRefused(number: Double) throws {
    let image = try spatialNoise(PixelSize(3, 2), .bgra, seed: 121)
    for filter in Self.filters(number) {
      #expect(throws: FilterError.self, "\(filter)") { try image.filtered([filter]) }
    }
  }

  @Test(arguments: [-1e300, -1e6, -0.0001, 0.0001, 0.5, 1e6, 1e300])
  func anyNumberGivesAValidPicture(number: Double) throws {
    for size in [PixelSize(1, 1), PixelSize(1, 9), PixelSize(40, 1), PixelSize(13, 8)] {
      let image = try spatialNoise(size, .bgra, seed: 122)
      for filter in Self.filters(number) {
        for scale in [1e-9, 1, 1e9] {
          _ = try spatiallyFiltered(image) {
            try $0.filtered([filter], scale: scale, workspace: $1)
          }
        }
      }
    }
  }

  @Test(arguments: [Int.min, -1, 0, 1_000_000, .max]) func anySeedIsOne(seed: Int) throws {
    let image = try spatialNoise(PixelSize(13, 8), .bgra, seed: 123)
    _ = try spatiallyFiltered(image) {
      try $0.filtered([.blockGlitch(1, seed: seed)], workspace: $1)
    }
  }

  @Test func numbersOutsideTheirRangeCountAsItsEnd() {
    #expect(Filter.glassSphere(5, radius: 5, x: -5) == .glassSphere(0.99, radius: 1, x: 0))
    #expect(Filter.polkaDot(scale: 2, size: -1) == .polkaDot(scale: 1, size: 0))
    #expect(Filter.crosshatch(spacing: 2, lineWidth: 2) == .crosshatch(spacing: 1, lineWidth: 1))
    #expect(Filter.cga(scale: -1) == .cga(scale: 0))
    #expect(Filter.canny(radius: 101, low: -1, high: 9) == .canny(radius: 100, low: 0, high: 4))
    #expect(Filter.blockGlitch(2, seed: -9) == .blockGlitch(1, seed: 0))
    #expect(Filter.affine([1e9]) == .affine([16_384]))
  }

  @Test(arguments: [
    ("glassSphere", "glassSphere:ratio=0.71,radius=0.25,x=0.5,y=0.5"),
    ("polka-dot:0.1", "polkaDot:scale=0.1,size=0.9"),
    ("crosshatch:lineWidth=0.01", "crosshatch:spacing=0.03,lineWidth=0.01"),
    ("cga", "cga:palette=cyan,scale=0.005"), ("cga:green", "cga:palette=green,scale=0.005"),
    ("canny:2", "canny:radius=2,low=0.1,high=0.3"),
    ("blockGlitch:seed=9", "blockGlitch:amount=0.5,seed=9"),
    ("affine:1/0.5/0/0/1/0", "affine:values=1/0.5/0/0/1/0"),
    ("affine", "affine:values=1/0/0/0/1/0"),
  ]) func textIsReadAsTheyAre(text: String, key: String) throws {
    #expect(try Filter(parsing: text).key == key)
  }
}
