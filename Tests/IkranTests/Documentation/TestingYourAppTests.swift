import FoundationEssentials
import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

// The code of the article; `ArticleTests` checks that none of it is missing here.

@Suite(.timeLimit(.minutes(10)))
struct TestingYourAppTests {
  private let url: URL
  private let png: [UInt8]
  private let transport: FakeTransport
  private let pipeline: ImagePipeline

  init() throws {
    url = try #require(URL(string: "http://example.test/face.png"))
    png = try TestImages.png(width: 64, height: 64)
    transport = FakeTransport()
    pipeline = ImagePipeline.deterministic(transport: transport)
  }

  @Test func aFaceIsCutToACircle() async throws {
    let transport = FakeTransport()
    let pipeline = ImagePipeline.deterministic(transport: transport)
    transport.respond(to: url, with: .body(try TestImages.png(width: 64, height: 64)))

    let face = try await pipeline.image(from: url, style: .circle(48))

    let expected = try TestImages.gradient(width: 64, height: 64).styled(.circle(48))
    try expectPixels(face, equal: expected, tolerance: 1)
    #expect(transport.urls == [url.absoluteString])
  }

  @Test func aScript() async throws {
    transport.respond(to: url, with: .failure(.cannotConnect("a.test")), .status(404), .body(png))
    await #expect(throws: ImageError.self) { try await pipeline.image(from: url) }
    await #expect(throws: ImageError.self) { try await pipeline.image(from: url) }
    let image = try await pipeline.image(from: url)
    #expect(image.width == 64)
  }

  @Test func aScriptOfYourOwn() async throws {
    let transport = FakeTransport { (request, progress) throws(TransportError) in
      guard request.headers.contains(HeaderField("Authorization", "Bearer 1")) else {
        return TransportResponse(status: 401, body: [], url: request.url)
      }
      return TransportResponse(status: 200, body: png, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    await #expect(throws: ImageError.self) { try await pipeline.image(from: url) }
    var request = ImageRequest(url)
    request.transfer.headers = [HeaderField("Authorization", "Bearer 1")]
    #expect(try await pipeline.image(for: request).width == 64)
  }

  @Test func aDelay() async throws {
    transport.respond(to: url, with: .body(png).delayed(by: .seconds(4), chunks: 2))
    let load = Task { try await pipeline.image(from: url) }
    await transport.clock.waitForSleepers()
    transport.clock.advance(by: .seconds(2))
    await transport.clock.waitForSleepers()
    #expect(pipeline.cached(for: ImageRequest(url)) == nil)
    transport.clock.advance(by: .seconds(2))
    let image = try await load.value
    #expect(image.width == 64)
  }

  @Test func freshnessEndsOnTheClock() async throws {
    let (older, newer) = (png, try TestImages.png(width: 32, height: 32))
    transport.respond(to: url, with: .body(older), .body(newer))
    let first = try await pipeline.image(from: url)
    transport.clock.advance(by: .seconds(8 * 86_400))
    let second = try await pipeline.image(from: url)
    #expect((first.width, second.width) == (64, 32))
  }

  @Test func otherOptions() async throws {
    transport.respond(to: url, with: .status(503), .body(png))
    let pipeline = ImagePipeline.deterministic(transport: transport) { options in
      options.network.retry = .fixed(maximum: 2, delay: .seconds(3))
    }
    let load = Task { try await pipeline.image(from: url) }
    await transport.clock.waitForSleepers()
    transport.clock.advance(by: .seconds(3))
    #expect(try await load.value.width == 64)
  }

  @Test func theNextLaunch() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path
    transport.respond(with: .body(png))
    let first = ImagePipeline.deterministic(transport: transport, folder: folder)
    _ = try await first.image(from: url, style: .circle(48))
    await first.finishWriting()

    let next = ImagePipeline.deterministic(transport: FakeTransport(), folder: folder)
    let response = try await next.response(for: ImageRequest(url, style: .circle(48)))
    #expect(response.source == .table)
  }
}
