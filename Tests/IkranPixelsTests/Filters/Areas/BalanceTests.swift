import IkranPixels
import Testing

/// Filters of hue, balance, clarity, focus and gradients.
@Suite(.timeLimit(.minutes(10)))
struct BalanceTests {
  /// The colour of a picture of one colour after a filter, blue first.
  private func pixel(_ bytes: [UInt8], _ filter: Filter) throws -> [UInt8] {
    try picture(3, 2) { _, _ in bytes }.filtered([filter]).pixel(1, 1)
  }

  @Test(
    arguments: [
      (Filter.hsl(hue: 120), [0, 0, 255, 255], [0, 255, 0, 255]),
      (.hsl(hue: -120), [0, 0, 255, 255], [255, 0, 0, 255]),
      (.hsl(hue: 60), [40, 60, 200, 255], [40, 200, 180, 255]),
      (.hsl(hue: 77), [90, 90, 90, 255], [90, 90, 90, 255]),
      (.hsl(saturation: -1), [0, 0, 255, 255], [128, 128, 128, 255]),
      (.hsl(saturation: 1), [90, 90, 90, 255], [90, 90, 90, 255]),
      (.hsl(saturation: 1), [102, 102, 153, 255], [0, 0, 255, 255]),
      (.hsl(lightness: -1), [1, 2, 3, 255], [0, 0, 0, 255]),
      (.hsl(lightness: 1), [1, 2, 3, 255], [255, 255, 255, 255]),
      (.hsl(lightness: -0.5), [0, 0, 200, 255], [0, 0, 100, 255]),
    ] as [(Filter, [UInt8], [UInt8])]
  )
  func hslChangesColorsAsCSSDoes(filter: Filter, before: [UInt8], after: [UInt8]) throws {
    let result = try pixel(before, filter)
    #expect(zip(result, after).allSatisfy { (Int($0) - Int($1)).magnitude <= 1 }, "\(result)")
  }

  @Test func balanceMovesOnlyItsPartOfTheRange() throws {
    let shadows = Filter.colorBalance(shadows: [0.5, 0, -0.1])
    #expect(try pixel([20, 20, 20, 255], shadows) == [2, 20, 109, 255])
    #expect(try pixel([220, 220, 220, 255], shadows) == [220, 220, 220, 255])
    let middle = Filter.colorBalance(midtones: [0, 1])
    #expect(try pixel([128, 128, 128, 255], middle) == [128, 255, 128, 255])
    #expect(try pixel([10, 10, 10, 255], middle) == [10, 10, 10, 255])
    let highlights = Filter.colorBalance(highlights: [-0.5, 0, 0])
    #expect(try pixel([240, 240, 240, 255], highlights) == [240, 240, 151, 255])
  }

  @Test func equalizedLumasAreSpreadEvenly() throws {
    let flat = try picture(64, 4) { x, _ in [UInt8(96 + x), UInt8(96 + x), UInt8(96 + x), 255] }
    let result = try flat.filtered([.equalize()])
    for x in 0..<64 {
      let wanted = Double(x) / 63 * 255
      #expect((Double(result.pixel(x, 2)[0]) - wanted).magnitude <= 1)
    }
    let plain = try picture(5, 5) { _, _ in [9, 8, 7, 255] }
    #expect(areOne(try plain.filtered([.equalize()]), plain))
  }

  @Test(arguments: [-1, -0.3, 0.6, 1]) func clarityMovesAwayFromTheBlur(amount: Double) throws {
    for size in spatialSizes {
      let image = try spatialNoise(size, .bgrx, seed: 81)
      let blurred = try image.filtered([.blur(radius: 5)])
      let result = try spatiallyFiltered(image) {
        try $0.filtered([.clarity(amount, radius: 5)], workspace: $1)
      }
      let formula = zip(image.pixels, blurred.pixels).map { own, mean in
        min(max(Double(own) + amount * (Double(own) - Double(mean)), 0), 255)
      }
      #expect(zip(result.pixels, formula).allSatisfy { (Double($0) - $1).magnitude <= 1 })
    }
  }

  @Test func clarityLeavesAPlainPictureAlone() throws {
    let plain = try picture(30, 20) { _, _ in [90, 120, 33, 255] }
    #expect(try plain.filtered([.clarity(1)]).pixels == plain.pixels)
  }

  @Test func aTiltShiftIsSharpInItsBandAndBlurredFarAway() throws {
    let image = try spatialNoise(PixelSize(20, 100), .bgrx, seed: 82)
    let blurred = try image.filtered([.blur(radius: 4)])
    let filter = Filter.tiltShift(radius: 4, center: 0.5, width: 0.2, falloff: 0.2)
    let result = try image.filtered([filter])
    for x in 0..<20 {
      for y in 40..<60 { #expect(result.pixel(x, y) == image.pixel(x, y)) }
      for y in [0, 10, 19, 80, 99] { #expect(result.pixel(x, y) == blurred.pixel(x, y)) }
      #expect(result.pixel(x, 30) != image.pixel(x, 30))
    }
  }

  @Test(arguments: [
    (0, [0, 0], [10, 0]), (180, [10, 0], [0, 0]), (90, [0, 0], [0, 6]), (45, [0, 0], [10, 6]),
    (-90, [3, 6], [3, 0]),
  ]) func aGradientRunsFromColorToColor(degrees: Double, from: [Int], to: [Int]) throws {
    let image = try spatialNoise(PixelSize(11, 7), .bgrx, seed: 83)
    let (red, blue) = (Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 0, blue: 255))
    let result = try image.filtered([
      .gradient(from: red, to: blue, degrees: degrees, mode: .normal)
    ])
    #expect(result.pixel(from[0], from[1]) == [0, 0, 255, 255])
    #expect(result.pixel(to[0], to[1]) == [255, 0, 0, 255])
  }

  @Test func aGradientKeepsAlpha() throws {
    let image = try spatialNoise(PixelSize(11, 7), .bgra, seed: 84)
    let result = try image.filtered([.gradient(mode: .normal)])
    for y in 0..<7 {
      for x in 0..<11 { #expect(result.pixel(x, y)[3] == image.pixel(x, y)[3]) }
    }
  }
}
