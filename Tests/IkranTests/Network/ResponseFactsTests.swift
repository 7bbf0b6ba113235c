import IkranStores
import Support
import Testing

@testable import Ikran

/// What a response says of its file and of the origin's answer, and an error of the latter.
@Suite(.timeLimit(.minutes(10)))
struct ResponseFactsTests {
  private let png: [UInt8]
  private let clock = ManualClock()
  private let disk = FakeDisk()
  private static let fields = [
    "Cache-Control": "max-age=60", "ETag": "\"1\"", "Set-Cookie": "id=secret", "X-Cache": "HIT",
  ]

  init() throws { png = try TestImages.png(width: 8, height: 6) }

  private func pipeline(
    _ origin: ScriptedOrigin,
    _ change: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = .none
    change(&options)
    return ImagePipeline(
      options: options,
      transport: origin,
      diskCache: disk,
      clock: clock.pipelineClock
    )
  }

  private func request(_ style: Style = .original) -> ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: style)
  }

  private func failure(_ pipeline: ImagePipeline) async -> ImageError? {
    await #expect(throws: ImageError.self) { try await pipeline.response(for: request()) }
  }

  @Test func aDownloadTellsItsFileAndWhatTheOriginSaid() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(png, Self.fields)]))
    let response = try await pipeline.response(for: request())
    #expect(response.format == .png)
    #expect(response.orientation == .up)
    #expect(response.sourceSize == PixelSize(width: 8, height: 6))
    #expect(response.isThumbnail == false)
    #expect(!response.isFiltered)
    #expect(response.origin?.status == 200)
    #expect(response.origin?.header("x-cache") == "HIT")
    #expect(response.origin?.header("set-cookie") == nil)
    #expect(response.origin?.headers.contains { $0.value.contains("secret") } == false)
  }

  @Test func memoryKeepsWhatIsKnownOfTheFile() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(png, Self.fields)]))
    let made = try await pipeline.response(for: request(.circle(4)))
    let hit = try await pipeline.response(for: request(.circle(4)))
    #expect(hit.source == .memory)
    for response in [made, hit] {
      #expect(response.format == .png)
      #expect(response.sourceSize == PixelSize(width: 8, height: 6))
      #expect(response.isThumbnail == true)
    }
    #expect(made.origin?.status == 200)
    #expect(hit.origin == nil)
  }

  @Test(
    arguments: [
      (Style.rectangle(width: 4, height: 3), true), (.rectangle(width: 16, height: 12), false),
      (.original, false), (.fit(width: 7, height: 7), true),
    ]
  )
  func onlyReducedImagesAreThumbnails(_ style: Style, _ isThumbnail: Bool) async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(png, Self.fields)]))
    #expect(try await pipeline.response(for: request(style)).isThumbnail == isThumbnail)
  }

  @Test func theSourceSizeIsUpright() async throws {
    let jpeg = try Fixtures.bytes("areas-orientation-6.jpg")
    let stored = try CodecList.standard.probe(jpeg.span)
    let pipeline = pipeline(ScriptedOrigin([.ok(jpeg, Self.fields)]))
    let response = try await pipeline.response(for: request())
    #expect(response.format == .jpeg)
    #expect(response.orientation?.rawValue == 6)
    #expect(response.sourceSize == stored.uprightSize)
    #expect(response.image.size == stored.uprightSize)
  }

  @Test func filtersAreTold() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(png, Self.fields)]))
    var request = request()
    request.filters = [.grayed()]
    #expect(try await pipeline.response(for: request).isFiltered)
    #expect(try await pipeline.response(for: request).isFiltered)
  }

  @Test func aConfirmedImageHasTheConfirmation() async throws {
    let origin = ScriptedOrigin([
      .ok(png, Self.fields), .status(304, ["Cache-Control": "max-age=60", "X-Cache": "MISS"]),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(61))
    let confirmed = try await pipeline.response(for: request())
    #expect(confirmed.source == .memory)
    #expect(confirmed.origin?.status == 304)
    #expect(confirmed.origin?.header("X-Cache") == "MISS")
    #expect(confirmed.format == .png)
  }

  @Test func dataHasNoOrigin() async throws {
    let pipeline = pipeline(ScriptedOrigin([]))
    let response = try await pipeline.response(for: ImageRequest(data: png, id: "a"))
    #expect(response.format == .png)
    #expect(response.origin == nil)
  }

  // MARK: - Errors

  @Test func aStatusComesWithItsFields() async throws {
    let fields = [
      "X-Reason": "moved away", "Set-Cookie": "id=secret", "Location": "/?token=secret",
    ]
    let pipeline = pipeline(ScriptedOrigin([.status(404, fields)]))
    for _ in 0..<2 {
      let error = await failure(pipeline)
      #expect(error == .status(404, url: "http://a.test/a.png"))
      #expect(error?.response?.status == 404)
      #expect(error?.response?.header("x-reason") == "moved away")
      #expect(error?.response?.headers.contains { $0.value.contains("secret") } == false)
    }
  }

  @Test func aPageInPlaceOfAnImageComesWithItsFields() async throws {
    let page = Array("<!DOCTYPE html><p>Log in".utf8)
    let pipeline = pipeline(ScriptedOrigin([.ok(page, ["Content-Type": "text/html"])]))
    let error = await failure(pipeline)
    #expect(error?.response?.status == 200)
    #expect(
      error?.description == """
        http://a.test/a.png: this is not an image Ikran can decode: it looks like an HTML page; \
        the server answered 200 OK with the content type “text/html”
        """
    )
    let probing = await #expect(throws: ImageError.self) {
      try await pipeline.probe(request())
    }
    #expect(probing?.response?.header("content-type") == "text/html")
  }

  @Test func aRefusedContentTypeComesWithItsFields() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(png, ["Content-Type": "text/plain"])])) {
      $0.network.responses.contentTypes = ["image/*"]
    }
    let error = await failure(pipeline)
    #expect(error == .contentType("text/plain", url: "http://a.test/a.png"))
    #expect(error?.response?.status == 200)
  }

  @Test func aResponseThatAHookRefusesComesWithTheError() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(png, Self.fields)])) {
      $0.hooks.didReceive = { _ in nil }
    }
    #expect(await failure(pipeline)?.response?.header("x-cache") == "HIT")
  }

  @Test func whereNoResponseArrivedThereIsNone() async throws {
    let pipeline = pipeline(ScriptedOrigin([.failure(.cannotConnect("a.test"))]))
    #expect(await failure(pipeline)?.response == nil)
  }

  @Test func errorsAreEqualWhateverTheFieldsSay() {
    let first = ErrorContext(ResponseHead(status: 404, headers: [HeaderField("Date", "1")]))
    let (one, other) = (ImageError.status(404, url: "a", first), ImageError.status(404, url: "a"))
    #expect(one == other)
    #expect(Set([one, other]).count == 1)
    #expect(one != .status(410, url: "a", first))
  }
}
