import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct OfflineTests {
  private let png: [UInt8]

  init() throws { png = try TestImages.png(width: 8, height: 8) }

  private func request(_ path: String = "a", _ policy: CachePolicy = .standard) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/\(path).png", style: .circle(4))
    request.caching.policy = policy
    return request
  }

  @Test func aStaleImageIsShownAndNoTransferBegins() async throws {
    let transport = FakeTransport()
    transport.respond(
      with: .body(png, headers: [HeaderField("Cache-Control", "max-age=0, must-revalidate")])
    )
    let pipeline = ImagePipeline.deterministic(transport: transport)
    _ = try await pipeline.image(for: request())
    pipeline.isOffline = true
    #expect(pipeline.isOffline)
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(transport.urls.count == 1)
    pipeline.isOffline = false
    _ = try await pipeline.image(for: request())
    #expect(transport.urls.count == 2)
  }

  @Test(arguments: [CachePolicy.standard, .reload, .refresh])
  func whatNoCacheHasFailsWithoutATransfer(policy: CachePolicy) async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline.deterministic(transport: transport)
    pipeline.isOffline = true
    let error = ImageError.offline(url: "http://a.test/a.png")
    await #expect(throws: error) { try await pipeline.image(for: request("a", policy)) }
    await #expect(throws: error) { try await pipeline.data(for: request("a", policy)) }
    await #expect(throws: error) { try await pipeline.probe(request("a", policy)) }
    #expect(transport.urls.isEmpty)
    pipeline.isOffline = false
    #expect(try await pipeline.image(for: request("a", policy)).width == 4)
  }

  @Test(arguments: [CachePolicy.standard, .reload, .refresh])
  func whatNoCacheHasFailsAtOnceWhereTransfersWait(policy: CachePolicy) async throws {
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: png))
    (pipeline.isOffline, pipeline.isSuspended) = (true, true)
    await #expect(throws: ImageError.offline(url: "http://a.test/a.png")) {
      try await pipeline.image(for: request("a", policy))
    }
  }

  @Test func aTransferThatWaitsForItsTurnDoesNotBegin() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline.deterministic(transport: transport)
    pipeline.isSuspended = true
    let caller = Task { try await pipeline.image(for: request()) }
    try await until { pipeline.downloads.waiting == 1 }
    pipeline.isOffline = true
    pipeline.isSuspended = false
    await #expect(throws: ImageError.offline(url: "http://a.test/a.png")) {
      try await caller.value
    }
    #expect(transport.urls.isEmpty)
  }

  @Test func aFileAndDataThatComeWithTheRequestAreShown() async throws {
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport())
    pipeline.isOffline = true
    let request = ImageRequest(data: png, id: "face", style: .circle(4))
    #expect(try await pipeline.response(for: request).source == .data)
  }
}
