import TestBasics
import Testing

@testable import IkranPixels

/// Filters of single pixels beside their formulas.
@Suite(.timeLimit(.minutes(10)))
struct PointFilterTests {
  private let seed = UInt64.random(in: 0...UInt64.max)

  // MARK: - Tone

  @Test(arguments: [-1, -0.2, 0.3, 1]) func brightnessAdds(amount: Double) throws {
    try expectPoints([.brightness(amount)], seed: seed) { $0.each { $0 + amount } }
  }

  @Test(arguments: [0, 0.5, 1.3, 2]) func contrastSpreads(factor: Double) throws {
    try expectPoints([.contrast(factor)], seed: seed) { $0.each { 0.5 + ($0 - 0.5) * factor } }
  }

  @Test(arguments: [-10, -1.5, 0.7, 10]) func exposureMultiplies(stops: Double) throws {
    try expectPoints([.exposure(stops)], seed: seed) { $0.each { $0 * raised(2, stops) } }
  }

  @Test(arguments: [0.1, 0.5, 2.2, 3]) func gammaBends(exponent: Double) throws {
    try expectPoints([.gamma(exponent)], seed: seed) { $0.each { raised($0, exponent) } }
  }

  @Test(arguments: [1, 4.5, 10, 200]) func posterizeLeavesLevels(levels: Double) throws {
    try expectPoints([.posterize(levels: levels)], seed: seed) { pixel in
      let places = pixel.channels.map { $0 * levels + 0.5 }
      if places.contains(where: { ($0 - $0.rounded()).magnitude < 1e-3 }) { return nil }
      return pixel.with(places.map { min(1, $0.rounded(.down) / levels) })
    }
  }

  @Test func levelsStretchBendAndFit() throws {
    let filter = Filter.levels(black: 0.1, middle: 1.6, white: 0.7, lowest: 0.2, highest: 0.9)
    try expectPoints([filter], seed: seed) { pixel in
      pixel.each { 0.2 + 0.7 * raised(min(max(($0 - 0.1) / 0.6, 0), 1), 1 / 1.6) }
    }
  }

  @Test func straightCurvesAreLines() throws {
    let filter = Filter.curves([(0, 0.2), (1, 0.9)], blue: [(0, 1), (1, 0)])
    try expectPoints([filter], seed: seed) { pixel in
      pixel.with([pixel.r, pixel.g, 1 - pixel.b].map { 0.2 + 0.7 * $0 })
    }
  }

  @Test func highlightsSinkAndShadowsRise() throws {
    let filter = Filter.highlightShadow(highlights: 0.6, shadows: 0.8)
    try expectPoints([filter], seed: seed) { pixel in
      let l = (pixel.r + pixel.g + pixel.b) * 0.3
      if l == 0 { return pixel.with([0, 0, 0]) }
      let up = raised(l, 1 / 1.8) - 0.76 * raised(l, 2 / 1.8) - l
      let down = 1 - (raised(1 - l, 1 / 1.6) - 0.8 * raised(1 - l, 2 / 1.6)) - l
      let k = (l + min(max(up, 0), 1) + min(max(down, -1), 0)) / l
      return pixel.each { $0 * k }
    }
  }

  @Test(arguments: [0, 0.5, 0.83]) func aThresholdMakesBlackAndWhite(luma: Double) throws {
    try expectPoints([.threshold(luma)], seed: seed) { pixel in
      (pixel.luma - luma).magnitude < 1e-3 ? nil : pixel.gray(pixel.luma >= luma ? 1 : 0)
    }
  }

  // MARK: - Colour

  @Test(arguments: [0, 0.4, 1.5, 2]) func saturationMixesWithLuma(factor: Double) throws {
    try expectPoints([.saturation(factor)], seed: seed) { pixel in
      pixel.each { pixel.luma + ($0 - pixel.luma) * factor }
    }
  }

  @Test(arguments: [-1.2, 0.5, 1.2]) func vibranceMovesDullColors(amount: Double) throws {
    try expectPoints([.vibrance(amount)], seed: seed) { pixel in
      let top = pixel.channels.max() ?? 0
      let mean = pixel.channels.reduce(0, +) / 3
      return pixel.mixed((top - mean) * -3 * amount, [top, top, top])
    }
  }

  @Test(arguments: [-90, 30, 90, 200]) func hueTurnsInYIQ(degrees: Double) throws {
    let angle = degrees * .pi / 180
    try expectPoints([.hue(degrees: degrees)], seed: seed) { p in
      let y = 0.299 * p.r + 0.587 * p.g + 0.114 * p.b
      let i = 0.595716 * p.r - 0.274453 * p.g - 0.321263 * p.b
      let q = 0.211456 * p.r - 0.522591 * p.g + 0.31135 * p.b
      let turned = i * cosine(angle) + q * sine(angle)
      let other = q * cosine(angle) - i * sine(angle)
      return p.with([
        y + 0.9563 * turned + 0.6210 * other, y - 0.2721 * turned - 0.6474 * other,
        y - 1.1070 * turned + 1.7046 * other,
      ])
    }
  }

