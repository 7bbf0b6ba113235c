import IkranPixels
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConversionTests {
  @Test(arguments: [PixelFormat.bgr, .bgr555, .gray], [PixelFormat.bgrx, .bgra, .bgr])
  func widerFormatsKeepEveryLevel(narrow: PixelFormat, wide: PixelFormat) throws {
    let image = try noise(37, 5).converted(to: narrow)
    if narrow == .bgr555, wide == .bgr555 { return }
    let back = try image.converted(to: wide).converted(to: narrow)
    #expect(back.pixels == image.pixels)
  }

  @Test func everyPairOfFormatsHasTheExpectedBytes() throws {
    // From the formats' definitions; half transparent orange, premultiplied.
    let bytes: [PixelFormat: [UInt8]] = [
      .bgra: [0, 64, 128, 128], .bgrx: [0, 64, 128, 255], .bgr: [0, 64, 128],
      // 64 → 8 of 31, 128 → 16 of 31.
      .bgr555: [0x00, 0x41], .gray: [76],
    ]
    let image = try picture(3, 2, .bgra) { _, _ in [0, 64, 128, 128] }
    for (format, expected) in bytes {
      let pixel = try image.converted(to: format).pixel(2, 1)
      #expect(pixel == expected, "bgra to \(format)")
    }
    let word = try image.converted(to: .bgr555)
    #expect(try word.converted(to: .bgra).pixel(0, 0) == [0, 66, 132, 255])
    #expect(try word.converted(to: .bgrx).pixel(0, 0) == [0, 66, 132, 255])
    #expect(try word.converted(to: .bgr).pixel(0, 0) == [0, 66, 132])
    #expect(try word.converted(to: .gray).pixel(0, 0) == [78])
    let gray = try image.converted(to: .gray)
    #expect(try gray.converted(to: .bgra).pixel(0, 0) == [76, 76, 76, 255])
    #expect(try gray.converted(to: .bgr555).pixel(0, 0) == [0x29, 0x25])
    let opaque = try image.converted(to: .bgr)
    #expect(try opaque.converted(to: .bgra).pixel(0, 0) == [0, 64, 128, 255])
    #expect(try opaque.converted(to: .bgrx).pixel(0, 0) == [0, 64, 128, 255])
    #expect(try opaque.converted(to: .gray).pixel(0, 0) == [76])
  }

  @Test func alphaIsComposedOverAColour() throws {
    let alphas = try picture(256, 1, .bgra) { x, _ in [UInt8(x / 2), 0, UInt8(x), UInt8(x)] }
    let flat = try alphas.flattened(over: Color(red: 10, green: 200, blue: 30))
    #expect(flat.format == .bgrx)
    for alpha in 0...255 {
      let rest = Double(255 - alpha) / 255
      let wanted = [Double(alpha / 2) + 30 * rest, 200 * rest, Double(alpha) + 10 * rest]
      #expect(flat.pixel(alpha, 0) == wanted.map { UInt8($0.rounded()) } + [255], "alpha \(alpha)")
    }
    let opaque = try noise(4, 4)
    #expect(try opaque.flattened(over: .black).pixels == opaque.pixels)
  }

  @Test func graysDoNotChange() throws {
    let grays = try picture(256, 1, .gray) { x, _ in [UInt8(x)] }
    for format in [PixelFormat.bgra, .bgrx, .bgr] {
      #expect(try grays.converted(to: format).converted(to: .gray).pixels == grays.pixels)
    }
  }

  @Test func fiveBitLevelsAreTheNearest() throws {
    let grays = try picture(256, 1, .gray) { x, _ in [UInt8(x)] }
    let words = try grays.converted(to: .bgr555)
    for level in 0..<256 {
      let nearest = (Double(level) * 31 / 255).rounded()
      #expect(words.pixel(level, 0)[0] & 31 == UInt8(nearest))
    }
  }

  @Test func theSameFormatIsTheSameMemory() throws {
    let image = try noise(4, 4)
    let same = try image.converted(to: .bgrx)
    let first = image.withUnsafeBytes { $0.baseAddress }
    #expect(first == same.withUnsafeBytes { $0.baseAddress })
  }

  @Test func straightRGBAUndoesPremultiplication() throws {
    let image = try picture(2, 2, .bgra) { x, y in
      [[10, 20, 30, 255], [25, 50, 100, 128], [0, 0, 0, 0], [1, 0, 1, 1]][y * 2 + x]
    }
    #expect(
      try image.straightRGBA() == [
        30, 20, 10, 255, 199, 100, 50, 128, 0, 0, 0, 0, 255, 0, 255, 1,
      ]
    )
    let gray = try picture(3, 1, .gray) { x, _ in [UInt8(x * 9)] }
    #expect(try gray.straightRGBA() == [0, 0, 0, 255, 9, 9, 9, 255, 18, 18, 18, 255])
  }

  @Test func premultiplyingRoundsEveryProductToTheNearest() throws {
    for alpha in 0...255 {
      var row = (0...255).flatMap { level -> [UInt8] in
        [UInt8(level), UInt8(255 - level), 255, UInt8(alpha)]
      }
      row += [200, 100, 50, UInt8(alpha)]
      var product = row
      product.withUnsafeMutableBytes { premultiply($0) }
      let expected = row.enumerated().map { index, value in
        index % 4 == 3 ? value : UInt8((Double(value) * Double(alpha) / 255).rounded())
      }
      #expect(product == expected)
    }
  }

  @Test func blendingRoundsTheSumToTheNearest() throws {
    for alpha in 0...255 {
      // The last pixel is that of the loop without SIMD.
      var (over, below): ([UInt8], [UInt8]) = ([], [])
      for level in 0...256 {
        let value = UInt8(level % 256)
        over += [value, 255 - value, 255, UInt8(alpha)]
        below += [value &* 7, 128, value &* 3, 255 - value / 2]
      }
      var sum = below
      sum.withUnsafeMutableBytes { target in
        over.withUnsafeBytes { blend($0, over: target) }
      }
      let expected = below.indices.map { index -> UInt8 in
        let source: Double = index % 4 == 3 ? 255 : Double(over[index])
        let rest = Double(below[index]) * Double(255 - alpha)
        return UInt8(((source * Double(alpha) + rest) / 255).rounded())
      }
      #expect(sum == expected, "alpha \(alpha)")
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct OrientationTests {
  /// Three across, two down, numbered:  1 2 3 / 4 5 6.
  private static let upright: [(Orientation, [[UInt8]])] = [
    (.up, [[1, 2, 3], [4, 5, 6]]), (.upMirrored, [[3, 2, 1], [6, 5, 4]]),
    (.down, [[6, 5, 4], [3, 2, 1]]), (.downMirrored, [[4, 5, 6], [1, 2, 3]]),
    (.leftMirrored, [[1, 4], [2, 5], [3, 6]]), (.right, [[4, 1], [5, 2], [6, 3]]),
    (.rightMirrored, [[6, 3], [5, 2], [4, 1]]), (.left, [[3, 6], [2, 5], [1, 4]]),
  ]

  @Test(arguments: upright, PixelFormat.allCases)
  func storedPixelsAreTurnedUpright(expected: (Orientation, [[UInt8]]), format: PixelFormat) throws
  {
    let stored = try picture(3, 2, format) { x, y in
      Array(repeating: UInt8(1 + x + 3 * y), count: format.bytesPerPixel)
    }
    let turned = try stored.oriented(expected.0)
    #expect(turned.size == expected.0.uprightSize(of: stored.size))
    for (y, row) in expected.1.enumerated() {
      for (x, value) in row.enumerated() {
        #expect(turned.pixel(x, y) == Array(repeating: value, count: format.bytesPerPixel))
      }
    }
  }

  @Test(arguments: Orientation.allCases)
  func largeImagesAreTurnedLikeSmallOnes(orientation: Orientation) throws {
    // Larger than a tile both ways, and not a multiple of one.
    let stored = try picture(70, 41, .bgr) { x, y in [UInt8(x), UInt8(y), 9] }
    let turned = try stored.oriented(orientation)
    // Four quarter turns, two flips: every orientation is undone by itself but the two turns.
    let inverse: Orientation =
      orientation == .right ? .left : orientation == .left ? .right : orientation
    #expect(try turned.oriented(inverse).pixels == stored.pixels)
  }
}
