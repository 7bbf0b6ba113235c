import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Indices (x + 3y) mod 8 on a screen of 13×11.
@Suite(.timeLimit(.minutes(10))) struct GIFTests {
  private static func color(_ index: Int) -> Pixel {
    Pixel(UInt8(index * 60 % 256), UInt8(index * 33 % 256), UInt8(255 - index * 31))
  }

  private func pixels(_ name: String, _ format: PixelFormat) throws -> [[Pixel]] {
    let bitmap = try outcome(of: Fixtures.bytes(name)).get()
    #expect(bitmap.size == PixelSize(width: 13, height: 11))
    #expect(bitmap.format == format)
    return bitmap.pixels
  }

  @Test(arguments: ["indexed.gif", "interlaced.gif", "animation-3-frames.gif"])
  func indicesAreConvertedToColours(_ name: String) throws {
    for (y, row) in try pixels(name, .bgrx).enumerated() {
      for (x, pixel) in row.enumerated() { #expect(pixel == Self.color((x + 3 * y) % 8)) }
    }
  }

  @Test func theTransparentIndexIsClear() throws {
    for (y, row) in try pixels("transparent.gif", .bgra).enumerated() {
      for (x, pixel) in row.enumerated() {
        let index = (x + 3 * y) % 8
        #expect(pixel == (index == 2 ? Pixel(0, 0, 0, 0) : Self.color(index)))
      }
    }
  }

  @Test(arguments: [("frame-off-corner.gif", 4, 3, 6, 5), ("frame-outside.gif", 8, 6, 9, 9)])
  func pixelsOutsideTheFrameAreClear(
    _ frame: (name: String, left: Int, top: Int, width: Int, height: Int)
  ) throws {
    for (y, row) in try pixels(frame.name, .bgra).enumerated() {
      for (x, pixel) in row.enumerated() {
        let (column, line) = (x - frame.left, y - frame.top)
        let isInside = (0..<frame.width).contains(column) && (0..<frame.height).contains(line)
        let wanted = isInside ? Self.color((column + 3 * line) % 8) : Pixel(0, 0, 0, 0)
        #expect(pixel == wanted, "at \(x), \(y)")
      }
    }
  }

  @Test func aLocalPaletteIsUsed() throws {
    // The fixture's local palette is the global one's bytes in reverse.
    let bytes = (0..<8).flatMap { [Self.color($0).red, Self.color($0).green, Self.color($0).blue] }
    let local = Array(bytes.reversed())
    for (y, row) in try pixels("local-palette.gif", .bgrx).enumerated() {
      for (x, pixel) in row.enumerated() {
        let index = (x + 3 * y) % 8 * 3
        #expect(pixel == Pixel(local[index], local[index + 1], local[index + 2]))
      }
    }
  }

  @Test func aPictureWithoutAPaletteIsGray() throws {
    let row = try pixels("no-palette.gif", .bgrx)[0]
    #expect(row[..<3].map(\.red) == [0, 1, 2])
    #expect(row[5] == Pixel(5, 5, 5))
  }
}
