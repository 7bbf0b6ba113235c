#if HEIC
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Small copies in files, which a pipeline shows or not.
@Suite(.timeLimit(.minutes(10)))
struct ThumbnailOptionTests {
  private static let style = Style.rectangle(width: 32, height: 32)

  private let folder: TemporaryDirectory
  private let file: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    file = try Self.file()
  }

  /// A picture of 128 by 128, four areas of red, green, blue and gray, whose red quarter is said to
  /// be the small copy of it: what is shown tells where it comes from.
  private static func file() throws -> [UInt8] {
    var bytes = try Fixtures.bytes("grid.heic")
    // The whole is no longer cut off.
    try replace([0, 0, 0, 120, 0, 0, 0, 100], by: [0, 0, 0, 128, 0, 0, 0, 128], in: &bytes)
    try replace([1, 1, 0, 120, 0, 100], by: [1, 1, 0, 128, 0, 128], in: &bytes)
    // Of item 1, for item 5.
    let reference = PNGSample.word(14) + Array("thmb".utf8) + [0, 1, 0, 1, 0, 5]
    func place(_ kind: String) throws -> Int {
      try #require(bytes.firstRange(of: Array(kind.utf8))).lowerBound - 4
    }
    let (references, places) = (try place("iref"), try place("iloc"))
    let end = references + number(at: references, in: bytes)
    // The lengths of the boxes around it, and where the coded pictures are.
    let numbers = [references, try place("meta")] + (0..<4).map { places + 24 + 16 * $0 }
    for place in numbers {
      let value = number(at: place, in: bytes) + reference.count
      bytes.replaceSubrange(place..<place + 4, with: PNGSample.word(value))
    }
    bytes.insert(contentsOf: reference, at: end)
    return bytes
  }

  private static func replace(_ old: [UInt8], by new: [UInt8], in bytes: inout [UInt8]) throws {
    bytes.replaceSubrange(try #require(bytes.firstRange(of: old)), with: new)
  }

  /// A number of four bytes.
  private static func number(at place: Int, in bytes: [UInt8]) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func pipeline(
    _ usesThumbnails: Bool,
    _ transport: any Transport,
    contents: DiskOptions.Contents = .originals
  ) -> ImagePipeline {
    var options = PipelineOptions(
      memory: .steady,
      disk: DiskOptions(directory: folder.path, contents: contents),
      tables: TableOptions()
    )
    options.decoding.usesThumbnails = usesThumbnails
    return ImagePipeline(options: options, transport: transport)
  }

  private func request(_ style: Style = Self.style) -> ImageRequest {
    ImageRequest(location: "http://a.test/a.heic", style: style)
  }

  private func load(_ pipeline: ImagePipeline, _ style: Style = Self.style) async throws
    -> ImageResponse
  {
    let response = try await pipeline.response(for: request(style))
    await pipeline.finishWriting()
    return response
  }

  /// Whether a picture is that of the small copy: of one colour.
  private func isOfSmallCopy(_ picture: Bitmap) throws -> Bool {
    let pixels = try picture.straightRGBA()
    return stride(from: 0, to: pixels.count, by: 4).allSatisfy { start in
      zip([200, 40, 40], pixels[start...]).allSatisfy { abs($0 - Int($1)) <= 4 }
    }
  }

  @Test(arguments: [true, false])
  func aSmallStyleIsThatOfTheSmallCopyWhereTheOptionSaysSo(_ usesThumbnails: Bool) async throws {
    let pipeline = pipeline(usesThumbnails, FakeTransport(body: file))
    let response = try await load(pipeline)
    #expect(response.image.size == PixelSize(width: 32, height: 32))
    #expect(try isOfSmallCopy(response.image) == usesThumbnails)
    // It is of the picture in any case.
    #expect(response.sourceSize == PixelSize(width: 128, height: 128))
    #expect(response.isThumbnail == true)
    var rules = DecodeRules()
    rules.usesThumbnails = usesThumbnails
    let fitting = try Self.style.fitting(scale: 1)
    let wanted = try CodecList.standard.decode(file.span, fitting: fitting, rules: rules).bitmap
    #expect(try response.image.straightRGBA() == wanted.straightRGBA())
  }

  @Test(arguments: [true, false])
  func aStyleThatNeedsMorePixelsIsOfThePicture(_ usesThumbnails: Bool) async throws {
    let pipeline = pipeline(usesThumbnails, FakeTransport(body: file))
    for style in [Style.rectangle(width: 65, height: 65), .original] {
      #expect(try await !isOfSmallCopy(load(pipeline, style).image), "\(style)")
    }
  }

  @Test func theOptionsUsualValueIsToShowThem() {
    #expect(DecodingOptions().usesThumbnails)
  }

  @Test func pipelinesThatTreatThemDifferentlyShareAFolder() async throws {
    let origin = FakeTransport(body: file)
    var sources: [ImageSource] = []
    for usesThumbnails in [true, false, true, false] {
      let response = try await load(pipeline(usesThumbnails, origin, contents: .both))
      #expect(try isOfSmallCopy(response.image) == usesThumbnails, "from \(response.source)")
      sources.append(response.source)
    }
    // The file is that of both, the image in the table is not.
    #expect(sources == [.network, .disk, .table, .table])
    #expect(origin.urls.count == 1)
  }

  @Test func imagesOfBothHaveKeysOfTheirOwn() async throws {
    let (first, second) = (
      pipeline(true, FakeTransport(body: file)), pipeline(false, FakeTransport(body: file))
    )
    #expect(first.styledKey(request()) != second.styledKey(request()))
    #expect(first.styledKey(request()).id != second.styledKey(request()).id)
    #expect(try await load(first).key != load(second).key)
  }
}
#endif
