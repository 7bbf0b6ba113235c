import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// A region that is resized without its surroundings: one cell of a sprite.
@Suite(.timeLimit(.minutes(10)))
struct IsolatedRegionTests {
  private static let cells: [Color] = [.white, Color(red: 0, green: 200, blue: 40), .black]

  /// Cells of one colour side by side, the middle one surrounded by the others.
  private static func sprite(_ side: Int, around other: Color? = nil) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: side * 3, height: side * 3), format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<side * 3 {
        for x in 0..<side * 3 {
          let isMiddle = x / side == 1 && y / side == 1
          let color = isMiddle ? cells[1] : other ?? cells[(x / side + y / side) % 2 * 2]
          let place = y * bytesPerRow + x * 4
          (bytes[place], bytes[place + 1]) = (color.blue, color.green)
          bytes[place + 2] = color.red
        }
      }
    }
    return canvas.finish()
  }

  private static func middle(_ side: Int) -> PixelRectangle {
    PixelRectangle(x: side, y: side, width: side, height: side)
  }

  private func colors(of bitmap: Bitmap) -> Set<Pixel> { Set(bitmap.pixels.joined()) }

  @Test(arguments: [ImageEncoding.png, .webpLossless, .gif], [5, 16, 33])
  func aCellOfASpriteHasItsOwnColoursOnly(_ encoding: ImageEncoding, _ side: Int) throws {
    let bytes = try Self.sprite(side).encoded(as: encoding)
    for size in [side / 2, side - 1, side, side * 2 + 1] {
      let fitting = Fitting.region(
        Self.middle(side),
        PixelSize(width: size, height: size),
        isolated: true
      )
      #expect(colors(of: try outcome(of: bytes, fitting).get()) == [Pixel(0, 200, 40)])
    }
    // Tiles that are shown side by side need the picture around them.
    let size = PixelSize(width: side / 2, height: side / 2)
    let tile = try outcome(of: bytes, .region(Self.middle(side), size)).get()
    #expect(colors(of: tile) != [Pixel(0, 200, 40)])
  }

  @Test(arguments: Orientation.allCases)
  func anIsolatedRegionOfAnyFileIsAPictureOfItsOwn(_ orientation: Orientation) throws {
    var random = SeededGenerator(seed: 20_261_125)
    let files =
      try ["gradient-8b-rgba-interlaced.png", "soft-lossy-alpha.webp", "animation-3-frames.webp"]
      .map { try Fixtures.bytes($0) }
      + Regions.samples.prefix(5).map { Regions.bytes($0.bytes(), turned: orientation) }
    for bytes in files {
      let whole = try outcome(of: bytes).get()
      for _ in 0..<Rounds.fewer(20, atLeast: 3) {
        let region = Regions.random(in: whole.size, &random)
        let size = PixelSize(
          width: Int.random(in: 1...40, using: &random),
          height: Int.random(in: 1...40, using: &random)
        )
        let part = try outcome(of: bytes, .region(region, size, isolated: true)).get()
        let alone = try Regions.part(region, of: whole)
          .stretched(to: size, workspace: Workspace())
        // The stored picture is resized, in another order of columns and rows: rounding differs.
        let tolerance = orientation == .up ? 0 : 1
        #expect(part.distance(to: alone) <= tolerance, "\(region) \(size), seed 20261125")
      }
    }
  }

  /// Of a picture that is reduced while it is decoded, too.
  @Test(arguments: [ImageEncoding.jpeg(), .webp()])
  func aReducedCellDoesNotDependOnItsNeighbours(_ encoding: ImageEncoding) throws {
    let side = 320
    let size = PixelSize(width: 24, height: 24)
    let fitting = Fitting.region(Self.middle(side), size, isolated: true)
    let cells = try [Color.white, .black, Color(red: 255, green: 0, blue: 0)].map { color in
      let bytes = try Self.sprite(side, around: color).encoded(as: encoding)
      return try outcome(of: bytes, fitting).get()
    }
    // JPEG's blocks end with the cell, WebP predicts from those around it.
    let tolerance = encoding.format == .jpeg ? 0 : 3
    #expect(cells[0].distance(to: cells[1]) <= tolerance)
    #expect(cells[0].distance(to: cells[2]) <= tolerance)
  }

  @Test func aCellThatSharesBlocksWithItsNeighboursIsNotReduced() throws {
    let sample = JPEGSample(width: 1_000, height: 1_000, sampling: .quarter)
    let header = try JPEGHeader(sample.bytes().span)
    func eighths(_ x: Int, isolated: Bool) -> Int {
      let region = PixelRectangle(x: x, y: 0, width: 512, height: 512)
      let fitting = Fitting.region(region, PixelSize(width: 64, height: 64), isolated: isolated)
      let plan = RenderPlan(stored: header.info.size, orientation: .up, fitting: fitting)
      return JPEGReduction(plan, header).eighths
    }
    #expect(eighths(64, isolated: true) == eighths(64, isolated: false))
    #expect(eighths(64, isolated: true) < 8)
    #expect(eighths(72, isolated: true) == 8)
    #expect(eighths(488, isolated: true) == 8)
  }

  @Test func aRegionDecoderIsolatesToo() throws {
    let bytes = try Self.sprite(16).encoded(as: .png)
    var decoder = try RegionDecoder(bytes.span)
    let size = PixelSize(width: 7, height: 9)
    let cell = try decoder.decode(Self.middle(16), of: bytes.span, size: size, isolated: true)
    #expect(colors(of: cell) == [Pixel(0, 200, 40)])
  }
}
