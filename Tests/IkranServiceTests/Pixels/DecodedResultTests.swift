import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// Results of files: what the plan asks a decoder for is what it needs.
@Suite("Results of files")
struct DecodedResultTests {
  /// The quarters in a JPEG file that says how it has to be turned, 160 × 80 pixels as stored.
  private func file(_ orientation: Orientation) throws -> [UInt8] {
    let large = try Samples.quarters().resized(to: PixelSize(width: 160, height: 80))
    // One entry: the orientation, a short.
    let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation.rawValue, 0, 0, 0]
    let exif = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0]
    return ImageMetadata(exif: exif).embedded(in: try large.encoded(as: .jpeg(quality: 100)))
  }

  private func result(_ file: [UInt8], _ options: ProcessingOptions) throws -> Bitmap {
    let info = try CodecList.standard.probe(file.span)
    let plan = try ResultPlan(info, options, as: .png)
    #expect(try plan.style.fitting(scale: 1) == plan.fitting)
    let picture = try CodecList.standard.decode(file.span, fitting: plan.fitting)
    if let layout = plan.layout { #expect(picture.bitmap.size == layout.decoded) }
    return try plan.render(picture.bitmap)
  }

  /// Names of colours that a JPEG file has changed a little.
  private func corners(_ picture: Bitmap) -> String {
    Samples.corners(picture).map { color in
      guard let color else { return "?" }
      switch (color.red > 128, color.green > 128, color.blue > 128) {
      case (true, true, true): return "w"
      case (true, false, false): return "r"
      case (false, true, false): return "g"
      case (false, false, true): return "b"
      default: return "?"
      }
    }.joined()
  }

  @Test func anOrientedFileIsResizedUpright() throws {
    var options = ProcessingOptions()
    options.resizing.width = 20
    // Turned clockwise: blue is above left.
    let upright = try result(file(.right), options)
    #expect(upright.size == PixelSize(width: 20, height: 40))
    #expect(corners(upright) == "brwg")
    options.effects.turnsUpright = false
    let stored = try result(file(.right), options)
    #expect(stored.size == PixelSize(width: 20, height: 10))
    #expect(corners(stored) == "rgbw")
  }

  @Test(arguments: Orientation.allCases)
  func aCropOfTheStoredPictureIsTheSameInEveryOrientation(_ orientation: Orientation) throws {
    var options = ProcessingOptions()
    options.effects.turnsUpright = false
    options.framing.crop = Framing.Crop(width: 60, height: 30, gravity: Gravity(kind: .northEast))
    options.resizing.width = 30
    let green = try result(file(orientation), options)
    #expect(green.size == PixelSize(width: 30, height: 15))
    #expect(corners(green) == "gggg")
  }

  @Test func aSmallFillOfAFileIsCutFromItsEdge() throws {
    var options = ProcessingOptions()
    options.resizing = Resizing(kind: .fill, width: 10, height: 80)
    options.framing.gravity.kind = .east
    let right = try result(file(.up), options)
    #expect(right.size == PixelSize(width: 10, height: 80))
    #expect(corners(right) == "ggww")
  }
}
