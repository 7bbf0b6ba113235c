import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// Crops, canvases and paddings, of a picture of 400 × 300 pixels.
@Suite("Framing of results")
struct FramingTests {
  private func layout(
    _ options: ProcessingOptions,
    _ change: (inout ImageInfo) -> Void = { _ in }
  ) throws -> ResultLayout {
    try #require(try ResultSizeTests.plan(options, change).layout)
  }

  /// A crop of the source, and the pixels that are meant.
  struct Crop: Sendable {
    let width, height: Double
    let kind: Gravity.Kind
    let expected: PixelRectangle
  }

  static let crops = [
    // A share of the width, all of the height; the middle begins at rhe((200 + 1) / 2).
    Crop(width: 0.5, height: 0, kind: .center, expected: box(100, 0, 200, 300)),
    Crop(width: 0, height: 100, kind: .south, expected: box(0, 200, 400, 100)),
    Crop(width: 150.9, height: 1, kind: .east, expected: box(250, 150, 150, 1)),
    Crop(width: 0.0001, height: 0.5, kind: .northWest, expected: box(0, 0, 1, 150)),
    Crop(width: 9e9, height: 1e300, kind: .northEast, expected: box(0, 0, 400, 300)),
  ]

  static func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
    PixelRectangle(x: x, y: y, width: width, height: height)
  }

  @Test(arguments: crops)
  func aCropTakesPixelsOrAShare(_ crop: Crop) throws {
    var options = ProcessingOptions()
    options.framing.crop = Framing.Crop(width: crop.width, height: crop.height)
    options.framing.gravity.kind = crop.kind
    let layout = try layout(options)
    #expect(layout.region == crop.expected)
    #expect(layout.canvas == crop.expected.size)
  }

  @Test func aCropIsOfThePictureAsItIsTurned() throws {
    var options = ProcessingOptions()
    options.framing.crop = Framing.Crop(width: 100, height: 50, gravity: Gravity(kind: .north))
    options.effects.quarterTurns = 1
    // Turned clockwise, the left edge is above: 50 columns of it, and 100 rows in the middle.
    #expect(try layout(options).region == Self.box(0, 100, 50, 100))
    options.effects.quarterTurns = 3
    #expect(try layout(options).region == Self.box(350, 100, 50, 100))
    // A flip comes later.
    options.effects.flip = Effects.Flip(horizontally: true, vertically: true)
    #expect(try layout(options).region == Self.box(350, 100, 50, 100))
  }

  @Test func aCropIsOfTheStoredPictureWhereItStaysSo() throws {
    var options = ProcessingOptions()
    options.framing.crop = Framing.Crop(width: 40, height: 30, gravity: Gravity(kind: .northWest))
    // Upright it is 300 × 400, and stored top left is there top right.
    #expect(try layout(options) { $0.orientation = .right }.region == Self.box(0, 0, 40, 30))
    options.effects.turnsUpright = false
    #expect(try layout(options) { $0.orientation = .right }.region == Self.box(270, 0, 30, 40))
  }

  @Test func theMiddleOfAnOddRestIsThatOfTheStoredPicture() throws {
    var options = ProcessingOptions()
    options.framing.crop = Framing.Crop(width: 399, height: 0)
    // One column is left over: (1 + 1) / 2 is the first that is kept.
    #expect(try layout(options).region.x == 1)
    #expect(try layout(options) { $0.orientation = .upMirrored }.region.x == 0)
  }

  @Test func aFillDecodesTheScaledPictureAndCutsIt() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(kind: .fill, width: 200, height: 200)
    options.framing.gravity.kind = .east
    let layout = try layout(options)
    #expect(layout.region == Self.box(0, 0, 400, 300))
    #expect(layout.decoded == PixelSize(width: 267, height: 200))
    #expect(layout.cut == .box(Self.box(67, 0, 200, 200)))
  }

  @Test func aFlippedFillCutsFromTheOtherEdge() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(kind: .fill, width: 200, height: 200)
    options.framing.gravity.kind = .east
    options.effects.flip.horizontally = true
    #expect(try layout(options).cut == .box(Self.box(0, 0, 200, 200)))
  }

  @Test func ofASmallPartOfALargePictureNoMoreIsDecoded() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(kind: .fill, width: 10, height: 300)
    options.framing.gravity.kind = .east
    let layout = try layout(options)
    #expect(layout.region == Self.box(390, 0, 10, 300))
    #expect(layout.decoded == PixelSize(width: 10, height: 300))
    #expect(layout.cut == .nothing)
  }

  @Test func aPictureThatWouldBeTooLongIsDecodedWhereItIsKept() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(kind: .fill, width: 1000, height: 1000, enlarges: true)
    // 250 times as large it would have 100,000 columns.
    let plan = try ResultSizeTests.plan(options, height: 4)
    let layout = try #require(plan.layout)
    #expect(layout.canvas == PixelSize(width: 1000, height: 1000))
    #expect(layout.region == Self.box(198, 0, 4, 4))
    #expect(layout.decoded == PixelSize(width: 1000, height: 1000))
  }

  @Test func anExtensionPutsTheResultOnACanvas() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: 501, height: 500)
    options.framing.extends.isOn = true
    // (101 + 1) / 2 = 51, and (200 + 1) / 2 to the even 100.
    let layout = try layout(options)
    #expect(layout.canvas == PixelSize(width: 501, height: 500))
    #expect(layout.x == 51 && layout.y == 100)
  }

  @Test func anExtensionHasAGravityOfItsOwn() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: 500, height: 500, dpr: 2)
    options.framing.extends = Framing.Extension(
      isOn: true,
      gravity: Gravity(kind: .southEast, x: 10, y: 0.1)
    )
    // With an extension the density stays, but for what would enlarge: 1.
    let layout = try layout(options)
    #expect(layout.dpr == 1)
    #expect(layout.x == 500 - 400 - 10 && layout.y == 500 - 300 - 50)
  }

  @Test func anExtendedPictureOfLessDensityStaysSmaller() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: 800, dpr: 0.5)
    options.framing.extends.isOn = true
    let layout = try layout(options)
    #expect(layout.decoded == PixelSize(width: 200, height: 150))
    #expect(layout.canvas == PixelSize(width: 400, height: 150))
  }

  @Test func anAspectIsExtendedWithoutTheSize() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: 1000, height: 1000)
    options.framing.extendsAspect = Framing.Extension(isOn: true, gravity: Gravity(kind: .north))
    let layout = try layout(options)
    #expect(layout.canvas == PixelSize(width: 400, height: 400))
    #expect(layout.x == 0 && layout.y == 0)
  }

  @Test func anAspectNeedsBothSides() throws {
    var options = ProcessingOptions()
    options.resizing.width = 100
    options.framing.extendsAspect.isOn = true
    #expect(try layout(options).canvas == PixelSize(width: 100, height: 75))
  }

  @Test func paddingsGrowWithTheDensity() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: 100, dpr: 2.5)
    options.framing.padding = Framing.Padding(top: 1, right: 2, bottom: 3, left: 4)
    // 250 × 188 (187.5); rhe(2.5) = 2 above, 5 at the right, rhe(7.5) = 8 below, 10 at the left.
    let layout = try layout(options)
    #expect(layout.canvas == PixelSize(width: 265, height: 198))
    #expect(layout.x == 10 && layout.y == 2)
  }

  @Test func formatsHaveLongestSides() {
    let size = PixelSize(width: 16_384, height: 8192)
    #expect(ImageFormat.webp.limited(size) == PixelSize(width: 16_383, height: 8192))
    #expect(ImageFormat.ico.limited(size) == PixelSize(width: 256, height: 128))
    #expect(ImageFormat.png.limited(size) == size)
  }
}
