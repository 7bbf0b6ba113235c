@testable import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// A picture of four flat areas, 48×32, in each coding that preserves its colours.
@Suite(.timeLimit(.minutes(10))) struct AreaTests {
  private static let colors = [
    Pixel(200, 40, 40), Pixel(40, 180, 60), Pixel(50, 70, 210), Pixel(230, 230, 230),
  ]

  private static func wanted(_ x: Int, _ y: Int) -> Pixel {
    colors[(y < 16 ? 0 : 2) + (x < 16 ? 0 : 1)]
  }

  /// The largest difference in the middle of the areas, away from edges that chroma blurs.
  private func distance(_ bitmap: Bitmap) -> Int {
    guard bitmap.size == PixelSize(width: 48, height: 32) else { return .max }
    let pixels = bitmap.pixels
    var worst = 0
    for y in 0..<32 where (3...12).contains(y % 16) {
      for x in 0..<48 where (3...12).contains(x % 16) {
        worst = max(worst, pixels[y][x].distance(to: Self.wanted(x, y)))
      }
    }
    return worst
  }

  /// Those files whose formats this build reads.
  private static func readable(_ names: [String]) -> [String] {
    let leftOut =
      ImageFormat.leftOut.map(\.rawValue) + (ImageFormat.leftOut.contains(.tiff) ? ["tif"] : [])
    return names.filter { name in !leftOut.contains { name.contains(".\($0)") } }
  }

  @Test(
    arguments: readable([
      "areas-420.jpg", "areas-422.jpg", "areas-444.jpg", "areas-progressive.jpg",
      "areas-lossy.webp", "areas-420.avif", "areas-420.heic", "areas-444.heic", "areas-lossy.jxl",
      "areas-transcoded.jxl", "areas.dng",
    ])
  )
  func coloursSurviveWithinTheCodingsLoss(_ name: String) throws {
    let bitmap = try outcome(of: Fixtures.bytes(name)).get()
    #expect(bitmap.format == .bgrx)
    #expect(distance(bitmap) <= 5)
  }

  @Test(
    arguments: readable([
      "areas-lossless.webp", "areas-lossless.avif", "areas-turned.avif",
      "areas-lossless.jxl", "areas-float.jxl", "areas.svg", "areas-utf16.svg", "areas.svgz",
      "areas-deflate.tif",
      "areas-lzw.tif", "areas-packbits.tif", "areas-orientation-6.tif", "areas-24b.bmp",
      "areas-8b.bmp", "areas.ppm", "areas.qoi",
    ])
  )
  func losslessCodingIsExact(_ name: String) throws {
    let bitmap = try outcome(of: Fixtures.bytes(name)).get()
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() { #expect(pixel == Self.wanted(x, y), "at \(x), \(y)") }
    }
  }

  @Test func inksAreConvertedToColours() throws {
    let bitmap = try outcome(of: Fixtures.bytes("areas-cmyk.jpg")).get()
    #expect(bitmap.format == .bgrx)
    #expect(distance(bitmap) <= 5)
  }

  @Test func oneComponentIsGray() throws {
    let bitmap = try outcome(of: Fixtures.bytes("areas-gray.jpg")).get()
    let middle = bitmap.pixels[8][8]
    // BT.601 luma of (200, 40, 40).
    #expect(middle.distance(to: Pixel(88, 88, 88)) <= 2)
  }

  @Test(arguments: 1...8)
  func everyOrientationGivesTheSameUprightPicture(_ orientation: Int) throws {
    let bytes = try Fixtures.bytes("areas-orientation-\(orientation).jpg")
    #expect(try probe(bytes).get().orientation.rawValue == UInt8(orientation))
    #expect(try probe(bytes).get().uprightSize == PixelSize(width: 48, height: 32))
    #expect(distance(try outcome(of: bytes).get()) <= 5)
  }

  @Test(arguments: 1...8)
  func everyOrientationIsScaledUpright(_ orientation: Int) throws {
    let bytes = try Fixtures.bytes("areas-orientation-\(orientation).jpg")
    let target = Fitting.cover(PixelSize(width: 12, height: 6))
    let first = try outcome(of: Fixtures.bytes("areas-orientation-1.jpg"), target).get()
    let bitmap = try outcome(of: bytes, target).get()
    #expect(bitmap.distance(to: first) <= 4)
  }

  @Test func anOrientationInWebPCounts() throws {
    let bitmap = try outcome(of: Fixtures.bytes("areas-orientation-6.webp")).get()
    #expect(distance(bitmap) == 0)
  }

  @Test func anAnimationsFirstFrameIsShown() throws {
    let bitmap = try outcome(of: Fixtures.bytes("animation-3-frames.webp")).get()
    #expect(distance(bitmap) == 0)
  }

  @Test func aFrameLeavesTheRestOfTheCanvasClear() throws {
    let bitmap = try outcome(of: Fixtures.bytes("frame-off-corner.webp")).get()
    #expect(bitmap.format == .bgra)
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let isInside = (4..<12).contains(x) && (2..<8).contains(y)
        #expect(pixel == (isInside ? Self.colors[1] : Pixel(0, 0, 0, 0)), "at \(x), \(y)")
      }
    }
  }

  @Test(
    arguments: readable(
      ["webp", "avif", "heic", "jxl", "tif", "pam", "qoi"].map { "soft-lossless-alpha.\($0)" }
    )
  )
  func alphaIsPremultiplied(_ name: String) throws {
    let bitmap = try outcome(of: Fixtures.bytes(name)).get()
    #expect(bitmap.format == .bgra)
    for (y, row) in bitmap.pixels.enumerated() {
      for (x, pixel) in row.enumerated() {
        let alpha = min(255, x * 14)
        let color = [x * 12, y * 18, 128].map { UInt8(($0 * alpha + 127) / 255) }
        let wanted = Pixel(color[0], color[1], color[2], UInt8(alpha))
        #expect(pixel.distance(to: wanted) <= 1, "at \(x), \(y)")
      }
    }
  }
}
