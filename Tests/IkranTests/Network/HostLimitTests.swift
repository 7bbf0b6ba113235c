import FoundationEssentials
import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

/// What a host that never answers costs the others, and what a hook may do before a transfer.
@Suite("Limits of hosts", .timeLimit(.minutes(10)))
struct HostLimitTests {
  private let clock = ManualClock()
  private let png: [UInt8]

  init() throws { png = try Square.png(50) }

  /// A transport whose hosts called `dead` respond once the latch is open.
  private func transport(_ latch: Latch) -> FakeTransport {
    FakeTransport(clock: clock) { [png] request, _ throws(TransportError) in
      if request.url.contains("dead"), !(await latch.wait()) { throw .cancelled }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
  }

  private func request(_ url: String) -> ImageRequest {
    ImageRequest(location: url, style: .circle(8))
  }

  private func load(_ pipeline: ImagePipeline, _ urls: [String]) -> [Task<ImageSource, any Error>] {
    urls.map { url in Task { try await pipeline.response(for: request(url)).source } }
  }

  @Test func twelveImagesOfAHostThatNeverAnswersDelayNoOther() async throws {
    let latch = Latch()
    let transport = transport(latch)
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let dead = load(pipeline, (0..<12).map { "http://dead.test/\($0).png" })
    await latch.arrivals(6)
    try await until { pipeline.downloads.waiting == 6 }
    let live = load(pipeline, ["http://live.test/a.png"])
    try await until { pipeline.downloads.waiting == 7 || transport.urls.count == 7 }
    #expect(transport.urls.last == "http://live.test/a.png")
    latch.open()
    for task in dead + live { #expect(try await task.value == .network) }
    // One host has as many places as it always had.
    #expect(transport.urls.count == 13)
  }

  @Test func hostsThatSendNothingGiveUpTheirPlacesInTheTotal() async throws {
    let latch = Latch()
    let transport = transport(latch)
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      ($0.network.queue.maximumConcurrent, $0.network.queue.maximumPerHost) = (4, 2)
      $0.network.queue.maximumSilence = .seconds(2)
    }
    let dead = load(pipeline, (0..<12).map { "http://dead\($0 % 2).test/\($0).png" })
    await latch.arrivals(4)
    let live = load(pipeline, ["http://live.test/a.png"])
    try await until { pipeline.downloads.waiting == 9 }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    for task in live { #expect(try await task.value == .network) }
    #expect(transport.urls.count == 5)
    latch.open()
    for task in dead { #expect(try await task.value == .network) }
  }

  // MARK: - Hooks

  /// A pipeline with one place, whose hook loads an image before each of the others.
  private func pipelineWithHook() async -> ImagePipeline {
    let transport = transport(Latch())
    let own = Recorder<ImagePipeline>()
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      ($0.network.queue.maximumConcurrent, $0.network.queue.maximumPerHost) = (1, 1)
      $0.hooks.willSend = { request in
        if request.url.hasSuffix("/token.png") { return request }
        for pipeline in own.items {
          _ = try await pipeline.image(for: self.request("http://auth.test/token.png"))
        }
        return request
      }
    }
    own.add(pipeline)
    return pipeline
  }

  @Test func aHookMayLoadImagesOfItsPipelineWithOnePlace() async throws {
    let pipeline = await pipelineWithHook()
    let tasks = load(pipeline, (0..<5).map { "http://a.test/\($0).png" })
    for task in tasks { #expect(try await task.value == .network) }
    #expect(pipeline.downloads == (0, 0))
  }

  @Test func timeInTheQueueAfterAHookIsNotTimeOfTheTransfer() async throws {
    let (latch, hook) = (Latch(), Latch())
    let pipeline = ImagePipeline.deterministic(transport: transport(latch)) {
      ($0.network.queue.maximumConcurrent, $0.network.queue.maximumPerHost) = (1, 1)
      $0.hooks.willSend = { request in
        if request.url.contains("live") { _ = await hook.wait() }
        return request
      }
    }
    let patient = load(pipeline, ["http://live.test/a.png"])
    await hook.arrivals(1)
    var request = request("http://live.test/a.png")
    request.transfer.timeout = .seconds(2)
    let hasty = Task { [request] in try await pipeline.response(for: request).source }
    let other = load(pipeline, ["http://dead.test/a.png"])
    await latch.arrivals(1)
    hook.open()
    try await until { pipeline.downloads.waiting == 1 && pipeline.activity.requests == 3 }
    #expect(clock.sleepers == 0)
    clock.advance(by: .seconds(2))
    latch.open()
    for task in patient + [hasty] + other { #expect(try await task.value == .network) }
  }

  @Test func theHookOfAProbeMayLoadImagesOfItsPipelineWithOnePlace() async throws {
    let pipeline = await pipelineWithHook()
    #expect(try await pipeline.probe(request("http://a.test/a.png")).size.width == 32)
    #expect(pipeline.downloads == (0, 0))
  }
}
