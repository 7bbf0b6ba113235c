import IkranPixels
import IkranStores
import Support
import Testing

@testable import Ikran

/// What one request says of how its file is decoded.
@Suite(.timeLimit(.minutes(10))) struct RequestDecodingTests {
  private static let url = "http://example.test/a"
  private let plain = ImageRequest(location: url, style: .circle(16))

  private func request(_ change: (inout RequestDecoding) -> Void) -> ImageRequest {
    var request = plain
    change(&request.decoding)
    return request
  }

  private static func limits(_ pixels: Int) -> DecodeLimits {
    var limits = DecodeLimits()
    limits.maximumPixels = pixels
    return limits
  }

  private func load(
    _ name: String,
    _ options: PipelineOptions = .steady
  ) throws -> (ImagePipeline, FakeTransport) {
    let transport = FakeTransport(body: try Fixtures.bytes(name))
    return (ImagePipeline(options: options, transport: transport), transport)
  }

  @Test func thePipelinesOptionsNeedNoReference() {
    #expect(request { _ in }.ownDecoding == nil)
    #expect(request { $0.animates = false }.decoding.animates == false)
  }

  @Test func theFirstPictureAloneIsForItsRequestAlone() async throws {
    let (pipeline, transport) = try load("animation-3-frames.gif")
    let still = try await pipeline.response(for: request { $0.animates = false })
    #expect(still.animation == nil)
    #expect(still.frames == 3)
    let moving = try await pipeline.response(for: plain)
    #expect(moving.animation?.frameCount == 3)
    #expect(still.key != moving.key)
    #expect(transport.requests.count == 1)
    let again = try await pipeline.response(for: request { $0.animates = false })
    #expect(again.source == .memory)
    #expect(again.animation == nil)
  }

  @Test func aTableKeepsTheFirstPictureForItsRequests() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(
      disk: DiskOptions(directory: folder.path),
      tables: TableOptions()
    )
    let (first, _) = try load("animation-3-frames.gif", options)
    var still = request { $0.animates = false }
    _ = try await first.response(for: still)
    await first.finishWriting()
    still.caching.policy = .onlyCached
    let second = ImagePipeline(options: options, transport: FakeTransport(body: []))
    #expect(try await second.response(for: still).source == .table)
    var moving = plain
    moving.caching.policy = .onlyCached
    #expect(try await second.response(for: moving).animation?.frameCount == 3)
  }

  @Test func animationsThatAreNotStyledHaveTheStylesSizeAlone() async throws {
    let (pipeline, _) = try load("animation-3-frames.gif")
    var request = request { $0.stylesAnimations = false }
    request.filters = [.grayed()]
    let response = try await pipeline.response(for: request)
    let animation = try #require(response.animation)
    #expect(animation.size == PixelSize(width: 16, height: 16))
    let sized = ImageRequest(location: Self.url, style: .fill(width: 16, height: 16))
    let expected = try await pipeline.response(for: sized)
    #expect(response.image.hasSamePixels(as: expected.image))
    let (frame, other) = (
      try await animation.decodedFrame(at: 1),
      try await #require(expected.animation).decodedFrame(at: 1)
    )
    #expect(frame.hasSamePixels(as: other))
  }

  @Test func stillsAreStyledWhateverIsSaidOfAnimations() async throws {
    let (pipeline, _) = try load("areas-444.jpg")
    let response = try await pipeline.response(for: request { $0.stylesAnimations = false })
    #expect(response.image.hasSamePixels(as: try await pipeline.response(for: plain).image))
  }

  @Test func aLimitRefusesItsOwnRequestAlone() async throws {
    let (pipeline, transport) = try load("areas-444.jpg")
    let small = request { $0.limits = Self.limits(10) }
    async let refused = pipeline.response(for: small)
    async let shown = pipeline.response(for: plain)
    #expect(try await shown.image.width == 16)
    do {
      _ = try await refused
      Issue.record("the limit did not hold")
    } catch ImageError.decode(.overLimit, _, _) {}
    var original = plain
    original.style = .original
    #expect(try await pipeline.response(for: original).image.width > 16)
    #expect(transport.requests.count == 1)
  }

  @Test func aFileThatOneRequestRefusesIsKeptForOthers() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(disk: DiskOptions(directory: folder.path))
    let (first, transport) = try load("areas-444.jpg", options)
    let small = request { $0.limits = Self.limits(10) }
    await #expect(throws: ImageError.self) { try await first.response(for: small) }
    await #expect(throws: ImageError.self) { try await first.response(for: small) }
    #expect(try await first.response(for: plain).source != .network)
    #expect(transport.requests.count == 1)
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: FakeTransport(body: []))
    var cached = plain
    cached.caching.policy = .onlyCached
    #expect(try await second.response(for: cached).source == .disk)
  }

  @Test func aPictureOverALimitMayBeScaledDownForOneRequest() async throws {
    let (pipeline, _) = try load("areas-444.jpg")
    var small = request {
      $0.limits = Self.limits(100)
      $0.scalesDownOverLimit = true
    }
    small.style = .original
    let response = try await pipeline.response(for: small)
    #expect(response.image.width * response.image.height <= 100)
  }

  @Test func coloursAreLeftAsTheyAreForOneRequest() async throws {
    let (pipeline, _) = try load("areas-wide.jpg")
    var raw = request { $0.colors = .keepProfile }
    var converted = plain
    (raw.style, converted.style) = (.original, .original)
    let (first, second) = (
      try await pipeline.response(for: raw), try await pipeline.response(for: converted)
    )
    #expect(first.image.profile != nil)
    #expect(second.image.profile == nil)
  }

  @Test func aStyledFileOfTheDiskKeepsTheColoursOfItsRequest() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(
      disk: DiskOptions(directory: folder.path, contents: .processed)
    )
    let raw = request { $0.colors = .keepProfile }
    let (first, _) = try load("areas-wide.jpg", options)
    let image = try await first.response(for: raw).image
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: FakeTransport(body: []))
    let stored = try await second.response(for: raw)
    #expect(stored.source == .disk)
    #expect(stored.image.profile != nil)
    #expect(stored.image.hasSamePixels(as: image))
  }

  @Test func aStyledFileOfTheDiskIsNotAskedForItsPage() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(
      disk: DiskOptions(directory: folder.path, contents: .processed)
    )
    let bound = request {
      $0.page = 0
      $0.limits = Self.limits(1_000_000)
    }
    let (first, _) = try load("areas-wide.jpg", options)
    _ = try await first.response(for: bound)
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: FakeTransport(body: []))
    #expect(try await second.response(for: bound).source == .disk)
  }

  @Test func onlyWhatARequestSaysItselfIsItsOwnRefusal() throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: []))
    let tooLarge = ImageError.decode(.overLimit(.pixels, value: 2, limit: 1), url: Self.url)
    let noPage = ImageError.decode(.noPage(.png, 1, count: 1), url: Self.url)
    func refuses(_ error: ImageError, _ change: (inout RequestDecoding) -> Void) -> Bool {
      let key = pipeline.styledKey(request(change))
      return SourceLoad.RenderTarget(key: key, fitting: .original).refuses(error)
    }
    #expect(refuses(tooLarge) { $0.limits = DecodeLimits() })
    #expect(!refuses(tooLarge) { $0.animates = false })
    #expect(!refuses(tooLarge) { _ in })
    #expect(refuses(noPage) { $0.page = 1 })
    #expect(!refuses(noPage) { $0.limits = DecodeLimits() })
  }

  @Test func whatHasNoPagesShowsNoPreviewOfOne() throws {
    let file = try Fixtures.bytes("areas-444.jpg")
    var rules = DecodeRules()
    func preview() throws -> DecodedPicture? {
      let prefix = file.span.extracting(first: file.count - 20)
      return try CodecList.standard.decodePrefix(
        prefix,
        fitting: .original,
        rules: rules,
        workspace: Workspace()
      )
    }
    #expect(try preview() != nil)
    rules.page = 1
    #expect(try preview() == nil)
  }

  @Test func filtersThatAnAnimationDoesNotHaveAreNotSaidOfIt() async throws {
    let (pipeline, _) = try load("animation-3-frames.gif")
    var bare = request { $0.stylesAnimations = false }
    bare.filters = [.grayed()]
    #expect(try await !pipeline.response(for: bare).isFiltered)
    bare.decoding.stylesAnimations = true
    #expect(try await pipeline.response(for: bare).isFiltered)
  }

  @Test func keysDifferByEachOption() {
    let changes: [(inout RequestDecoding) -> Void] = [
      { _ in }, { $0.limits = DecodeLimits() }, { $0.limits = Self.limits(9) },
      { $0.colors = .sRGB }, { $0.scalesDownOverLimit = false }, { $0.page = 0 },
      { $0.page = 1 }, { $0.page = -1 }, { $0.animates = true }, { $0.animates = false },
      { $0.stylesAnimations = false },
    ]
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: []))
    let ids = changes.map { pipeline.styledKey(request($0)).id }
    #expect(Set(ids).count == changes.count)
  }

  #if TIFF
  @Test func onePageOfAFileIsShown() async throws {
    let (pipeline, transport) = try load("pages.tif")
    var (first, second) = (request { _ in }, request { $0.page = 1 })
    (first.style, second.style) = (.original, .original)
    let whole = try await pipeline.response(for: first)
    let half = try await pipeline.response(for: second)
    #expect(try await pipeline.probe(second).size == half.image.size)
    #expect(half.image.width * 2 == whole.image.width)
    #expect(half.sourceSize == half.image.size)
    #expect(transport.requests.count == 1)
    let missing = request { $0.page = 3 }
    await #expect(throws: ImageError.self) { try await pipeline.response(for: missing) }
    #expect(try await pipeline.response(for: first).source == .memory)
  }
  #endif
}
