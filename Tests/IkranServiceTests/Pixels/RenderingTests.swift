import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// Which pixels of the source results have, and where.
@Suite("Rendering of results")
struct RenderingTests {
  struct Part: Sendable {
    let kind: Gravity.Kind
    let color: Color
  }

  static let parts = [
    Part(kind: .northWest, color: Samples.red), Part(kind: .northEast, color: Samples.green),
    Part(kind: .southWest, color: Samples.blue), Part(kind: .southEast, color: .white),
  ]

  @Test(arguments: parts)
  func aFillKeepsThePartOfItsGravity(_ part: Part) throws {
    var options = ProcessingOptions()
    options.framing.crop = Framing.Crop(width: 0, height: 0.5)
    options.resizing = Resizing(kind: .fill, width: 10, height: 10)
    options.framing.gravity.kind = part.kind
    let result = try Samples.result(of: Samples.quarters(), options)
    #expect(result.size == PixelSize(width: 10, height: 10))
    #expect(Samples.corners(result) == [part.color, part.color, part.color, part.color])
  }

  @Test func aQuarterTurnIsClockwiseAndComesBeforeAFlip() throws {
    var options = ProcessingOptions()
    options.effects.quarterTurns = 1
    let turned = try Samples.result(of: Samples.quarters(), options)
    #expect(turned.size == PixelSize(width: 20, height: 40))
    #expect(Samples.corners(turned) == [Samples.blue, Samples.red, .white, Samples.green])
    options.effects.flip.vertically = true
    let flipped = try Samples.result(of: Samples.quarters(), options)
    #expect(Samples.corners(flipped) == [.white, Samples.green, Samples.blue, Samples.red])
  }

  @Test(arguments: Orientation.allCases)
  func aPictureIsAsItIsStoredWhereItStaysSo(_ orientation: Orientation) throws {
    var options = ProcessingOptions()
    options.effects.turnsUpright = false
    let upright = try Samples.quarters().oriented(orientation)
    let result = try Samples.result(of: upright, options, orientation: orientation)
    #expect(result.hasSamePixels(as: try Samples.quarters()))
  }

  @Test func aCanvasIsClearOrHasTheColourBelow() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: 40, height: 40)
    options.framing.extends.isOn = true
    options.framing.padding.top = 2
    let clear = try Samples.result(of: Samples.quarters(), options)
    #expect(clear.size == PixelSize(width: 40, height: 42))
    #expect(clear.color(x: 0, y: 11) == Samples.clear)
    #expect(clear.color(x: 0, y: 12) == Samples.red)
    let white = try Samples.result(of: Samples.quarters(), options, as: .jpeg)
    #expect(white.color(x: 0, y: 11) == .white)
    options.effects.background = Samples.green
    let green = try Samples.result(of: Samples.quarters(), options)
    #expect(green.color(x: 0, y: 11) == Samples.green && !green.format.hasAlpha)
  }

  @Test func transparentPixelsAreFlattenedWhereTheFormatHasNone() throws {
    let half = Color(red: 0, green: 0, blue: 0, alpha: 128)
    let picture = try Samples.picture(4, 4, half)
    let options = ProcessingOptions()
    #expect(try Samples.result(of: picture, options).color(x: 0, y: 0) == half)
    let gray = try Samples.result(of: picture, options, as: .jpeg).color(x: 0, y: 0)
    #expect(gray == Color(red: 127, green: 127, blue: 127))
  }

  @Test func aPictureThatCameInAnotherSizeBecomesThatOfThePlan() throws {
    var options = ProcessingOptions()
    options.resizing.width = 20
    let info = ImageInfo(format: .png, size: PixelSize(width: 40, height: 20))
    let plan = try ResultPlan(info, options, as: .png)
    #expect(try plan.render(Samples.quarters()).size == PixelSize(width: 20, height: 10))
  }

  @Test func aProfileStaysWithThePixels() throws {
    var options = ProcessingOptions()
    options.framing.padding.left = 1
    options.effects.pixelate = 2
    options.effects.sharpen = 1
    var picture = try Samples.quarters()
    picture.profile = ColorProfile([1, 2, 3])
    #expect(try Samples.result(of: picture, options).profile?.bytes == [1, 2, 3])
  }

  @Test func blocksHaveTheMeansOfTheirPixels() throws {
    let columns = (0..<5).map {
      (Samples.box($0, 0, 1, 2), Color(red: UInt8($0 * 10), green: 0, blue: 9))
    }
    var options = ProcessingOptions()
    options.effects.pixelate = 2
    let result = try Samples.result(of: Samples.picture(5, 2, .black, columns), options)
    let reds = (0..<5).map { result.color(x: $0, y: 1)?.red }
    #expect(reds == [5, 5, 25, 25, 40])
    options.effects.pixelate = Int(Int32.max)
    let one = try Samples.result(of: Samples.picture(5, 2, .black, columns), options)
    #expect(one.color(x: 0, y: 0) == Color(red: 20, green: 0, blue: 9))
  }

  @Test func sharpeningLeavesFlatPartsAndWidensSteps() throws {
    let gray = Color(red: 100, green: 100, blue: 100)
    let light = Color(red: 150, green: 150, blue: 150)
    let picture = try Samples.picture(20, 3, gray, [(Samples.box(10, 0, 10, 3), light)])
    var options = ProcessingOptions()
    options.effects.sharpen = 1
    let result = try Samples.result(of: picture, options)
    #expect(result.color(x: 0, y: 1) == gray && result.color(x: 19, y: 1) == light)
    let (dark, bright) = (result.color(x: 9, y: 1)?.red ?? 0, result.color(x: 10, y: 1)?.red ?? 0)
    // A pixel gets no more than 10 of 100 lighter, 25.5, and 20 darker, 51.
    #expect(bright > 150 && bright <= 176 && dark < 100 && dark >= 49)
  }

  @Test func aBlurMixesWhatIsNear() throws {
    var options = ProcessingOptions()
    options.effects.blur = 3
    let result = try Samples.result(of: Samples.quarters(), options)
    #expect(result.color(x: 0, y: 0)?.red ?? 0 > 240)
    #expect((100...155).contains(result.color(x: 19, y: 0)?.red ?? 0))
    options.effects.blur = 1e9
    #expect(throws: Never.self) { try Samples.result(of: Samples.quarters(), options) }
  }
}
