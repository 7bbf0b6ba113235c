import IkranPixels
import Testing

/// The number in −1…1 for a band of rows and a moment, as documented.
private func hashed(_ band: Int, _ moment: Int) -> Double {
  var bits = (UInt32(band) &* 0x9E37_79B1) ^ (UInt32(moment) &* 0x85EB_CA77)
  bits = (bits ^ (bits >> 16)) &* 0x85EB_CA6B
  bits = (bits ^ (bits >> 13)) &* 0xC2B2_AE35
  bits ^= bits >> 16
  return Double(bits) / 4_294_967_295 * 2 - 1
}

private func modulo(_ value: Double, _ divisor: Double) -> Double {
  value - (value / divisor).rounded(.down) * divisor
}

private func dot(_ exact: ExactPicture, _ x: Int, _ y: Int, cell: Double) -> [Double] {
  let (x0, y0) = (Double(x) + 0.5, Double(y) + 0.5)
  let middle = (x0 - modulo(x0, cell) + cell / 2, y0 - modulo(y0, cell) + cell / 2)
  let sampled = exact.at(Int(middle.0), Int(middle.1))
  let luma = 0.0721 * sampled[0] + 0.7154 * sampled[1] + 0.2125 * sampled[2]
  let radius = (1 - (luma + 255 - sampled[3]) / 255) * cell / 2
  let (dx, dy) = (x0 - middle.0, y0 - middle.1)
  let covered = min(max(radius + 0.5 - (dx * dx + dy * dy).squareRoot(), 0), 1)
  let gray = 1 - covered * min(1, 2 * radius)
  return ExactPicture.stored([gray, gray, gray, exact.at(x, y)[3] / 255])
}

private func swirl(_ exact: ExactPicture, _ x: Int, _ y: Int, radius: Double) -> [Double] {
  let middle = (Double(exact.width) / 2, Double(exact.height) / 2)
  let (dx, dy) = (Double(x) + 0.5 - middle.0, Double(y) + 0.5 - middle.1)
  let radius = radius * Double(min(exact.width, exact.height))
  let distance = (dx * dx + dy * dy).squareRoot()
  if distance >= radius { return exact.at(x, y) }
  let percent = (radius - distance) / radius
  let angle = percent * percent * 0.6 * 8
  let (s, c) = (sine(angle), cosine(angle))
  return exact.bilinear(middle.0 + c * dx - s * dy, middle.1 + s * dx + c * dy)
}

