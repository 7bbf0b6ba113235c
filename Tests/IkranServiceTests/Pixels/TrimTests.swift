import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// Borders that are removed, and parts that attract the eye.
@Suite("What is found in pictures")
struct TrimTests {
  private func size(
    _ picture: Bitmap,
    orientation: Orientation = .up,
    _ change: (inout Framing.Trim) -> Void = { _ in }
  ) throws -> PixelSize {
    var options = ProcessingOptions()
    var trim = Framing.Trim(threshold: 10)
    change(&trim)
    options.framing.trim = trim
    return try Samples.result(of: picture, options, orientation: orientation).size
  }

  /// White with a red part of 10 × 8, 3 from the left and 4 from above, of 20 × 20 pixels.
  private func framed() throws -> Bitmap {
    try Samples.picture(20, 20, .white, [(Samples.box(3, 4, 10, 8), Samples.red)])
  }

  @Test func aBorderOfOneColourIsCut() throws {
    let result = try size(framed())
    #expect(result == PixelSize(width: 10, height: 8))
  }

  @Test func aTrimmedPictureIsResizedByItsOwnSides() throws {
    var options = ProcessingOptions()
    options.framing.trim = Framing.Trim(threshold: 10)
    options.resizing.width = 5
    let result = try Samples.result(of: framed(), options)
    #expect(result.size == PixelSize(width: 5, height: 4))
    // The border does not bleed into it.
    #expect(Samples.corners(result) == [Samples.red, Samples.red, Samples.red, Samples.red])
  }

  @Test func evenedBordersAreCutByTheSmallerSide() throws {
    // 3 and 7 from left and right, 4 and 8 from above and below.
    #expect(try size(framed()) { $0.isEqualHorizontally = true } == PixelSize(width: 14, height: 8))
    #expect(try size(framed()) { $0.isEqualVertically = true } == PixelSize(width: 10, height: 12))
  }

  @Test func axesAreThoseOfTheStoredPicture() throws {
    let turned = try size(framed(), orientation: .right) { $0.isEqualHorizontally = true }
    #expect(turned == PixelSize(width: 10, height: 12))
  }

  @Test func theBordersColourIsThatOfTheStoredCorner() throws {
    // Upright, blue is above right: stored it was above left.
    let picture = try Samples.picture(20, 20, .white, [(Samples.box(10, 0, 10, 20), Samples.blue)])
    #expect(try size(picture, orientation: .right) == PixelSize(width: 10, height: 20))
    #expect(try size(picture, orientation: .up) == PixelSize(width: 10, height: 20))
    #expect(try size(picture) { $0.color = .black } == PixelSize(width: 20, height: 20))
  }

  @Test func aDifferenceUpToTheThresholdIsBorder() throws {
    let near = Color(red: 255, green: 245, blue: 255)
    let picture = try Samples.picture(20, 20, .white, [(Samples.box(5, 5, 5, 5), near)])
    #expect(try size(picture) == PixelSize(width: 20, height: 20))
    #expect(try size(picture) { $0.threshold = 9 } == PixelSize(width: 5, height: 5))
    #expect(try size(picture) { $0.threshold = 1e300 } == PixelSize(width: 20, height: 20))
  }

  @Test func aClearBorderIsCut() throws {
    let parts = [(Samples.box(6, 7, 8, 9), Samples.red)]
    let picture = try Samples.picture(20, 20, Samples.clear, parts)
    #expect(try size(picture) == PixelSize(width: 8, height: 9))
  }

  @Test func aSingleDotIsNoPicture() throws {
    let parts = [(Samples.box(2, 2, 1, 1), Samples.red), (Samples.box(8, 8, 6, 5), Samples.red)]
    #expect(try size(Samples.picture(20, 20, .white, parts)) == PixelSize(width: 6, height: 5))
  }

  @Test func anAnimationIsNotTrimmed() throws {
    var options = ProcessingOptions()
    options.framing.trim = Framing.Trim(threshold: 10)
    options.framing.gravity.kind = .smart
    let info = ImageInfo(format: .gif, size: PixelSize(width: 20, height: 20))
    let plan = try ResultPlan(info, options, as: .gif, isAnimated: true)
    #expect(!plan.needsWholePicture && plan.style == .original)
  }

  // MARK: - Parts that attract the eye

  /// Gray with a chessboard of 12 × 12 pixels.
  private func board(x: Int, y: Int) throws -> Bitmap {
    let gray = Color(red: 128, green: 128, blue: 128)
    let fields = (0..<72).map { field in
      let (row, column) = (field / 6, field % 6 * 2 + field / 6 % 2)
      return (Samples.box(x + column, y + row, 1, 1), Color.white)
    }
    return try Samples.picture(60, 40, gray, fields)
  }

  @Test(arguments: [(0, 0), (48, 0), (0, 28), (48, 28), (24, 14)])
  func theDetailedPartIsKept(_ x: Int, _ y: Int) throws {
    let attention = try Attention(board(x: x, y: y), Workspace())
    let size = PixelSize(width: 14, height: 14)
    let box = attention.box(of: size, in: PixelSize(width: 60, height: 40))
    #expect((x - 2...x).contains(box.x) || box.x == max(0, min(x, 46)))
    #expect((y - 2...y).contains(box.y) || box.y == max(0, min(y, 26)))
    #expect(box.isInside(PixelSize(width: 60, height: 40)))
  }

  @Test func aSmartFillAndASmartCropKeepIt() throws {
    var options = ProcessingOptions()
    options.framing.gravity.kind = .smart
    options.resizing = Resizing(kind: .fill, width: 40, height: 40)
    let filled = try Samples.result(of: board(x: 48, y: 20), options)
    #expect(filled.size == PixelSize(width: 40, height: 40))
    #expect(filled.color(x: 28, y: 20) == .white)
    options.resizing = Resizing()
    options.framing.crop = Framing.Crop(width: 20, height: 40)
    let cropped = try Samples.result(of: board(x: 48, y: 20), options)
    #expect(cropped.size == PixelSize(width: 20, height: 40))
    #expect(cropped.color(x: 8, y: 20) == .white)
  }

  @Test func ofEqualPartsTheMiddleIsKept() throws {
    let plain = try Samples.picture(101, 50, Samples.red)
    let box = try Attention(plain, Workspace()).box(
      of: PixelSize(width: 50, height: 50),
      in: PixelSize(width: 101, height: 50)
    )
    #expect(abs(box.x - 25) <= 1 && box.y == 0)
  }

  @Test func skinAttractsMoreThanOtherColoursOfItsSaturation() throws {
    let skin = Color(red: 224, green: 172, blue: 140)
    let other = Color(red: 140, green: 172, blue: 224)
    let parts = [(Samples.box(0, 0, 20, 20), other), (Samples.box(40, 0, 20, 20), skin)]
    let gray = Color(red: 172, green: 172, blue: 172)
    let box = try Attention(Samples.picture(60, 20, gray, parts), Workspace()).box(
      of: PixelSize(width: 20, height: 20),
      in: PixelSize(width: 60, height: 20)
    )
    #expect(box.x >= 36)
  }
}
