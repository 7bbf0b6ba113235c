import FoundationEssentials
import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct AlternativeTests {
  private let png: [UInt8]
  private let transport: FakeTransport

  init() throws {
    png = try TestImages.png(width: 8, height: 8)
    transport = FakeTransport(body: png)
  }

  private func request(_ alternatives: Alternative...) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/large", style: .circle(4))
    request.transfer.alternatives = alternatives
    return request
  }

  @Test func onAFreeAndFastNetworkTheRequestsOwnSourceIsLoaded() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    pipeline.lowDataMode = .off
    let request = request(
      .onLowData("http://a.test/small"),
      .below(bytesPerSecond: 1000, "http://a.test/slow")
    )
    _ = try await pipeline.image(for: request)
    #expect(transport.urls == ["http://a.test/large"])
  }

  @Test func whereDataIsToBeSavedTheOtherSourceIsLoaded() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    pipeline.lowDataMode = .on
    _ = try await pipeline.image(for: request(.onLowData("http://a.test/small")))
    #expect(transport.urls == ["http://a.test/small"])
  }

  @Test(arguments: [("http://a.test/small", true), ("http://b.test/small", false)])
  func anotherOriginGetsNoCredentials(place: String, isTold: Bool) async throws {
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    pipeline.lowDataMode = .on
    var request = request(.onLowData(place))
    request.transfer.headers = [HeaderField("Authorization", "Bearer 1")]
    _ = try await pipeline.image(for: request)
    let sent = try #require(transport.requests.last)
    #expect(sent.url == place)
    #expect(sent.headers.contains { $0.name == "Authorization" } == isTold)
  }

  @Test func aRequestMayBeLeftUndoneThere() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    pipeline.lowDataMode = .on
    await #expect(throws: ImageError.lowData(url: "http://a.test/large")) {
      try await pipeline.image(for: request(.notOnLowData))
    }
    #expect(transport.urls.isEmpty)
  }

  @Test(arguments: [TransportError.NetworkRefusal.constrained, .expensive])
  func whereTheSystemRefusesTheNetworkTheOtherSourceIsLoaded(
    refusal: TransportError.NetworkRefusal
  ) async throws {
    let saving = SavingTransport(inner: transport, refusal: refusal)
    let pipeline = ImagePipeline(options: .steady, transport: saving)
    pipeline.lowDataMode = .off
    _ = try await pipeline.image(for: request(.onLowData("http://a.test/small")))
    #expect(transport.urls == ["http://a.test/small"])
    await #expect(throws: ImageError.lowData(url: "http://a.test/large")) {
      try await pipeline.image(for: request(.notOnLowData))
    }
    let error = ImageError.transport(.forbiddenNetwork(refusal), url: "http://a.test/large")
    await #expect(throws: error) {
      try await pipeline.image(for: request(.below(bytesPerSecond: 1, "http://a.test/slow")))
    }
  }

  @Test func whereTheUserAllowsNoNetworkNothingElseIsTried() async throws {
    let pipeline = ImagePipeline(
      options: .steady,
      transport: SavingTransport(inner: transport, refusal: .cellular)
    )
    pipeline.lowDataMode = .off
    let error = ImageError.transport(.forbiddenNetwork(.cellular), url: "http://a.test/large")
    for alternative in [Alternative.onLowData("http://a.test/small"), .notOnLowData] {
      await #expect(throws: error) { try await pipeline.image(for: request(alternative)) }
    }
    #expect(transport.urls.isEmpty)
  }

  @Test func whatIsMadeForLowDataDoesNotJoinWhatIsNot() async throws {
    let (door, body) = (Latch(), png)
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard !request.isForLowData else {
        return TransportResponse(status: 200, headers: .fresh, body: body, url: request.url)
      }
      _ = await door.wait()
      throw .forbiddenNetwork(.constrained)
    }
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    pipeline.lowDataMode = .on
    let plain = Task {
      try await pipeline.image(
        for: ImageRequest(location: "http://a.test/small", style: .circle(4))
      )
    }
    try await until { transport.requests.count == 1 }
    _ = try await pipeline.image(for: request(.onLowData("http://a.test/small")))
    #expect(transport.requests.map(\.isForLowData) == [false, true])
    door.open()
    _ = try? await plain.value
  }

  @Test func whatIsCachedIsShownAllTheSame() async throws {
    let disk = FakeDisk()
    let first = ImagePipeline(options: .steady, transport: transport, diskCache: disk)
    _ = try await first.image(for: request())
    await first.finishWriting()
    for pipeline in [first, ImagePipeline(options: .steady, transport: transport, diskCache: disk)]
    {
      pipeline.lowDataMode = .on
      _ = try await pipeline.image(for: request(.notOnLowData))
    }
    #expect(transport.urls.count == 1)
  }

  @Test func onASlowNetworkTheSourceForItsSpeedIsLoaded() async throws {
    let body = png + [UInt8](repeating: 0, count: 100_000 - png.count)
    let transport = SlowTransport(inner: FakeTransport(body: body))
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let first = ImageRequest(location: "http://a.test/first", style: .circle(4))
    _ = try await pipeline.image(for: first)
    #expect(pipeline.downloadSpeed == 100_000)
    let request = request(
      .below(bytesPerSecond: 900_000, "http://a.test/middle"),
      .below(bytesPerSecond: 200_000, "http://a.test/small"),
      .below(bytesPerSecond: 50_000, "http://a.test/tiny")
    )
    _ = try await pipeline.image(for: request)
    #expect(transport.inner.urls.last == "http://a.test/small")
  }

  @Test func theSpeedFollowsTheLastDownloadsAndHeedsNoTinyOnes() {
    let meter = SpeedMeter()
    #expect(meter.bytesPerSecond == nil)
    meter.addSample(bytes: 100, in: .seconds(1))
    #expect(meter.bytesPerSecond == nil)
    meter.addSample(bytes: 40_000, in: .seconds(1))
    for _ in 0..<40 { meter.addSample(bytes: 80_000, in: .seconds(1)) }
    #expect((79_000...80_000).contains(meter.bytesPerSecond ?? 0))
    meter.addSample(bytes: 80_000, in: .zero)
    #expect((79_000...80_000).contains(meter.bytesPerSecond ?? 0))
  }
}

