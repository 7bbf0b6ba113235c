import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct DrawingTests {
  private func drawn(
    _ image: Bitmap,
    _ size: PixelSize,
    _ format: PixelFormat,
    _ fitting: CanvasFitting
  ) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: format)
    try canvas.draw(image, fitting: fitting)
    return canvas.finish()
  }

  @Test(arguments: PixelFormat.allCases)
  func aPictureOfTheCanvasesSizeIsCopied(format: PixelFormat) throws {
    let image = try noise(37, 11)
    let expected = try image.converted(to: format)
    for fitting in CanvasFitting.allCases {
      #expect(try drawn(image, image.size, format, fitting).pixels == expected.pixels)
    }
  }

  @Test func aCanvasWithoutAlphaStaysOpaque() throws {
    var canvas = try Canvas(size: PixelSize(40, 12), format: .bgrx)
    canvas.draw(try noise(30, 7, .bgra), x: 3, y: 2)
    canvas.fill(
      RoundedShape(PixelSize(20, 5), radius: 3),
      with: Color(red: 9, green: 9, blue: 9, alpha: 99)
    )
    let bitmap = canvas.finish()
    #expect(stride(from: 3, to: bitmap.pixels.count, by: 4).allSatisfy { bitmap.pixels[$0] == 255 })
    #expect(try bitmap.thumbHash() == bitmap.converted(to: .bgr).thumbHash())
  }

  @Test func fillingCoversTheCanvas() throws {
    let image = try noise(40, 20)
    let expected = try image.resampled(.cover(PixelSize(10, 10)))
    #expect(try drawn(image, PixelSize(10, 10), .bgrx, .fill).pixels == expected.pixels)
  }

  @Test(arguments: [(40, 20, 0, 2), (20, 40, 3, 0)])
  func fittingDrawsAllInTheMiddleAndKeepsTheRest(
    width: Int,
    height: Int,
    left: Int,
    top: Int
  ) throws {
    let image = try picture(width, height, .bgrx) { _, _ in [10, 20, 30, 255] }
    let size = width > height ? PixelSize(10, 9) : PixelSize(10, 8)
    let result = try drawn(image, size, .bgra, .fit)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isInside =
          x >= left && y >= top && x < left + (width > height ? 10 : 4)
          && y < top + (width > height ? 5 : 8)
        #expect(result.pixel(x, y) == (isInside ? [10, 20, 30, 255] : [0, 0, 0, 0]))
      }
    }
  }

  @Test func transparencyReplacesTheCanvas() throws {
    let clear = try picture(4, 4, .bgra) { _, _ in [0, 0, 0, 0] }
    var canvas = try Canvas(size: PixelSize(4, 4), format: .bgra)
    canvas.withMutableBytes { bytes in for index in bytes.indices { bytes[index] = 255 } }
    try canvas.draw(clear)
    #expect(canvas.finish().pixels.allSatisfy { $0 == 0 })
    #expect(try drawn(clear, PixelSize(4, 4), .bgr, .fill).pixels.allSatisfy { $0 == 0 })
  }

  @Test func aWorkspaceChangesNothing() throws {
    let image = try noise(33, 21)
    let workspace = Workspace()
    for _ in 0..<2 {
      var canvas = try Canvas(size: PixelSize(9, 7), format: .bgr)
      try canvas.draw(image, workspace: workspace)
      let expected = try drawn(image, PixelSize(9, 7), .bgr, .fill)
      #expect(canvas.finish().pixels == expected.pixels)
    }
  }

  @Test func whatLiesOutsideTheCanvasIsCropped() throws {
    let image = try picture(3, 2, .bgrx) { x, y in [UInt8(1 + x + 3 * y), 0, 0, 255] }
    for left in -5...6 {
      for top in -4...5 {
        var canvas = try Canvas(size: PixelSize(5, 4), format: .bgra)
        canvas.draw(image, left: left, top: top)
        let result = canvas.finish()
        for y in 0..<4 {
          for x in 0..<5 {
            let isInside = (0..<3).contains(x - left) && (0..<2).contains(y - top)
            let expected = isInside ? image.pixel(x - left, y - top) : [0, 0, 0, 0]
            #expect(result.pixel(x, y) == expected)
          }
        }
      }
    }
  }

  /// A premultiplied pixel over another.
  private static func composed(_ over: [UInt8], _ below: [UInt8]) -> [UInt8] {
    let rest = 255 - Int(over[3])
    return zip(over, below).map { UInt8(Int($0) + (Int($1) * rest + 127) / 255) }
  }

  @Test(arguments: PixelFormat.allCases)
  func aPictureIsDrawnOverWhatIsThere(_ format: PixelFormat) throws {
    let below = try noise(41, 7).converted(to: format)
    // Every alpha, and colours up to it.
    let over = try picture(37, 7, .bgra) { x, y in
      let alpha = (x + y * 37) % 256
      return [UInt8(alpha), UInt8(alpha / 2), UInt8(alpha * x / 36), UInt8(alpha)]
    }
    var canvas = try Canvas(size: below.size, format: format)
    canvas.draw(below, x: 0, y: 0)
    canvas.draw(over, x: 2, y: 1)
    let result = canvas.finish()
    let wide = try below.converted(to: format == .bgra ? .bgra : .bgrx)
    for y in 0..<7 {
      for x in 0..<41 {
        guard (2..<39).contains(x), y > 0 else {
          #expect(result.pixel(x, y) == below.pixel(x, y))
          continue
        }
        let wanted = Self.composed(over.pixel(x - 2, y - 1), wide.pixel(x, y))
        let one = try picture(1, 1, wide.format) { _, _ in wanted }.converted(to: format)
        #expect(result.pixel(x, y) == one.pixel(0, 0))
      }
    }
  }

  @Test(
    arguments: [
      (Int.min, 0), (Int.max, 0), (0, Int.min), (0, Int.max), (5, 0), (0, 4), (-3, 0), (0, -2),
    ]
  )
  func nothingIsDrawnOutside(x: Int, y: Int) throws {
    for format in [PixelFormat.bgra, .bgrx] {
      let image = try picture(3, 2, format) { _, _ in [9, 9, 9, 255] }
      var canvas = try Canvas(size: PixelSize(5, 4), format: .bgra)
      canvas.draw(image, x: x, y: y)
      #expect(canvas.finish().pixels.allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func aPartOfAPictureHasItsPixels(_ format: PixelFormat) throws {
    let image = try noise(11, 9).converted(to: format)
    let part = try image.cropped(columns: 3..<99, rows: -4..<5)
    #expect(part.size == PixelSize(8, 5))
    #expect(part.format == format)
    for y in 0..<5 {
      for x in 0..<8 { #expect(part.pixel(x, y) == image.pixel(x + 3, y)) }
    }
    #expect(try image.cropped(columns: 0..<11, rows: 0..<9).pixels == image.pixels)
  }

  @Test func aPartOutsideIsAnError() throws {
    let image = try noise(11, 9)
    #expect(throws: BitmapError.invalidSize(PixelSize(0, 9))) {
      try image.cropped(columns: 11..<20, rows: 0..<9)
    }
  }

  @Test func onlyTheGivenAreaIsDrawn() throws {
    let image = try picture(4, 4, .bgrx) { _, _ in [9, 9, 9, 255] }
    var canvas = try Canvas(size: PixelSize(4, 4), format: .bgrx)
    canvas.draw(image, left: 0, top: 0, columns: 1..<3, rows: 2..<9)
    let result = canvas.finish()
    let drawn = (0..<16).filter { result.pixel($0 % 4, $0 / 4) == [9, 9, 9, 255] }
    #expect(drawn == [9, 10, 13, 14])
  }

  @Test(arguments: [0, 1, 64, 128, 255, 256])
  func aMixIsRoundedToTheNearest(weight: Int) throws {
    let first = try picture(67, 3, .bgra) { x, y in [UInt8(x), UInt8(255 - x), UInt8(y), 255] }
    let second = try picture(67, 3, .bgra) { x, y in [UInt8(3 * x), UInt8(y), UInt8(2 * x), 99] }
    var canvas = try Canvas(size: first.size, format: .bgra)
    canvas.mix(first, second, weight: weight)
    let expected = zip(first.pixels, second.pixels).map { first, second in
      (Int(first) * (256 - weight) + Int(second) * weight + 128) / 256
    }
    #expect(canvas.finish().pixels.map(Int.init) == expected)
  }

  @Test func aStretchedPictureNeedNotKeepItsAspect() throws {
    let image = try picture(8, 4, .bgrx) { x, _ in x < 4 ? [0, 0, 0, 255] : [200, 200, 200, 255] }
    let narrow = try image.stretched(to: PixelSize(2, 7), workspace: Workspace())
    #expect(narrow.size == PixelSize(2, 7))
    for y in 0..<7 { #expect(narrow.pixel(0, y)[0] < narrow.pixel(1, y)[0]) }
  }
}
