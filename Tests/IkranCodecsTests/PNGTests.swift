import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Every colour type, depth and order of rows against the formula the fixtures were made with.
@Suite(.timeLimit(.minutes(10))) struct PNGTests {
  private static let size = PixelSize(width: 9, height: 7)

  @Test(
    arguments: [
      (1, "gray"), (2, "gray"), (4, "gray"), (8, "gray"), (16, "gray"), (8, "rgb"), (16, "rgb"),
      (8, "gray-alpha"), (16, "gray-alpha"), (8, "rgba"), (16, "rgba"),
    ],
    ["", "-interlaced"]
  )
  func samplesAreRoundedToEightBits(_ kind: (depth: Int, name: String), _ order: String) throws {
    let bytes = try Fixtures.bytes("gradient-\(kind.depth)b-\(kind.name)\(order).png")
    let bitmap = try outcome(of: bytes).get()
    let hasAlpha = kind.name.hasSuffix("a") || kind.name.hasSuffix("alpha")
    let isGray = kind.name.hasPrefix("gray")
    #expect(bitmap.size == Self.size)
    #expect(bitmap.format == (hasAlpha ? .bgra : .bgrx))
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let value = { Self.sample(x, y, $0, depth: kind.depth) }
        let alpha = hasAlpha ? value(isGray ? 1 : 3) : 255
        let wanted = Pixel(value(0), value(isGray ? 0 : 1), value(isGray ? 0 : 2), alpha)
        #expect(pixel == Self.premultiplied(wanted), "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: [1, 2, 4, 8], [false, true])
  func indicesAreConvertedToColours(_ depth: Int, _ isTranslucent: Bool) throws {
    let suffix = isTranslucent ? "-trns" : ""
    let bitmap = try outcome(of: Fixtures.bytes("palette-\(depth)b\(suffix).png")).get()
    let count = min(1 << depth, 64)
    #expect(bitmap.format == (isTranslucent ? .bgra : .bgrx))
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let index = (x + 3 * y) % count
        let color = [37, 71, 101].map { UInt8(index * $0 % 256) }
        let alpha = isTranslucent && index < count / 2 ? UInt8(index * 50 % 256) : 255
        let wanted = Pixel(color[0], color[1], color[2], alpha)
        #expect(pixel == Self.premultiplied(wanted), "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: ["gray-1b-trns", "gray-8b-trns", "rgb-8b-trns", "rgb-16b-trns"])
  func oneColourMayBeTransparent(_ name: String) throws {
    let bitmap = try outcome(of: Fixtures.bytes("\(name).png")).get()
    let (depth, channels) = (name.contains("16b") ? 16 : name.contains("8b") ? 8 : 1, 0..<3)
    let isGray = name.hasPrefix("gray")
    let clears = ["gray-8b-trns": (0, 1), "rgb-8b-trns": (1, 0), "rgb-16b-trns": (1, 1)]
    let clear = clears[name] ?? (0, 0)
    let key = channels.map { Self.raw(clear.0, clear.1, isGray ? 0 : $0, depth: depth) }
    #expect(bitmap.format == .bgra)
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let value = channels.map { Self.raw(x, y, isGray ? 0 : $0, depth: depth) }
        #expect((pixel.alpha == 0) == (value == key), "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: [true, false])
  func onlyTheExactColourOfSixteenBitsIsTransparent(_ isInterlaced: Bool) throws {
    let clear: [UInt16] = [0x1234, 0x5678, 0x9ABC]
    // One bit of one channel differs, or none.
    let sample = PNGSample(
      size: PixelSize(width: 49, height: 3),
      isInterlaced: isInterlaced,
      clear: clear
    ) { x, y in
      var pixel = clear
      if x > 0 { pixel[y] ^= 1 << UInt16((x - 1) % 16) }
      return pixel
    }
    let bitmap = try outcome(of: sample.bytes).get()
    for row in bitmap.pixels {
      #expect(row[0] == Pixel(0, 0, 0, 0))
      #expect(row[1...].allSatisfy { $0.alpha == 255 })
    }
  }

  @Test func anOrientationAfterThePixelsCounts() throws {
    let turned = try outcome(of: Fixtures.bytes("exif-orientation-6.png")).get()
    let plain = try outcome(of: Fixtures.bytes("gradient-8b-rgb.png")).get()
    let upright = try plain.oriented(.right)
    #expect(turned.distance(to: upright) == 0)
  }

  @Test func anAnimationShowsItsDefaultPicture() throws {
    let animated = try outcome(of: Fixtures.bytes("animation-3-frames.png")).get()
    let plain = try outcome(of: Fixtures.bytes("gradient-8b-rgb.png")).get()
    #expect(animated.distance(to: plain) == 0)
  }

  private static func raw(_ x: Int, _ y: Int, _ channel: Int, depth: Int) -> Int {
    depth == 16
      ? (x * 3701 + y * 7103 + channel * 10103) % 65_536
      : (x * 37 + y * 71 + channel * 101) % (1 << depth)
  }

  private static func sample(_ x: Int, _ y: Int, _ channel: Int, depth: Int) -> UInt8 {
    let largest = (1 << depth) - 1
    return UInt8((raw(x, y, channel, depth: depth) * 255 + largest / 2) / largest)
  }

  private static func premultiplied(_ pixel: Pixel) -> Pixel {
    func scaled(_ value: UInt8) -> UInt8 { UInt8((Int(value) * Int(pixel.alpha) + 127) / 255) }
    return Pixel(scaled(pixel.red), scaled(pixel.green), scaled(pixel.blue), pixel.alpha)
  }
}
