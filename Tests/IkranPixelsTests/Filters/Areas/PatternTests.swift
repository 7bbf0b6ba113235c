import IkranPixels
import TestBasics
import Testing

/// Patterns of a picture's colours against their formulas.
@Suite(.timeLimit(.minutes(10)))
struct PatternTests {
  /// The straight mean of the cell around a pixel, 0…1; nil for a clear one.
  private func mean(_ exact: ExactPicture, _ x: Int, _ y: Int, cell: Double) -> [Double]? {
    func index(_ pixel: Int) -> Int { Int((Double(pixel) + 0.5) / cell) }
    var sums = [0.0, 0, 0, 0]
    for row in 0..<exact.height where index(row) == index(y) {
      for column in 0..<exact.width where index(column) == index(x) {
        for (channel, value) in exact.at(column, row).enumerated() { sums[channel] += value }
      }
    }
    return sums[3] > 0 ? sums[..<3].map { $0 / sums[3] } : nil
  }

  /// How much of a pixel something covers whose edge is so far outside.
  private func covered(_ within: Double, width: Double) -> Double {
    min(max(within + 0.5, 0), 1) * min(width, 1)
  }

  @Test(arguments: [(0.2, 0.9), (0.31, 1), (0.9, 0.4)])
  func aDotHasTheMeanColorOfItsCell(scale: Double, size: Double) throws {
    try expectSpatialFormula(seed: 91) {
      try $0.filtered([.polkaDot(scale: scale, size: size)], workspace: $1)
    } formula: { exact in
      let cell = scale * Double(exact.width)
      if cell <= 1 { return exact }
      func away(_ pixel: Int) -> Double {
        let place = Double(pixel) + 0.5
        return place - ((place / cell).rounded(.down) + 0.5) * cell
      }
      return ExactPicture(like: exact) { x, y in
        let distance = (away(x) * away(x) + away(y) * away(y)).squareRoot()
        let part = covered(size * cell / 2 - distance, width: size * cell)
        let color = mean(exact, x, y, cell: cell) ?? [0, 0, 0]
        return ExactPicture.stored(color.map { $0 * part } + [exact.at(x, y)[3] / 255])
      }
    }
  }

  @Test func aPlainPictureHasPlainDotsOnBlack() throws {
    let plain = try picture(40, 40) { _, _ in [30, 90, 200, 255] }
    let result = try plain.filtered([.polkaDot(scale: 0.25, size: 0.8)])
    for middle in [5, 15, 25, 35] { #expect(result.pixel(middle, middle) == [30, 90, 200, 255]) }
    #expect(result.pixel(0, 0) == [0, 0, 0, 255])
    #expect(result.pixel(10, 10) == [0, 0, 0, 255])
  }

  @Test(arguments: [(0.2, 0.05), (0.4, 0.01), (0.13, 0)])
  func darkerPixelsHaveMoreLayersOfLines(spacing: Double, lineWidth: Double) throws {
    try expectSpatialFormula(seed: 92) {
      try $0.filtered([.crosshatch(spacing: spacing, lineWidth: lineWidth)], workspace: $1)
    } formula: { exact in
      let (step, thickness) = (spacing * Double(exact.width), lineWidth * Double(exact.width))
      if step <= 1 { return exact }
      return ExactPicture(like: exact) { x, y in
        let own = exact.at(x, y)
        let light = 721 * own[0] + 7154 * own[1] + 2125 * own[2] + 10_000 * (255 - own[3])
        let (falling, rising) = (Double(x + y + 1), Double(x - y))
        let layers = [falling, rising, falling + step / 2, rising + step / 2]
        let parts = zip(layers, [1, 0.75, 0.5, 0.3]).map { place, limit in
          let away = (place - step * (place / step).rounded()).magnitude / 2.0.squareRoot()
          return light < limit * 2_550_000 ? covered(thickness / 2 - away, width: thickness) : 0
        }
        let gray = 1 - (parts.max() ?? 0)
        return ExactPicture.stored([gray, gray, gray, own[3] / 255])
      }
    }
  }

  @Test func aWhiteOrClearPictureHasNoLines() throws {
    let white = try picture(40, 40) { _, _ in [255, 255, 255, 255] }
    #expect(try white.filtered([.crosshatch()]).pixels == white.pixels)
    let clear = try picture(40, 40, .bgra) { _, _ in [0, 0, 0, 0] }
    #expect(try clear.filtered([.crosshatch()]).pixels == clear.pixels)
  }

  @Test(
    arguments: [
      ([0, 0, 0, 255], [0, 0, 0, 255]), ([240, 250, 230, 255], [255, 255, 255, 255]),
      ([200, 200, 40, 255], [255, 255, 85, 255]), ([200, 40, 200, 255], [255, 85, 255, 255]),
      ([90, 20, 90, 255], [0, 0, 0, 255]),
    ] as [([UInt8], [UInt8])]
  )
  func aColorBecomesTheNearestOfFour(before: [UInt8], after: [UInt8]) throws {
    let plain = try picture(9, 7) { _, _ in before }
    #expect(try plain.filtered([.cga(scale: 0.3)]).pixel(4, 3) == after)
  }

  @Test func theOtherPaletteHasGreenRedAndYellow() throws {
    let stripes = try picture(3, 1) { x, _ in
      [[60, 220, 70, 255], [60, 70, 220, 255], [60, 230, 230, 255]][x]
    }
    let result = try stripes.filtered([.cga(.green)])
    #expect(result.pixels == [85, 255, 85, 255, 85, 85, 255, 255, 85, 255, 255, 255])
  }

  @Test(arguments: [0, 0.2, 1]) func eachCellHasTheColorNearestToItsMean(scale: Double) throws {
    let palette = [[0, 0, 0], [255, 255, 85], [255, 85, 255], [255, 255, 255]]
    for size in spatialSizes {
      let image = try spatialNoise(size, .bgra, seed: 93)
      let exact = ExactPicture(image)
      let cell = max(scale * Double(size.width), 1)
      let result = try spatiallyFiltered(image) {
        try $0.filtered([.cga(scale: scale)], workspace: $1)
      }
      for y in 0..<size.height {
        for x in 0..<size.width {
          guard let color = mean(exact, x, y, cell: cell) else { continue }
          let squares = palette.map { entry in
            zip(entry, color).reduce(0.0) {
              $0 + (Double($1.0) - $1.1 * 255) * (Double($1.0) - $1.1 * 255)
            }
          }
          let alpha = Int(exact.at(x, y)[3])
          let nearest = zip(palette, squares).filter { $0.1 <= (squares.min() ?? 0) + 1e-6 }.map {
            $0.0.map { UInt8(($0 * alpha + 127) / 255) } + [UInt8(alpha)]
          }
          #expect(nearest.contains(result.pixel(x, y)), "\(size) \(x) \(y)")
        }
      }
    }
  }
}
