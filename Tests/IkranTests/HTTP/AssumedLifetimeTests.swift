import IkranTransport
import Support
import Testing

@testable import Ikran

/// How long a response is fresh that says nothing of it.
@Suite("Assumed lifetimes", .timeLimit(.minutes(10)))
struct AssumedLifetimeTests {
  private let clock = ManualClock()
  private let png: [UInt8]

  init() throws { png = try TestImages.png(width: 64, height: 48) }

  private func origin(_ fields: [String: String]) -> FakeTransport {
    FakeTransport([.ok(png, fields)])
  }

  private func pipeline(
    _ origin: FakeTransport,
    folder: String? = nil,
    _ configure: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    .deterministic(transport: origin, clock: clock, folder: folder, configure: configure)
  }

  private func request(_ style: Style = .circle(16)) -> ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: style)
  }

  private let styles: [Style] = [.circle(16), .circle(24), .fill(width: 20, height: 30)]

  /// Loads the image, and waits for what is revalidated in the background.
  private func load(_ pipeline: ImagePipeline, _ style: Style = .circle(16)) async throws {
    _ = try await pipeline.image(for: request(style))
    await pipeline.finishWriting()
  }

  /// A moment ago by the clock: too young a file for a heuristic lifetime.
  private static let validators = [
    ["ETag": "\"1\""], ["Last-Modified": "Fri, 15 Jan 2027 07:59:50 GMT"],
    ["ETag": "\"1\"", "Age": "9999"],
  ]

  @Test(arguments: validators)
  func aResponseWithoutALifetimeIsFreshForAMinute(fields: [String: String]) async throws {
    let origin = origin(fields)
    let pipeline = pipeline(origin)
    try await load(pipeline)
    clock.advance(by: .seconds(59))
    for style in styles { try await load(pipeline, style) }
    #expect(origin.urls.count == 1)
    clock.advance(by: .seconds(2))
    try await load(pipeline)
    #expect(origin.urls.count == 2)
  }

  @Test(arguments: [[:], ["Age": "9999"], ["Cache-Control": "public"]])
  func aResponseThatCannotBeValidatedIsFreshForAnHour(fields: [String: String]) async throws {
    let origin = origin(fields)
    let pipeline = pipeline(origin)
    try await load(pipeline)
    clock.advance(by: .seconds(3599))
    for style in styles { try await load(pipeline, style) }
    #expect(origin.urls.count == 1)
    clock.advance(by: .seconds(2))
    try await load(pipeline)
    #expect(origin.urls.count == 2)
  }

  @Test func threeStylesOfAFileWithoutFieldsAreOneDownload() async throws {
    let folder = try TemporaryDirectory()
    let origin = origin([:])
    let pipeline = pipeline(origin, folder: folder.path)
    let progress = await Prefetcher(pipeline).start(styles.map(request)).wait()
    await pipeline.finishWriting()
    #expect(progress.fetched == 3)
    #expect(origin.urls.count == 1)
    for style in styles { try await load(pipeline, style) }
    #expect(origin.urls.count == 1)
    // A later process knows when it arrived.
    let later = self.pipeline(origin, folder: folder.path)
    for style in styles + [.original] { try await load(later, style) }
    #expect(origin.urls.count == 1)
  }

  @Test func aConfirmationBeginsANewMinute() async throws {
    let origin = FakeTransport()
    let fields = ["ETag": "\"1\""]
    origin.answer(.ok(png, fields), .status(304, fields))
    let pipeline = pipeline(origin)
    for expected in [1, 2, 2] {
      try await load(pipeline)
      #expect(origin.urls.count == expected)
      clock.advance(by: .seconds(expected == 1 ? 61 : 58))
    }
  }

  @Test(
    arguments: [
      ["Cache-Control": "no-cache"], ["Cache-Control": "no-store"], ["Cache-Control": "max-age=0"],
      ["Expires": "0"], ["Cache-Control": "max-age=1", "ETag": "\"1\""],
    ]
  )
  func whatAResponseSaysIsHeeded(fields: [String: String]) async throws {
    let origin = origin(fields)
    let pipeline = pipeline(origin)
    try await load(pipeline)
    clock.advance(by: .seconds(2))
    try await load(pipeline)
    #expect(origin.urls.count == 2)
  }
}
