import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct RetryTests {
  private let png: [UInt8]
  private let clock = ManualClock()

  init() throws { png = try TestImages.png(width: 8, height: 8) }

  private func pipeline(
    _ origin: ScriptedOrigin,
    _ change: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    var options = PipelineOptions.steady
    change(&options)
    return ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
  }

  private var request: ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: .original)
  }

  /// Loads the image and lets every wait pass.
  private func load(_ pipeline: ImagePipeline) async throws -> Result<ImageResponse, ImageError> {
    let task = Task { () async -> Result<ImageResponse, ImageError> in
      do throws(ImageError) { return .success(try await pipeline.response(for: request)) } catch {
        return .failure(error)
      }
    }
    let ended = Recorder<Bool>()
    Task {
      _ = await task.value
      ended.add(true)
    }
    while ended.items.isEmpty {
      try Task.checkCancellation()
      if clock.sleepers > 0 { clock.advance(by: .seconds(3600)) }
      await Task.yield()
    }
    return await task.value
  }

  @Test(arguments: [
    ScriptedOrigin.Answer.failure(.cannotConnect("a.test")),
    .failure(.timedOut(after: .seconds(1))),
    .failure(.connectionLost(received: 3)), .failure(.hostNotFound("a.test")),
    .failure(.tooSlow(MinimumSpeed(bytesPerSecond: 100, over: .seconds(15)))),
    .status(408), .status(425), .status(429), .status(500), .status(503), .status(520),
    .status(529),
  ])
  func whatCanSucceedIsTriedAgain(_ failure: ScriptedOrigin.Answer) async throws {
    let origin = ScriptedOrigin([failure, failure, .ok(png)])
    let pipeline = pipeline(origin)
    #expect(try await load(pipeline).get().source == .network)
    #expect(origin.requests.count == 3)
    #expect(pipeline.statistics.retries == 2)
  }

  @Test(arguments: [
    ScriptedOrigin.Answer.failure(.connectionLost(received: 3)), .status(503),
  ])
  func aProbeIsTriedAgainToo(_ failure: ScriptedOrigin.Answer) async throws {
    let origin = ScriptedOrigin([failure, failure, .ok(png)])
    let pipeline = pipeline(origin) { $0.network.retry = .fixed(maximum: 2, delay: .zero) }
    #expect(try await pipeline.probe(request).size.width == 8)
    #expect(origin.requests.count == 3)
    #expect(pipeline.statistics.retries == 2)
  }

  @Test func aProbeWaitsAsLongAsTheServerAsks() async throws {
    let origin = ScriptedOrigin([.status(503, ["Retry-After": "7"]), .ok(png)])
    let pipeline = pipeline(origin)
    let probe = Task { try await pipeline.probe(request) }
    try await until { clock.sleepers == 1 }
    #expect(clock.sleeps == [.seconds(7)])
    // Its place in the queue is free meanwhile.
    #expect(pipeline.downloads.running == 0)
    clock.advance(by: .seconds(7))
    #expect(try await probe.value.size.width == 8)
  }

  @Test(arguments: [
    ScriptedOrigin.Answer.failure(.tls("expired")), .failure(.invalidResponse("two lengths")),
    .failure(.contentEncoding("unknown")), .failure(.tooManyRedirects(limit: 5)),
    .failure(.bodyTooLarge(limit: 5)), .status(404), .status(401), .status(501),
    .ok(Array("<html>".utf8)),
  ])
  func whatCannotSucceedIsFinal(_ failure: ScriptedOrigin.Answer) async throws {
    let origin = ScriptedOrigin([failure, .ok(png)])
    let ending = try await load(pipeline(origin))
    #expect(throws: ImageError.self) { try ending.get() }
    #expect(origin.requests.count == 1)
    #expect(clock.sleeps.isEmpty)
  }

  @Test func theLastFailureIsTheCallers() async throws {
    let origin = ScriptedOrigin([.status(500), .status(503), .status(502), .ok(png)])
    let ending = try await load(pipeline(origin))
    #expect(throws: ImageError.status(502, url: "http://a.test/a.png")) { try ending.get() }
  }

  @Test(arguments: [
    (RetryPolicy.fixed(maximum: 3, delay: .seconds(3)), [3.0, 3, 3]),
    (RetryPolicy(maximum: 3, delay: .accumulated(step: .seconds(2))), [2, 4, 6]),
    (RetryPolicy(maximum: 3, delay: .custom { $0 < 3 ? .seconds($0 * 10) : nil }), [10, 20]),
  ])
  func theWaitsAreThoseOfThePolicy(_ policy: RetryPolicy, _ waits: [Double]) async throws {
    let origin = ScriptedOrigin([.status(500)])
    _ = try await load(pipeline(origin) { $0.network.retry = policy })
    #expect(clock.sleeps == waits.map { .seconds($0) })
  }

  @Test func aPolicyOfTheProgramsIsAskedOnceForEachRetry() async throws {
    let asked = Recorder<Int>()
    let delay = RetryPolicy.Delay.custom { retry in
      asked.add(retry)
      return retry < 3 ? .seconds(1) : nil
    }
    let origin = ScriptedOrigin([.status(500)])
    _ = try await load(
      pipeline(origin) { $0.network.retry = RetryPolicy(maximum: 3, delay: delay) }
    )
    #expect(asked.items == [1, 2, 3])
    #expect(origin.requests.count == 3)
  }

  @Test func wavesOfRetriesAreSpreadByChance() {
    let policy = RetryPolicy.exponential(maximum: 9, base: .seconds(1), longest: .seconds(10))
    for (retry, most) in [(1, 1.0), (2, 2), (3, 4), (4, 8), (5, 10), (9, 10)] {
      #expect(policy.waitingTime(before: retry, retryAfter: nil, chance: 0) == .seconds(most / 2))
      #expect(policy.waitingTime(before: retry, retryAfter: nil, chance: 1) == .seconds(most))
    }
    #expect(policy.waitingTime(before: 10, retryAfter: nil, chance: 0) == nil)
  }

  @Test func aServerThatAsksForPatienceGetsIt() async throws {
    let origin = ScriptedOrigin([
      .status(503, ["Retry-After": "7"]),
      .status(429, ["Retry-After": HTTPDate.text(1_800_000_000 + 3600 + 20)]), .ok(png),
    ])
    _ = try await load(pipeline(origin)).get()
    #expect(clock.sleeps == [.seconds(7), .seconds(20)])
  }

  @Test func aServerThatAsksForTooMuchEndsIt() async throws {
    let origin = ScriptedOrigin([.status(503, ["Retry-After": "31"]), .ok(png)])
    await #expect(throws: ImageError.self) { try await load(pipeline(origin)).get() }
    #expect(clock.sleeps.isEmpty)
  }

  @Test func aCallerCancelledDuringAWaitReturnsAtOnce() async throws {
    let pipeline = pipeline(ScriptedOrigin([.status(500)]))
    let task = Task { try await pipeline.response(for: request) }
    try await until { clock.sleepers == 1 }
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
    try await until { clock.sleepers == 0 }
  }

  @Test func aDownloadThatWaitsToBeTriedAgainHoldsNoPlace() async throws {
    let origin = ScriptedOrigin([.status(500), .ok(png)])
    let pipeline = pipeline(origin) { $0.network.queue.maximumConcurrent = 1 }
    let waiting = Task { try await pipeline.response(for: request) }
    try await until { clock.sleepers == 1 }
    let other = ImageRequest(location: "http://a.test/b.png", style: .original)
    _ = try await pipeline.response(for: other)
    clock.advance(by: .seconds(60))
    _ = try await waiting.value
  }

  // MARK: - Sources that failed

  @Test func aMissingSourceIsNotAskedAgainForAWhile() async throws {
    let origin = ScriptedOrigin([.status(404), .ok(png)])
    let pipeline = pipeline(origin)
    for _ in 0..<2 {
      await #expect(throws: ImageError.status(404, url: "http://a.test/a.png")) {
        try await load(pipeline).get()
      }
    }
    #expect(origin.requests.count == 1)
    clock.advance(by: .seconds(60))
    _ = try await load(pipeline).get()
  }

  @Test func aFailureCanBeForgotten() async throws {
    for forget in [{ $0.removeFailure(of: $1) }, { pipeline, _ in pipeline.removeAllFailures() }]
      as [(ImagePipeline, ImageRequest) -> Void]
    {
      let pipeline = pipeline(ScriptedOrigin([.status(403), .ok(png)]))
      _ = try await load(pipeline)
      forget(pipeline, request)
      _ = try await load(pipeline).get()
    }
  }

  @Test func reloadingAsksAgain() async throws {
    let pipeline = pipeline(ScriptedOrigin([.status(410), .ok(png)]))
    _ = try await load(pipeline)
    var again = request
    again.caching.policy = .reload
    _ = try await pipeline.response(for: again)
    _ = try await load(pipeline).get()
  }

  @Test(arguments: [nil, "AVIF"])
  func anImageThatCannotBeDecodedIsNotAskedAgainForAWhile(format: String?) async throws {
    let avif = [0, 0, 0, 0x1C] + Array("ftypavif".utf8) + [UInt8](repeating: 0, count: 16)
    let broken = format == nil ? Array(png.prefix(12)) : avif
    let origin = ScriptedOrigin([.ok(broken), .ok(png)])
    let pipeline = pipeline(origin)
    for _ in 0..<2 {
      await #expect(throws: ImageError.self) { try await load(pipeline).get() }
    }
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: ["<!DOCTYPE html><title>Log in</title>", #"{"error": "log in"}"#, ""])
  func aPageInPlaceOfAnImageIsNotRemembered(page: String) async throws {
    let origin = ScriptedOrigin([.ok(Array(page.utf8)), .ok(png)])
    let pipeline = pipeline(origin)
    await #expect(throws: ImageError.self) { try await load(pipeline).get() }
    _ = try await load(pipeline).get()
  }

  @Test func whatMustNotBeStoredIsNotRememberedAsAFailure() async throws {
    for status in [200, 404] {
      let broken = FakeResponse(
        status: status,
        headers: [HeaderField("Cache-Control", "no-store")],
        body: Array(png.prefix(12))
      )
      let pipeline = pipeline(ScriptedOrigin([broken, .ok(png)]))
      await #expect(throws: ImageError.self) { try await load(pipeline).get() }
      _ = try await load(pipeline).get()
    }
  }

  @Test func theProgramMayRememberAPageInPlaceOfAnImage() async throws {
    let origin = ScriptedOrigin([.ok(Array("<html>".utf8)), .ok(png)])
    let pipeline = pipeline(origin) { $0.hooks.remembers = { _ in .seconds(60) } }
    for _ in 0..<2 {
      await #expect(throws: ImageError.self) { try await load(pipeline).get() }
    }
    #expect(origin.requests.count == 1)
  }

  @Test func troubleOnTheWayIsNotRemembered() async throws {
    let origin = ScriptedOrigin([.failure(.tls("expired")), .ok(png)])
    let pipeline = pipeline(origin)
    await #expect(throws: ImageError.self) { try await load(pipeline).get() }
    _ = try await load(pipeline).get()
  }
}