@Suite(.timeLimit(.minutes(10)))
struct HookTests {
  private let png: [UInt8]

  init() throws { png = try TestImages.png(width: 8, height: 8) }

  private struct Refusal: Error, CustomStringConvertible { let description = "no token" }

  private func pipeline(_ origin: ScriptedOrigin, _ hooks: PipelineHooks) -> ImagePipeline {
    ImagePipeline(options: PipelineOptions(memory: .steady, hooks: hooks), transport: origin)
  }

  private let request = ImageRequest(location: "http://a.test/a", style: .original)

  @Test func aTokenIsFetchedBeforeEachTry() async throws {
    let origin = ScriptedOrigin([.status(503, ["Retry-After": "0"]), .ok(png)])
    let tokens = Counter()
    let hooks = PipelineHooks(willSend: { request in
      await Task.yield()
      tokens.add()
      var request = request
      request.headers.append(HeaderField("Authorization", "Bearer \(tokens.count)"))
      return request
    })
    _ = try await pipeline(origin, hooks).image(for: request)
    #expect(origin.header("authorization", of: 0) == "Bearer 1")
    #expect(origin.header("authorization", of: 1) == "Bearer 2")
  }

  @Test func aHookMayRefuse() async throws {
    let origin = ScriptedOrigin([.ok(png)])
    for hooks in [
      PipelineHooks(willSend: { _ in nil }), PipelineHooks(willSend: { _ in throw Refusal() }),
      PipelineHooks(didReceive: { _ in nil }), PipelineHooks(decrypt: { _ in throw Refusal() }),
    ] {
      await #expect {
        try await pipeline(origin, hooks).image(for: request)
      } throws: { error in
        if case ImageError.refused = error { true } else { false }
      }
    }
    #expect(origin.requests.count == 2)
  }

  @Test func anAnswerMayBeChangedAndABodyDecrypted() async throws {
    let sealed = png.map { $0 ^ 0x5A }
    let hooks = PipelineHooks(
      didReceive: { response in
        TransportResponse(status: 200, body: response.body, url: response.url)
      },
      decrypt: { body in body.map { $0 ^ 0x5A } }
    )
    let origin = ScriptedOrigin([.response(status: 418, headers: [], body: sealed)])
    #expect(try await pipeline(origin, hooks).image(for: request).width == 8)
  }

  @Test func onlyWantedContentTypesAreImages() async throws {
    let origin = ScriptedOrigin([.ok(png, ["Content-Type": "text/HTML; charset=x"])])
    var options = PipelineOptions.steady
    options.network.responses.contentTypes = ["image/*"]
    let strict = ImagePipeline(options: options, transport: origin)
    await #expect(throws: ImageError.contentType("text/HTML; charset=x", url: "http://a.test/a")) {
      try await strict.image(for: request)
    }
    origin.answer(.ok(png, ["Content-Type": "IMAGE/png;q=1"]))
    _ = try await ImagePipeline(options: options, transport: origin).image(for: request)
  }

  @Test func methodAndBodyAreSentAndNameTheSource() async throws {
    let origin = ScriptedOrigin([.ok(png)])
    let disk = FakeDisk()
    let pipeline = ImagePipeline(options: .steady, transport: origin, diskCache: disk)
    var requests = (0..<3).map { _ in request }
    requests[0].transfer.method = "POST"
    requests[0].transfer.body = [1]
    requests[1].transfer.method = "POST"
    requests[1].transfer.body = [2]
    for request in requests { _ = try await pipeline.image(for: request) }
    #expect(origin.requests.map(\.method) == ["POST", "POST", "GET"])
    #expect(origin.requests.map(\.body) == [[1], [2], nil])
    #expect(Set(requests.map(\.sourceKey)).count == 3)
    await pipeline.finishWriting()
    #expect(disk.keys == ["\(SourceKey("http://a.test/a"))"])
  }

  @Test func theHeaderOfAnImageIsHadFromItsFirstBytes() async throws {
    let large = try TestImages.png(width: 400, height: 300)
    let origin = try Origin(threads: 1) { _ in
      IkranServer.Response(200, headers: [Field("Content-Type", "image/png")], body: large)
    }
    defer { origin.stop() }
    let url = try #require(URL(string: "\(origin.baseURL)/a"))
    let info = try await ImagePipeline(options: .steady).probe(url)
    #expect(info.size == PixelSize(width: 400, height: 300))
  }

  @Test func theHooksSeeAProbeToo() async throws {
    let large = try TestImages.png(width: 40, height: 30)
    let origin = ScriptedOrigin([.response(status: 418, headers: [], body: large)])
    let hooks = PipelineHooks(
      prepare: { request in
        var request = request
        request.transfer.headers = [HeaderField("X-Who", "ana")]
        return request
      },
      willSend: { request in
        var request = request
        request.headers.append(HeaderField("Authorization", "Bearer 1"))
        return request
      },
      didReceive: { response in
        TransportResponse(status: 200, body: response.body, url: response.url)
      }
    )
    let url = try #require(URL(string: "http://a.test/a"))
    let info = try await pipeline(origin, hooks).probe(url)
    #expect(info.size == PixelSize(width: 40, height: 30))
    #expect(origin.header("x-who", of: 0) == "ana")
    #expect(origin.header("authorization", of: 0) == "Bearer 1")
    let refusing = pipeline(origin, PipelineHooks(willSend: { _ in nil }))
    await #expect(throws: ImageError.self) { try await refusing.probe(url) }
    #expect(origin.requests.count == 1)
  }

  @Test func aProbeWaitsForItsTurn() async throws {
    let origin = ScriptedOrigin([.ok(png)])
    let pipeline = pipeline(origin, PipelineHooks())
    pipeline.isSuspended = true
    let url = try #require(URL(string: "http://a.test/a"))
    let probe = Task { try await pipeline.probe(url) }
    try await until { pipeline.downloads.waiting == 1 || !origin.requests.isEmpty }
    #expect(origin.requests.isEmpty)
    pipeline.isSuspended = false
    #expect(try await probe.value.size == PixelSize(width: 8, height: 8))
  }

  @Test func aProbeSendsWhatItsRequestSays() async throws {
    let origin = ScriptedOrigin([.ok(png)])
    var request = ImageRequest(location: "http://a.test/a", style: .original)
    request.transfer.headers = [HeaderField("X-Who", "ana")]
    request.transfer.timeout = .seconds(7)
    let received = Recorder<TransferProgress>()
    let info = try await pipeline(origin, PipelineHooks()).probe(request) { received.add($0) }
    #expect(info.size == PixelSize(width: 8, height: 8))
    #expect(origin.header("x-who", of: 0) == "ana")
    #expect(origin.requests[0].timeout == .seconds(7))
    #expect(received.items.last?.received == png.count)
  }

  @Test func aProbeHeedsTheCachePolicy() async throws {
    let newer = try TestImages.png(width: 9, height: 9)
    let origin = ScriptedOrigin([.ok(png, ["Cache-Control": "max-age=60"]), .ok(newer)])
    let pipeline = pipeline(origin, PipelineHooks())
    var request = ImageRequest(location: "http://a.test/a", style: .original)
    request.caching.policy = .onlyCached
    await #expect(throws: ImageError.offline(url: "http://a.test/a")) {
      try await pipeline.probe(request)
    }
    request.caching.policy = .standard
    _ = try await pipeline.response(for: request)
    #expect(try await pipeline.probe(request).size.width == 8)
    #expect(origin.requests.count == 1)
    request.caching.policy = .reload
    #expect(try await pipeline.probe(request).size.width == 9)
    #expect(origin.requests.count == 2)
  }

  @Test func aProbeRevalidatesWhatIsStale() async throws {
    let newer = try TestImages.png(width: 9, height: 9)
    let origin = ScriptedOrigin([.ok(png, ["Cache-Control": "max-age=0"]), .ok(newer)])
    let pipeline = pipeline(origin, PipelineHooks())
    let request = ImageRequest(location: "http://a.test/a", style: .original)
    _ = try await pipeline.response(for: request)
    #expect(try await pipeline.probe(request).size.width == 9)
    #expect(origin.requests.count == 2)
  }
}

/// Says that each download took a second.
private struct SlowTransport: Transport {
  let inner: FakeTransport

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let response = try await inner.fetch(request, progress: progress)
    var metrics = TransferMetrics()
    metrics.total = .seconds(1)
    return TransportResponse(
      status: response.status,
      headers: response.headers,
      body: response.body,
      url: response.url,
      metrics: metrics
    )
  }
}

/// Sends only what is for networks where data is to be saved.
private struct SavingTransport: Transport {
  let inner: FakeTransport
  let refusal: TransportError.NetworkRefusal

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    guard request.isForLowData, refusal != .cellular else { throw .forbiddenNetwork(refusal) }
    return try await inner.fetch(request, progress: progress)
  }
}
