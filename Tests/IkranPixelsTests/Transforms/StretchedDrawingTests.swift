import IkranPixels
import Testing

/// Pictures that are drawn over others, stretched and partly clear.
@Suite struct StretchedDrawingTests {
  private let size = PixelSize(37, 11)

  private func drawn(
    over below: Bitmap,
    in area: PixelArea,
    opacity: Double,
    usesSIMD: Bool = true
  ) throws -> Bitmap {
    let workspace = Workspace()
    workspace.usesSIMD = workspace.usesSIMD && usesSIMD
    var canvas = try Canvas(size: size, format: .bgra)
    let whole = PixelArea(size)
    for (picture, area, opacity) in [(below, whole, 1), (try above(), area, opacity)] {
      try canvas.draw(
        picture,
        stretchedTo: area,
        within: whole,
        opacity: opacity,
        workspace: workspace
      )
    }
    return canvas.finish()
  }

  private func below() throws -> Bitmap { try spatialNoise(size, .bgra, seed: 71) }
  private func above() throws -> Bitmap { try spatialNoise(size, .bgra, seed: 72) }

  @Test(arguments: [0, 0.001, 0.3, 0.5, 0.999, 1])
  func coloursAreMixedByOpacityAndAlpha(opacity: Double) throws {
    let (below, above) = (try below().pixels, try above().pixels)
    let result = try drawn(over: try self.below(), in: PixelArea(size), opacity: opacity).pixels
    for (index, value) in result.enumerated() {
      let part = (opacity * 256).rounded() / 256
      let alpha = Double(above[index | 3]) / 255 * part
      let exact = Double(above[index]) * part + Double(below[index]) * (1 - alpha)
      #expect(abs(Double(value) - exact) <= 1)
      #expect(value <= result[index | 3])
    }
  }

  @Test(arguments: [
    PixelArea(x: 0, y: 0, width: 37, height: 11), PixelArea(x: 3.3, y: -2, width: 20.5, height: 30),
    PixelArea(x: -400, y: 2, width: 900, height: 0.3), PixelArea(x: 5, y: 1, width: 37, height: 4),
  ])
  func bothFormsOfTheLoopsDrawTheSame(area: PixelArea) throws {
    let fast = try drawn(over: try below(), in: area, opacity: 0.7)
    let plain = try drawn(over: try below(), in: area, opacity: 0.7, usesSIMD: false)
    #expect(fast.pixels == plain.pixels)
  }

  @Test func whatLiesOutsideOfTheCanvasIsNotDrawn() throws {
    let below = try below()
    for area in [
      PixelArea(x: 37, y: 0, width: 37, height: 11), PixelArea(x: 0, y: -99, width: 37, height: 99),
      PixelArea(x: 0, y: 0, width: .nan, height: 11), PixelArea(x: 0, y: 0, width: -9, height: 11),
      PixelArea(x: .infinity, y: 0, width: 37, height: 11),
      PixelArea(x: 0, y: 0, width: 1e300, height: 11),
    ] {
      #expect(try drawn(over: below, in: area, opacity: 1).pixels == below.pixels, "\(area)")
    }
  }
}
