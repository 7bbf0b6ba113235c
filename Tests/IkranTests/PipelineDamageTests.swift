import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What reloading, damaged copies, slow disks and odd requests must not do.
@Suite(.timeLimit(.minutes(10)))
struct PipelineDamageTests {
  private let old: [UInt8]
  private let new: [UInt8]

  init() throws {
    old = try TestImages.png(width: 64, height: 48)
    new = try TestImages.png(width: 32, height: 48)
  }

  private func request(
    _ style: Style = .original,
    _ policy: CachePolicy = .standard,
    _ path: String = "a"
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://example.test/\(path).png", style: style)
    request.caching.policy = policy
    return request
  }

  /// A transport whose body can be exchanged.
  private func transport(_ body: Guarded<[UInt8]>) -> FakeTransport {
    FakeTransport { (request, _) throws(TransportError) in
      TransportResponse(status: 200, headers: .fresh, body: body.withLock { $0 }, url: request.url)
    }
  }

  @Test(arguments: [Double.nan, .infinity, 0, -1])
  func aScaleThatMakesNoSenseIsAnError(scale: Double) async throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: old))
    var request = request()
    request.scale = scale
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
    #expect(pipeline.activity.sources == 0)
  }

  @Test func theKeyFilterLeavesTheHeaders() async throws {
    let transport = FakeTransport(body: old)
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        keys: KeyOptions(filter: { String($0.prefix { $0 != "?" }) })
      ),
      transport: transport
    )
    for user in ["ana", "ben"] {
      var request = ImageRequest(location: "http://example.test/me.png?t=1", style: .circle(8))
      request.transfer.headers = [HeaderField("X-User", user)]
      _ = try await pipeline.image(for: request)
    }
    #expect(transport.urls.count == 2)
  }

  @Test func aReloadReplacesEveryStyle() async throws {
    let body = Guarded(old)
    let pipeline = ImagePipeline(options: .steady, transport: transport(body))
    _ = try await pipeline.image(for: request())
    _ = try await pipeline.image(for: request(.circle(8)))
    let new = new
    body.withLock { $0 = new }
    _ = try await pipeline.image(for: request(.circle(8), .reload))
    #expect(try await pipeline.image(for: request()).width == 32)
    let untouched = Style.freeform(name: "same", version: 1) { $0 }
    #expect(try await pipeline.image(for: request(untouched)).width == 32)
  }

  @Test func aReloadThatBringsNoImageLeavesTheCaches() async throws {
    let body = Guarded(old)
    let disk = FakeDisk()
    let pipeline = ImagePipeline(options: .steady, transport: transport(body), diskCache: disk)
    _ = try await pipeline.image(for: request())
    body.withLock { $0 = Array("<html>log in to the Wi-Fi</html>".utf8) }
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request(.original, .reload))
    }
    await pipeline.finishWriting()
    #expect(disk.keys.count == 1)
    #expect(pipeline.cached(for: request()) != nil)
  }

  @Test func aDamagedCopyOnDiskIsReplacedByTheOrigins() async throws {
    let disk = FakeDisk()
    try disk.store(Array(old.prefix(old.count / 2)), for: "\(request().sourceKey)")
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: old),
      diskCache: disk
    )
    #expect(try await pipeline.response(for: request()).source == .network)
    await pipeline.finishWriting()
    #expect(try disk.body(for: "\(request().sourceKey)") == old)
  }

  @Test func aTruncatedDownloadDoesNotStayOnDisk() async throws {
    let body = Guarded(Array(old.prefix(old.count / 2)))
    let disk = FakeDisk()
    let pipeline = ImagePipeline(options: .steady, transport: transport(body), diskCache: disk)
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
    let old = old
    body.withLock { $0 = old }
    await #expect(throws: Never.self) { try await pipeline.image(for: request()) }
  }

  @Test func writesKeepTheirOrder() async throws {
    let release = ThreadLatch()
    let disk = FakeDisk(beforeStore: { release.wait() })
    let body = Guarded(old)
    let pipeline = ImagePipeline(options: .steady, transport: transport(body), diskCache: disk)
    _ = try await pipeline.image(for: request())
    let new = new
    body.withLock { $0 = new }
    _ = try await pipeline.image(for: request(.original, .reload))
    release.open()
    await pipeline.finishWriting()
    #expect(try disk.body(for: "\(request().sourceKey)") == new)
  }

  @Test func filesDoNotWaitForDownloads() async throws {
    let latch = Latch()
    let png = old
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, network: NetworkOptions(maximumConcurrent: 1)),
      transport: FakeTransport { (request, _) throws(TransportError) in
        if request.url.hasPrefix("http") { _ = await latch.wait() }
        return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
      }
    )
    let slow = Task { try await pipeline.image(for: request()) }
    await latch.arrivals(1)
    let file = ImageRequest(location: "file:///a.png", style: .original)
    #expect(try await pipeline.response(for: file).source == .file)
    latch.open()
    _ = await slow.result
  }

  @Test func theSourceOfASecondSizeFromMemoryIsMemory() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: old))
    _ = try await pipeline.image(for: request(.circle(16)))
    let again = try await pipeline.response(for: request(.rectangle(width: 16, height: 16)))
    #expect(again.source == .memory)
  }
}
