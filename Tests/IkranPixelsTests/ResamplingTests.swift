import IkranPixels
import Testing

struct Ratio: Sendable, CustomTestStringConvertible {
  let from, to: PixelSize
  var testDescription: String { "\(from) to \(to)" }

  init(_ from: (Int, Int), _ to: (Int, Int)) {
    self.from = PixelSize(from.0, from.1)
    self.to = PixelSize(to.0, to.1)
  }
}

private let ratios = [
  Ratio((1, 1), (96, 96)), Ratio((1, 1), (1, 1)), Ratio((1, 9), (4, 4)), Ratio((9, 1), (4, 4)),
  Ratio((7, 5), (3, 3)), Ratio((33, 17), (16, 16)), Ratio((40, 40), (13, 13)),
  Ratio((3, 2), (20, 11)), Ratio((101, 3), (1, 1)), Ratio((2, 300), (3, 5)),
  Ratio((61, 47), (60, 47)),
]

@Suite(.timeLimit(.minutes(10))) struct ResamplingTests {
  @Test(arguments: [PixelFormat.bgrx, .bgra])
  func anImageOfTheRequestedSizeKeepsEveryByte(format: PixelFormat) throws {
    let image = try noise(13, 7, format)
    let plan = RenderPlan(stored: image.size, orientation: .up, fitting: .original)
    let same = try image.resampled(plan, workspace: Workspace())
    #expect(same.pixels == image.pixels)
    #expect(try image.resampled(.cover(image.size)).pixels == image.pixels)
  }

  @Test(arguments: ratios, [ResamplingFilter.lanczos3, .area])
  func aConstantImageStaysConstant(ratio: Ratio, filter: ResamplingFilter) throws {
    let color: [UInt8] = [17, 200, 255, 255]
    let image = try picture(ratio.from.width, ratio.from.height) { _, _ in color }
    let small = try image.resampled(.cover(ratio.to), filter: filter)
    #expect(small.size == ratio.to)
    #expect((0..<ratio.to.height).allSatisfy { small.pixel(ratio.to.width - 1, $0) == color })
    #expect(small.pixels == Array(repeatElement(color, count: small.pixels.count / 4).joined()))
  }

  @Test(arguments: [0.0, 0.3, 1.7, 4.999])
  func aConstantImageStaysConstantUnderAnyCrop(offset: Double) throws {
    let image = try picture(20, 30, .bgra) { _, _ in [10, 20, 30, 99] }
    var resampler = try Resampler(
      rows: image.size,
      crop: PixelArea(x: offset, y: offset * 2, width: 11.3, height: 7.77),
      output: PixelSize(9, 3),
      format: .bgra,
      workspace: Workspace()
    )
    try deliver(image, to: &resampler)
    let small = try resampler.finish()
    #expect(small.pixels == Array(repeatElement([10, 20, 30, 99], count: 27).joined()))
  }

  @Test(arguments: ratios, [ResamplingFilter.lanczos3, .area])
  func everyPixelIsWithinOneOfTheDefinition(ratio: Ratio, filter: ResamplingFilter) throws {
    let image = try noise(ratio.from.width, ratio.from.height)
    let fitting = Fitting.cover(ratio.to)
    let plan = RenderPlan(stored: image.size, orientation: .up, fitting: fitting)
    let small = try image.resampled(fitting, filter: filter)
    let exact = LanczosReference(filter: filter).resample(image, crop: plan.crop, output: ratio.to)
    let worst = zip(small.pixels, exact).map { abs(Double($0) - $1) }.max() ?? 0
    #expect(worst <= 1)
  }

  @Test func areaAverageOfTwoPixelsIsTheirMean() throws {
    let image = try picture(2, 1) { x, _ in x == 0 ? [10, 0, 255, 255] : [20, 1, 0, 255] }
    let small = try image.resampled(.cover(PixelSize(1, 1)), filter: .area)
    #expect(
      try image.resampled(.inside(PixelSize(1, 1)), filter: .area).pixels == [15, 1, 128, 255]
    )
    #expect(small.size == PixelSize(1, 1))
  }

  @Test func enlargingByAreaRepeatsPixels() throws {
    let image = try noise(3, 2)
    let large = try image.resampled(.cover(PixelSize(9, 6)), filter: .area)
    for y in 0..<6 { for x in 0..<9 { #expect(large.pixel(x, y) == image.pixel(x / 3, y / 3)) } }
  }

  @Test func aClearImageStaysClear() throws {
    let image = try picture(31, 9, .bgra) { _, _ in [0, 0, 0, 0] }
    #expect(try image.resampled(.cover(PixelSize(8, 8))).pixels.allSatisfy { $0 == 0 })
  }

  @Test func hiddenColorsDoNotBleedAndColorsStayBelowAlpha() throws {
    let image = try picture(24, 24, .bgra) { x, y in
      (x / 5 + y / 7).isMultiple(of: 2) ? [255, 255, 255, 255] : [0, 0, 0, 0]
    }
    for size in [5, 11, 50] {
      let pixels = try image.resampled(.cover(PixelSize(size, size))).pixels
      // Premultiplied white: colour and alpha stay the same number everywhere.
      for first in stride(from: 0, to: pixels.count, by: 4) {
        #expect(pixels[first..<first + 3].allSatisfy { $0 == pixels[first + 3] })
      }
    }
  }

  @Test func noColorExceedsItsAlpha() throws {
    let pixels = try noise(40, 40, .bgra).resampled(.cover(PixelSize(15, 15))).pixels
    for first in stride(from: 0, to: pixels.count, by: 4) {
      #expect(pixels[first..<first + 3].allSatisfy { $0 <= pixels[first + 3] })
    }
  }

  @Test(arguments: [Orientation.upMirrored, .down, .downMirrored], [(9, 9), (16, 16), (60, 51)])
  func flipsCommute(flip: Orientation, size: (Int, Int)) throws {
    let image = try noise(37, 30)
    let fitting = Fitting.cover(PixelSize(size.0, size.1))
    let first = try image.oriented(flip).resampled(fitting)
    let last = try image.resampled(fitting).oriented(flip)
    #expect(first.pixels == last.pixels)
  }

  @Test(arguments: [PixelFormat.bgr, .bgr555, .gray])
  func packedFormatsKeepTheirFormat(format: PixelFormat) throws {
    let image = try noise(21, 12).converted(to: format)
    let small = try image.resampled(.cover(PixelSize(5, 4)))
    let wide = try image.converted(to: .bgrx).resampled(.cover(PixelSize(5, 4)))
    #expect(small.format == format)
    #expect(small.pixels == (try wide.converted(to: format).pixels))
  }

  @Test(arguments: [(0, 5), (5, 0), (-1, -1), (1 << 21, 1), (.max, .max)])
  func impossibleSizesThrow(size: (Int, Int)) throws {
    let image = try noise(2, 2)
    #expect(throws: BitmapError.self) {
      _ = try image.resampled(.cover(PixelSize(size.0, size.1)))
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func aCropOutsideTheImageThrows(x: Double) {
    #expect(throws: BitmapError.self) {
      _ = try Resampler(
        rows: PixelSize(4, 4),
        crop: PixelArea(x: x, y: 0, width: 1, height: 1),
        output: PixelSize(1, 1),
        format: .bgra,
        workspace: Workspace()
      )
      .finish()
    }
  }

  @Test func anEdgeThatIsEnlargedHasTheColourOfItsPicture() throws {
    let square = try picture(12, 12, .bgra) { x, y in
      (2..<10).contains(x) && (2..<10).contains(y) ? [200, 100, 60, 255] : [0, 0, 0, 0]
    }
    let large = try square.resampled(.cover(PixelSize(61, 47)))
    for y in 0..<47 {
      for x in 0..<61 where large.pixel(x, y)[3] > 64 {
        let pixel = large.pixel(x, y).map { Double($0) }
        let errors = zip(pixel, [200.0, 100, 60]).map { abs($0 * 255 / pixel[3] - $1) }
        #expect(errors.allSatisfy { $0 <= 6 }, "at \(x), \(y)")
      }
    }
  }

  @Test func sidesOf65535Work() throws {
    let line = try picture(65_535, 1) { x, _ in x < 32_768 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
    let fitting = Fitting.inside(PixelSize(4, 4))
    #expect(try line.resampled(fitting).pixel(0, 0)[0] < 8)
    #expect(try line.resampled(fitting).pixel(3, 0)[0] > 247)
    let wide = try line.resampled(.cover(PixelSize(65_535, 1)), filter: .area)
    #expect(wide.pixels == line.pixels)
  }
}

/// Passes a bitmap to a resampler like a decoder: only the needed rows, one by one.
func deliver(_ image: Bitmap, to resampler: inout Resampler) throws {
  for y in resampler.neededRows {
    image.withRow(y) { row in
      resampler.nextRow { memory in for x in row.indices { memory[x] = row[x] } }
    }
  }
}