  @Test(arguments: [0.5, 1]) func sepiaIsBrown(intensity: Double) throws {
    try expectPoints([.sepia(intensity)], seed: seed) { pixel in
      let all = pixel.multiplied([
        [0.3588, 0.7044, 0.1368], [0.2990, 0.5870, 0.1140], [0.2392, 0.4696, 0.0912],
      ])
      return pixel.mixed(intensity, Array(all[..<3]))
    }
  }

  @Test func monochromeOverlaysLuma() throws {
    let color = Color(red: 200, green: 90, blue: 30)
    try expectPoints([.monochrome(0.8, color: color)], seed: seed) { pixel in
      let tones = [200.0, 90, 30].map { tone -> Double in
        let c = tone / 255
        return pixel.luma < 0.5 ? 2 * pixel.luma * c : 1 - 2 * (1 - pixel.luma) * (1 - c)
      }
      return pixel.mixed(0.8, tones)
    }
  }

  @Test(arguments: Filter.GrayMethod.allCases) func graysAreFound(method: Filter.GrayMethod) throws
  {
    try expectPoints([.grayed(method)], seed: seed) { pixel in
      let (low, high) = (pixel.channels.min() ?? 0, pixel.channels.max() ?? 0)
      let gray: Double =
        switch method {
        case .luminosity: pixel.luma
        case .desaturation: (low + high) / 2
        case .average: pixel.channels.reduce(0, +) / 3
        case .maximum: high
        case .minimum: low
        case .red: pixel.r
        case .green: pixel.g
        case .blue: pixel.b
        }
      return pixel.gray(gray)
    }
  }

  @Test(arguments: Filter.ChannelOrder.allCases)
  func channelsAreExchanged(order: Filter.ChannelOrder) throws {
    try expectPoints([.channels(order)], seed: seed) { p in
      switch order {
      case .invert: p.each { 1 - $0 }
      case .gray: p.gray(p.luma)
      case .y: p.gray(0.299 * p.r + 0.587 * p.g + 0.114 * p.b)
      case .bgra: p.with([p.b, p.g, p.r])
      case .brga: p.with([p.b, p.r, p.g])
      case .gbra: p.with([p.g, p.b, p.r])
      case .grba: p.with([p.g, p.r, p.b])
      case .rbga: p.with([p.r, p.b, p.g])
      }
    }
  }

  @Test func colorsMultiplyAndFalseColorsMix() throws {
    let (dark, light) = (Color(red: 10, green: 200, blue: 90), Color(red: 250, green: 60, blue: 0))
    try expectPoints([.color(light, intensity: 0.7)], seed: seed) { pixel in
      pixel.mixed(0.7, [pixel.r * 250 / 255, pixel.g * 60 / 255, 0])
    }
    try expectPoints([.falseColor(dark: dark, light: light)], seed: seed) { pixel in
      let pairs = [(10.0, 250.0), (200, 60), (90, 0)]
      return pixel.with(pairs.map { ($0 + ($1 - $0) * pixel.luma) / 255 })
    }
  }

  @Test func temperatureMultipliesAndShifts() throws {
    let filter = Filter.temperature(0.5, tint: -0.4, shift: 0.3, intensity: 0.9)
    try expectPoints([filter], seed: seed) { p in
      p.mixed(0.9, [p.r * 1.15 + 0.03, p.g * 1.12, p.b * 0.85 - 0.03])
    }
  }

  @Test(arguments: [(4000, 0), (5555, 0), (8000, 60), (5000, -200), (4600, 200)])
  func whiteBalanceLooksAsHarbeths(temperature: Double, tint: Double) throws {
    try expectPoints([.whiteBalance(temperature, tint: tint)], seed: seed) { p in
      let q = 0.114 * p.r - 0.322 * p.g + 0.311 * p.b
      let moved = min(max(q + tint / 100 * 0.5226 * 0.1, -0.5226), 0.5226) - q
      let tinted = [p.r + moved, p.g - 1.105 * moved, p.b + 1.702 * moved]
        .map { min(max($0, 0), 1) }
      let warm = zip(tinted, [0.93, 0.54, 0]).map { c, w in
        c < 0.5 ? 2 * c * w : 1 - 2 * (1 - c) * (1 - w)
      }
      let above = temperature - 5000
      let share = above < 0 ? 0.0004 * above : 0.00006 * above
      return p.with(zip(tinted, warm).map { $0 + ($1 - $0) * share })
    }
  }

  @Test func matricesMultiply() throws {
    let rows = [[0.4, 0.7, -0.2, 0.05], [-0.3, 1.4, 0.1, -0.1], [0.2, 0.1, 0.5, 0.2]]
    let factors: [Double] =
      rows.flatMap { row -> [Double] in [row[0], row[1], row[2], 0] } + [0, 0, 0, 1]
    let offsets = rows.map { $0[3] } + [0]
    try expectPoints([.matrix(factors, offsets: offsets)], seed: seed) { $0.multiplied(rows) }
    try expectPoints([.matrix(factors, offsets: offsets, intensity: 0.5)], seed: seed) { pixel in
      pixel.mixed(0.5, Array(pixel.multiplied(rows)[..<3]))
    }
  }

