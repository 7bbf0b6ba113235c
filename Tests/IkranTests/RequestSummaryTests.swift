import FoundationEssentials
import IkranTransport
import Support
import Testing

@testable import Ikran

/// The event with which each request ends, and the times in it.
@Suite(.timeLimit(.minutes(10)))
struct RequestSummaryTests {
  private let png: [UInt8]
  private let transport = FakeTransport()
  private let summaries = Recorder<RequestSummary>()

  init() throws {
    png = try TestImages.png(width: 32, height: 32)
    transport.respond(with: .body(png))
  }

  private func pipeline(_ change: (inout PipelineOptions) -> Void = { _ in }) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = .none
    change(&options)
    let summaries = summaries
    return ImagePipeline(
      options: options,
      transport: transport,
      onEvent: { if case .requestFinished(let summary) = $0 { summaries.add(summary) } },
      clock: transport.clock.pipelineClock
    )
  }

  private let location = "http://user:word@a.test/a.png?token=1"
  private var request: ImageRequest { ImageRequest(location: location, style: .circle(8)) }

  enum Way: CaseIterable {
    case response, task, events, data, prefetch, probe, avatar
  }

  private func load(_ pipeline: ImagePipeline, _ way: Way) async {
    switch way {
    case .response: _ = try? await pipeline.response(for: request)
    case .task: _ = try? await pipeline.task(for: request).response
    case .events: for await _ in pipeline.events(for: request) {}
    case .data: _ = try? await pipeline.data(for: request)
    case .prefetch: _ = await Prefetcher(pipeline).start([request]).wait()
    case .probe: _ = try? await pipeline.probe(request)
    case .avatar:
      let avatar = TestAvatar(url: URL(string: location), style: .circle(8))
      for await _ in AvatarPod(pipeline).wake(avatar) {}
    }
  }

  @Test(arguments: Way.allCases)
  func eachRequestEndsInOneEvent(way: Way) async {
    await load(pipeline(), way)
    #expect(summaries.items.map(\.result) == [.success(.network)])
    #expect(summaries.items.map(\.url) == ["http://a.test/a.png"])
  }

  @Test(arguments: Way.allCases)
  func aFailedRequestSaysWhy(way: Way) async {
    transport.respond(with: .status(404))
    await load(pipeline(), way)
    #expect(summaries.items.map(\.result) == [.failure(.status(404, url: "http://a.test/a.png"))])
  }

  @Test func aPrefetchToTheDiskThatFallsBackEndsInOneEvent() async throws {
    transport.respond(with: .status(404))
    let other = try #require(URL(string: "http://b.test/b.png"))
    transport.respond(to: other, with: .body(png))
    var request = request
    request.transfer.fallbacks = [other]
    #expect(try await pipeline().fetchToDisk(request))
    #expect(summaries.items.map(\.result) == [.success(.network)])
  }

  @Test func aHitCostsNothing() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request)
    #expect(pipeline.cached(for: request) != nil)
    #expect(try await pipeline.response(for: request).metrics == RequestMetrics())
    #expect(summaries.items.dropFirst().map(\.result) == [.success(.memory), .success(.memory)])
    #expect(summaries.items.dropFirst().allSatisfy { $0.metrics == RequestMetrics() })
  }

  @Test func theTransferOfAFileIsMeasured() async throws {
    transport.respond(with: FakeResponse(body: png).delayed(by: .seconds(2)))
    let pipeline = pipeline {
      ($0.network.queue.maximumConcurrent, $0.network.queue.maximumSilence) = (1, nil)
    }
    let other = ImageRequest(location: "http://a.test/b.png", style: .circle(8))
    let first = Task { try await pipeline.data(for: other) }
    try await until { transport.clock.sleepers == 1 }
    let second = Task { try await pipeline.data(for: request) }
    try await until { pipeline.downloads.waiting == 1 }
    transport.clock.advance(by: .seconds(2))
    _ = try await first.value
    try await until { transport.clock.sleepers == 1 }
    transport.clock.advance(by: .seconds(2))
    _ = try await second.value
    #expect(summaries.items.map(\.metrics.queue) == [.zero, .seconds(2)])
  }

  @Test func theTimesOfEachStageAreMeasured() async throws {
    transport.respond(with: FakeResponse(body: png).delayed(by: .seconds(2)))
    let pipeline = pipeline {
      ($0.network.queue.maximumConcurrent, $0.network.queue.maximumSilence) = (1, nil)
    }
    let first = Task { try await pipeline.response(for: request) }
    try await until { transport.clock.sleepers == 1 }
    let other = ImageRequest(location: "http://a.test/b.png", style: .circle(8))
    let second = Task { try await pipeline.response(for: other) }
    try await until { pipeline.downloads.waiting == 1 }
    transport.clock.advance(by: .seconds(2))
    let metrics = try await first.value.metrics
    #expect(metrics.queue == .zero)
    #expect(metrics.total == .seconds(2))
    #expect(metrics.decode > .zero)
    #expect(metrics.style > .zero)
    try await until { transport.clock.sleepers == 1 }
    transport.clock.advance(by: .seconds(2))
    let later = try await second.value.metrics
    #expect(later.queue == .seconds(2))
    #expect(later.total == .seconds(4))
    #expect(summaries.items.map(\.metrics) == [metrics, later])
  }

  @Test func whatTheTransferCostIsTheTransports() async throws {
    let png = png
    let transport = FakeTransport { (request, _) throws(TransportError) in
      var metrics = TransferMetrics()
      metrics.receivedBytes = 1234
      return TransportResponse(status: 200, body: png, url: request.url, metrics: metrics)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let metrics = try await pipeline.response(for: request).metrics
    #expect(metrics.transfer?.receivedBytes == 1234)
  }

  @Test func aDecodeInMemoryTakesNoTime() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request)
    var other = request
    other.style = .rounded(width: 8, height: 8, cornerRadius: 2)
    let metrics = try await pipeline.response(for: other).metrics
    #expect(metrics.decode == .zero)
    #expect(metrics.style > .zero)
  }

  @Test func aPrefetchListTellsTheLastErrors() async throws {
    transport.respond(with: .status(404))
    let requests = (0..<20).map {
      ImageRequest(location: "http://a.test/\($0).png", style: .circle(8))
    }
    let options = PrefetchOptions(maximumConcurrent: 1)
    let progress = await Prefetcher(pipeline(), options: options).start(requests).wait()
    #expect(progress.failed == 20)
    #expect(
      progress.lastErrors == (4..<20).map { .status(404, url: "http://a.test/\($0).png") }
    )
  }
}
