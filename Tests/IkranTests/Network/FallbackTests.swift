import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Other URLs that are tried when a source fails, and retries of one request.
@Suite(.timeLimit(.minutes(10)))
struct FallbackTests {
  private let png: [UInt8]
  private let transport = FakeTransport()
  private let first: URL
  private let second: URL

  init() throws {
    png = try TestImages.png(width: 8, height: 8)
    first = try #require(URL(string: "http://a.test/b.png"))
    second = try #require(URL(string: "http://b.test/c.png"))
    transport.respond(with: .status(404))
    transport.respond(to: second, with: .body(png))
  }

  private var request: ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: .circle(4))
    request.transfer.fallbacks = [first, second]
    return request
  }

  @Test func theNextUrlIsTriedWhenASourceFails() async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let response = try await pipeline.response(for: request)
    #expect(response.source == .network)
    #expect(transport.urls == ["a.test/a", "a.test/b", "b.test/c"].map { "http://\($0).png" })
    // The image has the name of what brought it.
    let direct = ImageRequest(second, style: .circle(4))
    #expect(response.key == "\(pipeline.styledKey(direct).id)")
    #expect(pipeline.cached(for: direct) != nil)
    #expect(pipeline.cached(for: request) == nil)
  }

  @Test func aSourceThatSucceedsNeedsNoFallback() async throws {
    transport.respond(with: .body(png))
    _ = try await ImagePipeline.deterministic(transport: transport).image(for: request)
    #expect(transport.urls == ["http://a.test/a.png"])
  }

  @Test func whenAllFailTheErrorIsTheFirst() async throws {
    transport.respond(to: second, with: .status(500))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    await #expect(throws: ImageError.status(404, url: "http://a.test/a.png")) {
      try await pipeline.image(for: request)
    }
    #expect(transport.urls.count == 3)
  }

  @Test func aCancelledRequestTriesNoOther() async throws {
    let latch = Latch()
    let transport = FakeTransport { (_, _) throws(TransportError) in
      _ = await latch.wait()
      throw .cancelled
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let task = pipeline.task(for: request)
    await latch.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    #expect(transport.urls.count == 1)
  }

  @Test func credentialsStayWithTheirOrigin() async throws {
    var request = request
    request.transfer.headers = [
      HeaderField("Authorization", "secret"), HeaderField("Accept", "image/png"),
    ]
    _ = try await ImagePipeline.deterministic(transport: transport).image(for: request)
    #expect(transport.requests.map(\.headers.count) == [2, 2, 1])
    #expect(transport.header("Authorization", of: 2) == nil)
  }

  @Test func dataAndPrefetchesFallBackToo() async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport)
    #expect(try await pipeline.data(for: request) == png)
    #expect(await Prefetcher(pipeline).start([request]).wait().failed == 0)
  }

  @Test func aRequestHasRetriesOfItsOwn() async throws {
    transport.respond(with: .status(503), .status(503), .body(png))
    // The pipeline's own policy does not retry.
    let pipeline = ImagePipeline.deterministic(transport: transport)
    var request = ImageRequest(location: "http://a.test/a.png", style: .circle(4))
    request.transfer.retry = .fixed(maximum: 2, delay: .zero)
    #expect(try await pipeline.image(for: request).width == 4)
    #expect(pipeline.statistics.retries == 2)
  }
}
