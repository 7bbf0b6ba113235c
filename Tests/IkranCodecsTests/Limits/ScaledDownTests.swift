import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Pictures over the limit that are decoded with fewer pixels.
@Suite(.timeLimit(.minutes(10))) struct ScaledDownTests {
  private static let size = PixelSize(width: 320, height: 240)

  private static func rules(_ pixels: Int) -> DecodeRules {
    var rules = DecodeRules(scalesDownOverLimit: true)
    rules.limits.maximumPixels = pixels
    return rules
  }

  private static func jpeg(_ isProgressive: Bool) -> [UInt8] {
    JPEGSample(
      width: size.width,
      height: size.height,
      sampling: .quarter,
      isProgressive: isProgressive
    )
    .bytes()
  }

  private static func png(_ isInterlaced: Bool) -> [UInt8] {
    PNGSample(size: size, isInterlaced: isInterlaced) { x, y in
      [UInt16(x * 200), UInt16(y * 250), UInt16((x ^ y) * 100)]
    }
    .bytes
  }

  private static func files() throws -> [(name: String, bytes: [UInt8])] {
    let levels = (0..<size.width * size.height).map { UInt8($0 / 320 & 255) }
    return [
      ("baseline JPEG", jpeg(false)), ("progressive JPEG", jpeg(true)), ("PNG", png(false)),
      ("interlaced PNG", png(true)),
      ("WebP", try CodecList.standard.decode(png(false).span).bitmap.encoded(as: .webp())),
      ("GIF", GIFSample(width: size.width, height: size.height, indices: levels).bytes),
    ]
  }

  @Test(arguments: [40_000, 20_001, 30_720])
  func aPictureOverTheLimitIsScaledDownToIt(_ pixels: Int) throws {
    let small = try outcome(of: Self.jpeg(false), .cover(PixelSize(width: 80, height: 60))).get()
    for file in try Self.files() {
      let picture = try outcome(of: file.bytes, by: Self.rules(pixels)).get()
      #expect(picture.notes == [.scaledDown(from: Self.size)], "\(file.name)")
      let (width, height) = (picture.bitmap.width, picture.bitmap.height)
      #expect(width * height <= pixels, "\(file.name)")
      // An interlaced file and a progressive one are reduced by a whole factor.
      #expect(width * height > pixels / 17, "\(file.name): \(picture.bitmap.size)")
      #expect(abs(width * 3 - height * 4) <= 6, "\(file.name): \(picture.bitmap.size)")
    }
    #expect(small.size.width == 80)
  }

  @Test func rowsThatStreamFillTheLimit() throws {
    for file in try Self.files() where ["baseline JPEG", "PNG", "WebP", "GIF"].contains(file.name) {
      let picture = try outcome(of: file.bytes, by: Self.rules(30_000)).get()
      #expect(picture.bitmap.size == PixelSize(width: 200, height: 150), "\(file.name)")
    }
  }

  @Test func aBoxOverTheLimitIsScaledDown() throws {
    let box = Fitting.inside(PixelSize(width: 300, height: 300))
    for file in try Self.files() where ["baseline JPEG", "PNG"].contains(file.name) {
      let picture = try outcome(of: file.bytes, box, by: Self.rules(30_000)).get()
      #expect(picture.notes == [.scaledDown(from: PixelSize(width: 300, height: 225))])
      #expect(picture.bitmap.size == PixelSize(width: 200, height: 150), "\(file.name)")
    }
  }

  @Test func whatIsNotOverTheLimitStaysAsItIs() throws {
    for file in try Self.files() {
      let picture = try outcome(of: file.bytes, by: Self.rules(320 * 240)).get()
      #expect(picture.notes.isEmpty && picture.bitmap.size == Self.size, "\(file.name)")
    }
  }

  @Test func anExactSizeOverTheLimitIsRefused() throws {
    let error = DecodeError.overLimit(.pixels, value: 40_000, limit: 30_000)
    let size = PixelSize(width: 200, height: 200)
    let region = PixelRectangle(x: 0, y: 0, width: 200, height: 200)
    for fitting in [Fitting.cover(size), .region(region, size)] {
      let result = outcome(of: Self.png(false), fitting, by: Self.rules(30_000))
      #expect(throws: error) { try result.get() }
    }
  }

  @Test func aTurnedPictureIsScaledDownUpright() throws {
    let bytes = try Fixtures.bytes("areas-orientation-6.jpg")
    let whole = try outcome(of: bytes).get().size
    let picture = try outcome(of: bytes, by: Self.rules(384)).get()
    #expect(picture.notes == [.scaledDown(from: whole)])
    #expect(
      (picture.bitmap.height > picture.bitmap.width) == (whole.height > whole.width)
    )
    #expect(picture.bitmap.width * picture.bitmap.height <= 384)
  }

  @Test func whatAHeaderMayDeclareStaysLimited() throws {
    var rules = Self.rules(30_000)
    rules.limits.maximumDeclaredPixels = 76_799
    let error = DecodeError.overLimit(.declaredPixels, value: 76_800, limit: 76_799)
    for file in try Self.files() {
      #expect(throws: error, "\(file.name)") { try outcome(of: file.bytes, by: rules).get() }
    }
  }
}
