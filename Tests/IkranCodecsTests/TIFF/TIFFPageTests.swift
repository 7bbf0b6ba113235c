#if TIFF
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Pages: pictures of one file that do not follow each other in time.
@Suite struct TIFFPageTests {
  /// The four areas, their right half, and the whole in gray on its side.
  private let file: [UInt8]

  init() throws { file = try Fixtures.bytes("pages.tif") }

  private func page(_ number: Int) throws(DecodeError) -> Bitmap {
    try CodecList.standard.decode(file.span, rules: DecodeRules(page: number)).bitmap
  }

  @Test func eachPageHasASizeOfItsOwn() throws {
    let sizes = try (0..<3).map { try CodecList.standard.probe(file.span, page: $0).size }
    #expect(
      sizes == [
        PixelSize(width: 48, height: 32), PixelSize(width: 24, height: 32),
        PixelSize(width: 32, height: 48),
      ]
    )
    #expect(try sizes == (0..<3).map { try page($0).size })
  }

  @Test func aPageHasItsOwnPixels() throws {
    let half = Fitting.region(
      PixelRectangle(x: 24, y: 0, width: 24, height: 32),
      PixelSize(width: 24, height: 32),
      isolated: true
    )
    let right = try CodecList.standard.decode(file.span, fitting: half).bitmap
    #expect(try page(1).hasSamePixels(as: right))
    let gray = try page(2)
    #expect(gray.pixels.joined().allSatisfy { $0.red == $0.green && $0.green == $0.blue })
  }

  @Test(arguments: [-1, 3, Int.max])
  func aPageThatIsNotThereIsNamed(number: Int) throws {
    let error = #expect(throws: DecodeError.self) { try page(number) }
    #expect(error == .noPage(.tiff, number, count: 3))
    let text = "the TIFF file has 3 pages: none has the number \(number), counted from 0"
    #expect(error?.description == text)
    let bytes = file
    #expect(throws: DecodeError.noPage(.tiff, number, count: 3)) {
      try CodecList.standard.probe(bytes.span, page: number)
    }
  }

  @Test func anotherFormatHasOnePage() throws {
    let bytes = try Fixtures.bytes("rgb-8b-trns.png")
    let error = DecodeError.noPage(.png, 1, count: 1)
    #expect(throws: error) { try CodecList.standard.decode(bytes.span, rules: .init(page: 1)) }
    #expect(throws: error) { try CodecList.standard.probe(bytes.span, page: 1) }
    #expect(throws: error) { try RegionDecoder(bytes.span, rules: .init(page: 1)) }
    #expect(throws: error) {
      try CodecList.standard.straightRGBA(
        bytes.span,
        fitting: .original,
        rules: .init(page: 1),
        workspace: Workspace()
      )
    }
    #expect(throws: TranscodeError.decode(error)) {
      try CodecList.standard.transcode(bytes.span, as: .png, rules: .init(page: 1))
    }
  }

  @Test func pagesAreNoFramesOfTheLimit() throws {
    var limits = DecodeLimits()
    limits.maximumFrames = 1
    let bytes = file
    for page in 0..<3 {
      let rules = DecodeRules(limits: limits, page: page)
      #expect(try CodecList.standard.decode(bytes.span, rules: rules).bitmap.width > 0)
    }
  }

  @Test func framesAreThoseOfTheFirstPage() throws {
    let pages = try CodecList.standard.frames(of: file, rules: .init(page: 2))
    #expect(pages == nil)
    #expect(throws: DecodeError.noPage(.tiff, 3, count: 3)) {
      try CodecList.standard.frames(of: file, rules: .init(page: 3))
    }
    let animation = try Fixtures.bytes("animation-3-frames.gif")
    #expect(throws: DecodeError.noPage(.gif, 1, count: 1)) {
      try CodecList.standard.frames(of: animation, rules: .init(page: 1))
    }
  }

  @Test func rectanglesAreThoseOfThePage() throws {
    var decoder = try RegionDecoder(file.span, rules: DecodeRules(page: 2))
    #expect(decoder.info.size == PixelSize(width: 32, height: 48))
    let area = PixelRectangle(x: 0, y: 40, width: 8, height: 8)
    let part = try decoder.decode(area, of: file.span)
    #expect(part.pixels.first?.first == (try page(2)).pixels[40][0])
  }

  @Test(arguments: [0, 2])
  func aDamagedPageSpoilsNoOther(damaged: Int) throws {
    let whole = file
    var bytes = file
    let place = try #require(directories(bytes))[damaged]
    let entries = Int(bytes[place]) | Int(bytes[place + 1]) << 8
    // Where its strips are is not said any more.
    for entry in 0..<entries where bytes[place + 2 + entry * 12] == 17 {
      if bytes[place + 3 + entry * 12] == 1 { bytes[place + 3 + entry * 12] = 0xFE }
    }
    #expect(throws: DecodeError.self) {
      try CodecList.standard.decode(bytes.span, rules: DecodeRules(page: damaged))
    }
    for page in 0..<3 where page != damaged {
      let rules = DecodeRules(page: page)
      let wanted = try CodecList.standard.decode(whole.span, rules: rules).bitmap
      #expect(
        try CodecList.standard.decode(bytes.span, rules: rules).bitmap.hasSamePixels(as: wanted)
      )
    }
  }

  @Test func directoriesInACircleAreCountedOnce() throws {
    var bytes = file
    // The last directory's end leads to the first one again.
    let places = try #require(directories(bytes))
    let first = places[0]
    let last = places[2]
    let entries = Int(bytes[last]) | Int(bytes[last + 1]) << 8
    let link = last + 2 + entries * 12
    for index in 0..<4 { bytes[link + index] = UInt8(first >> (index * 8) & 255) }
    #expect(try CodecList.standard.probe(bytes.span).frames == 3)
    #expect(throws: DecodeError.noPage(.tiff, 3, count: 3)) {
      try CodecList.standard.decode(bytes.span, rules: DecodeRules(page: 3))
    }
  }

  private func directories(_ bytes: [UInt8]) -> [Int]? {
    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
    }
    var (places, place) = ([Int](), number(4, 4))
    while place > 0 {
      places.append(place)
      place = number(place + 2 + number(place, 2) * 12, 4)
    }
    return places.count == 3 ? places : nil
  }
}
#endif