@Suite(.timeLimit(.minutes(10))) struct SpatialMoveTests {
  @Test(arguments: [0.05, 0.13, 0.7, 1])
  func pixelsTakeTheMiddleOfTheirBlock(scale: Double) throws {
    try expectSpatialFormula(seed: 51, tolerance: 0) {
      try $0.pixellated(scale, workspace: $1)
    } formula: { exact in
      let block = scale * Double(exact.width)
      return ExactPicture(like: exact) { x, y in
        let (u, v) = (Double(x) + 0.5, Double(y) + 0.5)
        if block <= 1 { return exact.at(x, y) }
        return exact.at(
          Int(u - modulo(u, block) + block / 2),
          Int(v - modulo(v, block) + block / 2)
        )
      }
    }
  }

  @Test(arguments: [0.11, 0.3])
  func aHalftoneHasDotsAsLargeAsThePictureIsDark(scale: Double) throws {
    try expectSpatialFormula(seed: 52) {
      try $0.halftone(scale, workspace: $1)
    } formula: { exact in
      let cell = scale * Double(exact.width)
      return cell <= 1 ? exact : ExactPicture(like: exact) { dot(exact, $0, $1, cell: cell) }
    }
  }

  @Test func aWhiteOrClearPictureHasNoDots() throws {
    let white = try picture(40, 40) { _, _ in [255, 255, 255, 255] }
    #expect(try white.halftone(0.1, workspace: Workspace()).pixels == white.pixels)
    let clear = try picture(40, 40, .bgra) { _, _ in [0, 0, 0, 0] }
    #expect(try clear.halftone(0.1, workspace: Workspace()).pixels == clear.pixels)
  }

  @Test(arguments: [0.3, 0.5, 2])
  func aSwirlTurnsByTheSquareOfTheNearness(radius: Double) throws {
    try expectSpatialFormula(seed: 53) {
      try $0.swirled(radius: radius, angle: 0.6, workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { swirl(exact, $0, $1, radius: radius) }
    }
  }

  @Test(arguments: [(0.75, 1.5, 0.5), (0.3, 0.4, 1)])
  func aSoulIsTheEnlargedPictureFading(soul: Double, maxScale: Double, maxAlpha: Double) throws {
    try expectSpatialFormula(seed: 54) {
      try $0.soulOut(soul: soul, maxScale: maxScale, maxAlpha: maxAlpha, workspace: $1)
    } formula: { exact in
      let (alpha, scale) = (maxAlpha * (1 - soul), 1 + (maxScale - 1) * soul)
      let (w, h) = (Double(exact.width), Double(exact.height))
      return ExactPicture(like: exact) { x, y in
        let (u, v) = ((Double(x) + 0.5) / w, (Double(y) + 0.5) / h)
        let large = exact.bilinear((0.5 + (u - 0.5) / scale) * w, (0.5 + (v - 0.5) / scale) * h)
        return zip(exact.at(x, y), large).map { $0 * (1 - alpha) + $1 * alpha }
      }
    }
  }

  @Test(arguments: [2, 3, 5])
  func aStoryboardRepeatsThePicture(ranks: Int) throws {
    try expectSpatialFormula(seed: 55) {
      try $0.storyboard(ranks: ranks, workspace: $1)
    } formula: { exact in
      let (w, h, n) = (Double(exact.width), Double(exact.height), Double(ranks))
      return ExactPicture(like: exact) { x, y in
        exact.bilinear(modulo((Double(x) + 0.5) * n, w), modulo((Double(y) + 0.5) * n, h))
      }
    }
  }

  @Test(arguments: [(2, 1), (3, 1), (1, 2), (2, 3)])
  func aSplitScreenRepeatsTheMiddle(columns: Int, rows: Int) throws {
    try expectSpatialFormula(seed: 56) {
      try $0.splitScreen(columns: columns, rows: rows, workspace: $1)
    } formula: { exact in
      let (w, h) = (Double(exact.width), Double(exact.height))
      let part = (w / Double(columns), h / Double(rows))
      return ExactPicture(like: exact) { x, y in
        exact.bilinear(
          (w - part.0) / 2 + modulo(Double(x) + 0.5, part.0),
          (h - part.1) / 2 + modulo(Double(y) + 0.5, part.1)
        )
      }
    }
  }

  @Test(arguments: [0, 0.5, 12.34])
  func aGlitchShiftsRedAndBlue(time: Double) throws {
    try expectSpatialFormula(seed: 57, sizes: spatialSizes + [PixelSize(19, 450)]) {
      try $0.shiftGlitch(time: time, workspace: $1)
    } formula: { exact in
      let moment = Int(time * 10)
      let part = time * 10 - Double(moment)
      let smooth = part * part * (3 - 2 * part)
      return ExactPicture(like: exact) { x, y in
        let band = y / max(1, exact.height / 100)
        let from = hashed(band, moment)
        let noise = (from + smooth * (hashed(band, moment + 1) - from)) * Double(exact.width)
        let (u, v) = (Double(x) + 0.5, Double(y) + 0.5)
        let red = exact.bilinear(u + noise * 0.025, v)
        let blue = exact.bilinear(u - noise * 0.01, v)
        let own = exact.at(x, y)
        // Drawn over the pixel's own colour.
        func channel(_ index: Int, _ other: [Double]) -> Double {
          (other[index] * own[3] + own[index] * (255 - other[3])) / 255
        }
        return [channel(0, blue), own[1], channel(2, red), own[3]]
      }
    }
  }

  @Test func clearPixelsLendAGlitchNoColour() throws {
    let image = try picture(90, 40, .bgra) { x, y in
      let alpha: UInt8 = x < 30 ? 0 : x < 60 ? 255 : y % 2 == 0 ? 128 : 0
      return [alpha / 2, alpha / 4, alpha, alpha]
    }
    for time in [0.5, 3, 17.2] {
      let glitch = try image.shiftGlitch(time: time, workspace: Workspace())
      let isSame = zip(glitch.pixels, image.pixels).allSatisfy {
        (Int($0) - Int($1)).magnitude <= 1
      }
      #expect(isSame, "\(time)")
    }
  }

  @Test func nothingToMoveReturnsTheBitmapItself() throws {
    let image = try noise(9, 7, .bgra)
    let space = Workspace()
    let results = [
      try image.pixellated(0, workspace: space), try image.halftone(0, workspace: space),
      try image.swirled(radius: 0, angle: 1, workspace: space),
      try image.swirled(radius: 0.5, angle: 0, workspace: space),
      try image.soulOut(soul: 0, maxScale: 1.5, maxAlpha: 0.5, workspace: space),
      try image.soulOut(soul: 1, maxScale: 1.5, maxAlpha: 0.5, workspace: space),
      try image.storyboard(ranks: 1, workspace: space),
      try image.splitScreen(columns: 1, rows: 1, workspace: space),
    ]
    for result in results { #expect(areOne(result, image)) }
  }

  @Test(arguments: [PixelSize(1, 1), PixelSize(7, 3)])
  func extremeValuesGiveValidPictures(size: PixelSize) throws {
    let image = try spatialNoise(size, .bgra, seed: 58)
    let huge = 1e12
    let filters: [(Bitmap, Workspace) throws -> Bitmap] = [
      { try $0.gaussianBlurred(sigma: huge, workspace: $1) },
      { try $0.meanBlurred(radius: huge, workspace: $1) },
      { try $0.motionBlurred(step: huge, degrees: -huge, workspace: $1) },
      { try $0.zoomBlurred(step: huge, centerX: -9, centerY: 9, workspace: $1) },
      {
        try $0.bilateralBlurred(spatialSigma: 1e-30, colorSigma: 1e-30, radius: 99, workspace: $1)
      },
      { try $0.kuwahara(radius: 99, workspace: $1) },
      { try $0.oilPainted(radius: 99, levels: 999, intensity: huge, workspace: $1) },
      { try $0.sharpened(-huge, workspace: $1) }, { try $0.sobel(huge, workspace: $1) },
      { try $0.sketch(-huge, workspace: $1) },
      { try $0.toon(levels: huge, threshold: huge, workspace: $1) },
      { try $0.pixellated(huge, workspace: $1) }, { try $0.halftone(huge, workspace: $1) },
      { try $0.swirled(radius: huge, angle: huge, workspace: $1) },
      { try $0.soulOut(soul: 0.5, maxScale: huge, maxAlpha: 2, workspace: $1) },
      { try $0.storyboard(ranks: 1 << 40, workspace: $1) },
      { try $0.splitScreen(columns: 1 << 40, rows: 1 << 40, workspace: $1) },
      { try $0.shiftGlitch(time: huge, workspace: $1) },
    ]
    for filter in filters { _ = try spatiallyFiltered(image, filter) }
  }
}
