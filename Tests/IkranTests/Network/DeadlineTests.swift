import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct DeadlineTests {
  enum Entrance: CaseIterable {
    case response, task, events, probe
  }

  private let clock = ManualClock()
  private let door = Latch()
  private let transport: FakeTransport

  init() throws {
    let png = try TestImages.png(width: 8, height: 8)
    transport = FakeTransport { [door] (request, _) throws(TransportError) in
      guard await door.wait() else { throw .cancelled }
      return TransportResponse(status: 200, body: png, url: request.url)
    }
  }

  private func pipeline(_ transport: any Transport) -> ImagePipeline {
    ImagePipeline(options: .steady, transport: transport, clock: clock.pipelineClock)
  }

  private func request(_ deadline: Duration? = .seconds(2)) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png?token=1", style: .original)
    request.deadline = deadline
    return request
  }

  private func load(
    _ request: ImageRequest,
    _ pipeline: ImagePipeline,
    by entrance: Entrance = .response
  ) async throws -> Int {
    switch entrance {
    case .response: return try await pipeline.response(for: request).image.width
    case .task: return try await pipeline.task(for: request).response.image.width
    case .probe: return try await pipeline.probe(request).size.width
    case .events:
      for await event in pipeline.events(for: request) {
        switch event {
        case .finished(let response): return response.image.width
        case .failed(let error): throw error
        case .cached, .progress, .preview, .unchanged: continue
        }
      }
      throw CancellationError()
    }
  }

  @Test(arguments: Entrance.allCases)
  func aRequestFailsWhenItsDeadlineHasPassed(entrance: Entrance) async throws {
    let pipeline = pipeline(transport)
    let caller = Task { try await load(request(), pipeline, by: entrance) }
    await door.arrivals(1)
    try await until { clock.sleepers == 1 }
    clock.advance(by: .seconds(2))
    await #expect(throws: ImageError.timedOut(.seconds(2), url: "http://a.test/a.png")) {
      try await caller.value
    }
    // The download, which no other caller waits for, is cancelled.
    try await until { pipeline.downloads.running == 0 }
  }

  @Test func theOtherCallersOfADownloadWaitOn() async throws {
    let pipeline = pipeline(transport)
    let patient = Task { try await load(request(nil), pipeline) }
    let hasty = Task { try await load(request(), pipeline) }
    try await until { pipeline.activity.requests == 2 && clock.sleepers == 1 }
    clock.advance(by: .seconds(2))
    await #expect(throws: ImageError.self) { try await hasty.value }
    try await until { pipeline.activity.requests == 1 }
    door.open()
    #expect(try await patient.value == 8)
    #expect(transport.urls.count == 1)
  }

  @Test func theWaitBeforeARetryCounts() async throws {
    let origin = ScriptedOrigin([.status(503, ["Retry-After": "20"])])
    let pipeline = pipeline(origin)
    let caller = Task { try await load(request(), pipeline) }
    try await until { clock.sleepers == 2 }
    clock.advance(by: .seconds(2))
    await #expect(throws: ImageError.timedOut(.seconds(2), url: "http://a.test/a.png")) {
      try await caller.value
    }
    #expect(origin.requests.count == 1)
  }

  @Test func whatComesInTimeIsAsWithoutADeadline() async throws {
    door.open()
    let pipeline = pipeline(transport)
    #expect(try await load(request(), pipeline) == 8)
    #expect(try await pipeline.response(for: request(nil)).source == .memory)
    try await until { clock.sleepers == 0 }
  }

  @Test func aCancelledCallerReturnsAtOnce() async throws {
    let pipeline = pipeline(transport)
    let caller = Task { try await load(request(), pipeline) }
    await door.arrivals(1)
    caller.cancel()
    await #expect(throws: ImageError.cancelled) { try await caller.value }
    try await until { clock.sleepers == 0 }
  }

  @Test func aDeadlineIsNoPartOfTheSourcesName() {
    #expect(request().sourceKey == request(nil).sourceKey)
  }
}