  @Test func aMatrixMayChangeAlpha() throws {
    var factors = (0..<16).map { $0 % 5 == 0 ? 1.0 : 0 }
    factors[12] = 0.3
    factors[15] = 0.5
    try expectPoints([.matrix(factors)], seed: seed, formats: [.bgra]) { pixel in
      pixel.channels + [min(1, 0.3 * pixel.r + 0.5 * pixel.a)]
    }
  }

  // MARK: - Light

  @Test(arguments: [0, 0.35]) func opacityChangesAlphaAlone(factor: Double) throws {
    try expectPoints([.opacity(factor)], seed: seed, formats: [.bgra]) { pixel in
      pixel.channels + [pixel.a * factor]
    }
  }

  @Test(arguments: [(-0.3, 0.2), (0.4, 0)]) func hazeGrowsDownwards(d: Double, s: Double) throws {
    try expectPoints([.haze(distance: d, slope: s)], seed: seed) { pixel in
      let haze = pixel.y * s + d
      return pixel.each { ($0 - haze) / (1 - haze) }
    }
  }

  @Test func aVignetteFadesToItsColor() throws {
    let filter = Filter.vignette(start: 0.2, end: 0.6, x: 0.4, y: 0.7, color: .white)
    try expectPoints([filter], seed: seed) { p in
      let distance = ((p.x - 0.4) * (p.x - 0.4) + (p.y - 0.7) * (p.y - 0.7)).squareRoot()
      return p.mixed(smoothStep(0.2, 0.6, distance), [1, 1, 1])
    }
  }

  @Test func grainTakesAtMostItsAmountAndIsTheSameEachTime() throws {
    let image = try spatialNoise(PixelSize(width: 200, height: 100), .bgrx, seed: seed)
    let filtered = try image.filtered([.granularity(0.2)])
    #expect(try image.filtered([.granularity(0.2)]).pixels == filtered.pixels)
    let steps = zip(image.pixels, filtered.pixels).map { Int($0) - Int($1) }
    #expect(steps.allSatisfy { (0...51).contains($0) })
    // Uniform from 0 to 51 where nothing is cut off at black.
    let bright = steps.indices.filter { $0 % 4 != 3 && image.pixels[$0] > 51 }.map { steps[$0] }
    let mean = Double(bright.reduce(0, +)) / Double(bright.count)
    #expect((mean - 25.5).magnitude < 1)
  }

  @Test func aKeyedColorGoesByItsChroma() throws {
    let key = Color(red: 40, green: 220, blue: 60)
    let filter = Filter.chromaKey(key, threshold: 0.25, smoothing: 0.3)
    func chroma(_ r: Double, _ g: Double, _ b: Double) -> (Double, Double) {
      let y = 0.2989 * r + 0.5866 * g + 0.1145 * b
      return (0.5647 * (b - y), 0.7132 * (r - y))
    }
    let center = chroma(40.0 / 255, 220.0 / 255, 60.0 / 255)
    try expectPoints([filter], seed: seed, formats: [.bgra]) { p in
      let found = chroma(p.r, p.g, p.b)
      let (blue, red) = (found.0 - center.0, found.1 - center.1)
      return p.channels + [p.a * smoothStep(0.25, 0.55, (blue * blue + red * red).squareRoot())]
    }
  }

  // MARK: - Chains

  @Test func aChainIsItsFormulasInOrder() throws {
    let chain: [Filter] = [
      .brightness(0.1), .gamma(0.8), .saturation(0.5), .contrast(1.2), .sepia(0.4),
    ]
    try expectPoints(chain, seed: seed) { pixel in
      var p = pixel
      func set(_ values: [Double]) {
        (p.r, p.g, p.b) = (
          min(max(values[0], 0), 1), min(max(values[1], 0), 1), min(max(values[2], 0), 1)
        )
      }
      set(p.each { $0 + 0.1 })
      set(p.each { raised($0, 0.8) })
      set(p.each { p.luma + ($0 - p.luma) * 0.5 })
      set(p.each { 0.5 + ($0 - 0.5) * 1.2 })
      let sepia = p.multiplied([
        [0.3588, 0.7044, 0.1368], [0.2990, 0.5870, 0.1140], [0.2392, 0.4696, 0.0912],
      ])
      return p.mixed(0.4, Array(sepia[..<3]))
    }
  }

  @Test func severalMatricesAreTheirFormulasInOrder() throws {
    let chain: [Filter] = [.brightness(0.2), .contrast(1.3), .temperature(0.4), .channels(.invert)]
    try expectPoints(chain, seed: seed) { p in
      let first = p.channels.map { min(max($0 + 0.2, 0), 1) }
        .map { min(max(0.5 + ($0 - 0.5) * 1.3, 0), 1) }
      let warm = [first[0] * 1.12, first[1], first[2] * 0.88].map { min($0, 1) }
      return p.with(warm.map { 1 - $0 })
    }
  }
}
