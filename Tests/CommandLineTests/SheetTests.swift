import Ikran
import Support
import Testing

@testable import ikran_cli

@Suite("Contact sheets", .timeLimit(.minutes(10)))
struct SheetTests {
  private let cell = PixelSize(width: 10, height: 6)

  @Test(arguments: [
    (1, Int?.none, 1, 26, 22), (4, nil, 2, 44, 36), (5, nil, 3, 62, 36), (5, 5, 5, 98, 22),
    (5, 99, 5, 98, 22), (5, 1, 1, 26, 78),
  ])
  func cellsAreInRows(count: Int, asked: Int?, columns: Int, width: Int, height: Int) throws {
    let layout = try SheetLayout(count: count, cell: cell, columns: asked)
    #expect(layout.columns == columns)
    #expect(layout.size == PixelSize(width: width, height: height))
  }

  @Test(arguments: [(1_000_000, Int?.none), (10_000, 1), (10_000, 10_000)])
  func aSheetThatIsTooLargeIsRefused(count: Int, columns: Int?) {
    #expect(throws: Failure.self) {
      try SheetLayout(count: count, cell: PixelSize(width: 96, height: 96), columns: columns)
    }
  }

  @Test func imagesAreComposedInTheMiddleOfTheirCells() throws {
    var sheet = try ContactSheet(SheetLayout(count: 2, cell: cell, columns: 2))
    try sheet.draw(try plain([10, 20, 30, 255], width: 2, height: 2), in: 0)
    try sheet.draw(try plain([0, 0, 0, 128], width: 30, height: 30), in: 1)
    let pixels = try sheet.finish().straightRGBA()
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
      Array(pixels[(y * 44 + x) * 4..<(y * 44 + x) * 4 + 4])
    }
    #expect(pixel(0, 0) == [0xE6, 0xE6, 0xE6, 255])
    #expect(pixel(11, 10) == [0xE6, 0xE6, 0xE6, 255])
    #expect(pixel(12, 10) == [30, 20, 10, 255])
    #expect(pixel(13, 11) == [30, 20, 10, 255])
    #expect(pixel(14, 11) == [0xE6, 0xE6, 0xE6, 255])
    #expect(pixel(26, 8) == [115, 115, 115, 255])
    #expect(pixel(35, 13) == [115, 115, 115, 255])
    #expect(pixel(36, 13) == [0xE6, 0xE6, 0xE6, 255])
    #expect(pixel(35, 14) == [0xE6, 0xE6, 0xE6, 255])
  }

  @Test func aSheetsStepsAreTheChangesOfAllThatMoves() {
    let steps = SheetStep.all([[100, 100], [140, 10, 20]], limit: 250)
    #expect(
      steps == [
        SheetStep(frames: [0: 0, 1: 0], milliseconds: 100),
        SheetStep(frames: [0: 1], milliseconds: 40),
        // Within the shortest time the last change counts.
        SheetStep(frames: [1: 2], milliseconds: 20),
        SheetStep(frames: [1: 0], milliseconds: 40),
      ]
    )
  }

  @Test func aSheetHasALimitedNumberOfSteps() {
    let steps = SheetStep.all([[Int](repeating: 11, count: 900), [60_000]], limit: 50)
    #expect(steps.count <= 50)
    #expect(steps.reduce(0) { $0 + $1.milliseconds } == SheetStep.longestLoop)
    #expect(SheetStep.all([], limit: 50).isEmpty)
  }

  @Test(arguments: [(1, 1), (2, 9), (31, 31), (64, 48)])
  func theFailureImageIsACross(width: Int, height: Int) throws {
    let image = try FailureImage.draw(PixelSize(width: width, height: height))
    #expect(image.size == PixelSize(width: width, height: height))
    let pixels = try image.straightRGBA()
    let centre = (height / 2 * width + width / 2) * 4
    #expect(pixels[centre] < 0xF4)
    if width > 30 { #expect(Array(pixels.prefix(4)) == [0xF4, 0xD9, 0xD8, 255]) }
  }

  private func plain(_ pixel: [UInt8], width: Int, height: Int) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgra)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = pixel[index & 3] }
    }
    return canvas.finish()
  }
}
