#if HEIC
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Pictures of one file, of which one stands for it.
@Suite(.timeLimit(.minutes(5))) struct CollectionTests {
  /// Red, green, which stands for the file, and blue; a hidden one, and a gain map of a JPEG file.
  private let file: [UInt8]
  private let sizes = [
    PixelSize(width: 128, height: 64), PixelSize(width: 64, height: 64),
    PixelSize(width: 64, height: 128),
  ]
  private let colors = [Pixel(40, 180, 60), Pixel(200, 40, 40), Pixel(50, 70, 210)]

  init() throws { file = try Fixtures.bytes("collection.heic") }

  private func page(_ number: Int, of bytes: [UInt8]) throws(DecodeError) -> Bitmap {
    try CodecList.standard.decode(bytes.span, rules: DecodeRules(page: number)).bitmap
  }

  @Test func thePictureThatStandsForTheFileComesFirst() throws {
    let infos = try (0..<3).map { try CodecList.standard.probe(file.span, page: $0) }
    #expect(infos.map(\.size) == sizes)
    #expect(infos.allSatisfy { $0.frames == 3 && !$0.isAnimated })
    #expect(try CodecList.standard.probe(file.span).size == sizes[0])
  }

  @Test(arguments: 0..<3)
  func aPageHasItsOwnPixels(number: Int) throws {
    let bitmap = try page(number, of: file)
    #expect(bitmap.size == sizes[number])
    for pixel in bitmap.pixels.joined() { #expect(pixel.distance(to: colors[number]) <= 3) }
  }

  @Test(arguments: [-1, 3, Int.max])
  func aPageThatIsNotThereIsNamed(number: Int) {
    #expect(throws: DecodeError.noPage(.heic, number, count: 3)) { try page(number, of: file) }
  }

  @Test func picturesOfACollectionAreNoFrames() throws {
    #expect(try CodecList.standard.frames(of: file) == nil)
    #expect(try CodecList.standard.frames(of: file, rules: .init(page: 2)) == nil)
    var limits = DecodeLimits()
    limits.maximumFrames = 1
    #expect(failure(of: file, limits: limits) == nil)
  }

  @Test func rectanglesAreThoseOfThePage() throws {
    var decoder = try RegionDecoder(file.span, rules: DecodeRules(page: 2))
    #expect(decoder.info.size == sizes[2])
    let area = PixelRectangle(x: 8, y: 40, width: 8, height: 8)
    let part = try decoder.decode(area, of: file.span)
    #expect(part.pixels.joined().allSatisfy { $0.distance(to: colors[2]) <= 3 })
  }

  /// libheif decodes alpha with its picture, and no gain map.
  @Test func aJPEGFileAsAlphaIsRefusedAndAsAGainMapIsNot() throws {
    #expect(failure(of: file) == nil)
    let gain = Array("urn:com:apple:photo:2020:aux:hdrgainmap".utf8)
    let alpha = Array("urn:mpeg:hevc:2015:auxid:1".utf8)
    let places = file.indices.filter { file[$0...].starts(with: gain) }
    let place = try #require(places.first)
    var bytes = file
    let rest = [UInt8](repeating: 0, count: gain.count - alpha.count)
    bytes.replaceSubrange(place..<place + gain.count, with: alpha + rest)
    #expect(failure(of: bytes) == .unsupported(.heic, feature: "parts of kind jpeg"))
    #expect(throws: Never.self) { try page(1, of: bytes) }
  }

  @Test(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"))
  func everyPictureOfACollectionIsAnotherOne() throws {
    let bytes = try Corpus.bytes("heic/multi-image-3.heic")
    let pictures = try (0..<3).map { try page($0, of: bytes).pixels }
    #expect(Set(pictures).count == 3)
    #expect(try outcome(of: bytes).get().pixels == pictures[0])
  }
}
#endif
