import FoundationEssentials
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What is shown while a host cannot be reached.
@Suite("Unreachable hosts", .timeLimit(.minutes(10)))
struct UnreachableHostTests {
  private static let count = 100
  private let clock = ManualClock()
  private let png: [UInt8]

  init() throws { png = try Square.png(50) }

  private func pipeline(
    _ transport: any Transport,
    _ configure: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    // Retries and the memory of failures are the defaults.
    var options = PipelineOptions.steady
    configure(&options)
    return ImagePipeline(options: options, transport: transport, clock: clock.pipelineClock)
  }

  private func request(_ number: Int, host: String = "a.test") -> ImageRequest {
    ImageRequest(location: "http://\(host)/\(number).png", style: .circle(8))
  }

  /// A pipeline with a hundred images that have become stale, and an origin that is gone.
  private func stale(
    _ failure: TransportError,
    _ control: String = "max-age=1",
    _ configure: (inout PipelineOptions) -> Void = { _ in }
  ) async throws -> (ImagePipeline, FakeTransport) {
    let transport = FakeTransport([.ok(png, ["Cache-Control": control])])
    let pipeline = pipeline(transport, configure)
    for number in 0..<Self.count { _ = try await pipeline.image(for: request(number)) }
    clock.advance(by: .seconds(5))
    transport.respond(with: .failure(failure))
    return (pipeline, transport)
  }

  @Test(arguments: [TransportError.cannotConnect("a.test"), .timedOut(after: .seconds(10))])
  func oneConnectionFailureShowsEveryStaleImageOfTheHost(failure: TransportError) async throws {
    let (pipeline, transport) = try await stale(failure)
    for number in 0..<Self.count {
      #expect(try await pipeline.response(for: request(number)).source == .memory)
    }
    #expect(transport.urls.count == Self.count + 1)
    #expect(clock.sleeps.isEmpty)
    // Another style of a file that memory has is made at once, too.
    var other = request(7)
    other.style = .circle(9)
    #expect(try await Square.shade(pipeline.image(for: other)) == 50)
    #expect(transport.urls.count == Self.count + 1)
    // It is no failure of the source's.
    #expect(pipeline.failure(of: request(0)) == nil)
    clock.advance(by: .seconds(31))
    for number in 0..<Self.count { _ = try await pipeline.image(for: request(number)) }
    #expect(transport.urls.count == Self.count + 2)
  }

  @Test func staleImagesThatAreRequestedTogetherWaitForOneRoundOfFailures() async throws {
    let (pipeline, transport) = try await stale(.cannotConnect("a.test")) {
      $0.network.queue.maximumConcurrent = 4
    }
    pipeline.isSuspended = true
    let tasks = (0..<Self.count).map { number in
      Task { try await pipeline.image(for: request(number)) }
    }
    try await until { pipeline.activity.requests == Self.count }
    pipeline.isSuspended = false
    for task in tasks { #expect(try await Square.shade(task.value) == 50) }
    #expect(transport.urls.count <= Self.count + 4)
  }

  @Test func whatNoCacheHasIsStillRequested() async throws {
    let (pipeline, transport) = try await stale(.cannotConnect("a.test")) {
      $0.network.retry = .none
    }
    _ = try await pipeline.image(for: request(0))
    for attempt in 1...2 {
      await #expect(throws: ImageError.self) { try await pipeline.image(for: request(-1)) }
      #expect(transport.urls.count == Self.count + 1 + attempt)
    }
    transport.respond(with: .ok(try Square.png(200)))
    #expect(try await Square.shade(pipeline.image(for: request(-1))) == 200)
    // The host can be reached: what is stale is revalidated again.
    #expect(try await Square.shade(pipeline.image(for: request(1))) == 200)
  }

  @Test func aDeadProxyDoesNotMakeTheHostUnreachable() async throws {
    let failure = TransportError.proxyFailed(host: "proxy.test:3128", reason: "no answer")
    let (pipeline, transport) = try await stale(failure) { $0.network.retry = .none }
    for number in 0..<10 { _ = try await pipeline.image(for: request(number)) }
    #expect(transport.urls.count == Self.count + 10)
    await #expect(throws: ImageError.transport(failure, url: "http://a.test/-1.png")) {
      try await pipeline.image(for: request(-1))
    }
  }

  @Test func theHostsInTroubleAreBounded() {
    let (hosts, times) = (UnreachableHosts(), RetryTimes())
    for number in 0..<30_000 {
      let error = ImageError.transport(.cannotConnect("\(number).test"), url: "")
      hosts.add(error, of: "\(number).test", connectTimeout: .seconds(1), at: 0)
      let source = SourceKey("\(number)")
      times.addPause(.seconds(9), status: 429, of: source, host: "\(number).test", at: 0)
    }
    #expect(hosts.count <= 1_000)
    #expect(times.count <= 2 * RetryTimes.maximumCount)
    #expect(times.pause(of: nil, host: "29999.test", at: 1)?.status == 429)
  }

  @Test func otherHostsAreAsked() async throws {
    let (pipeline, transport) = try await stale(.cannotConnect("a.test"))
    _ = try await pipeline.image(for: request(0))
    transport.respond(with: .ok(png))
    _ = try await pipeline.image(for: request(0, host: "b.test"))
    #expect(transport.urls.last == "http://b.test/0.png")
  }

  @Test func aTransferWithLittleTimeSaysNothingOfTheHost() async throws {
    let (pipeline, transport) = try await stale(.timedOut(after: .milliseconds(500)))
    var hasty = request(0)
    hasty.transfer.timeout = .milliseconds(500)
    _ = try await pipeline.image(for: hasty)
    transport.respond(with: .ok(try Square.png(200)))
    #expect(try await Square.shade(pipeline.image(for: request(1))) == 200)
  }

  @Test func whatIsRevalidatedInTheBackgroundIsNotTriedEither() async throws {
    let (pipeline, transport) = try await stale(
      .cannotConnect("a.test"),
      "max-age=1, stale-while-revalidate=600"
    ) { $0.network.retry = .none }
    for number in 0..<Self.count {
      _ = try await pipeline.image(for: request(number))
      await pipeline.finishWriting()
    }
    #expect(transport.urls.count == Self.count + 1)
  }

  @Test func staleRedirectsAreFollowedAtOnce() async throws {
    let transport = FakeTransport()
    let fields = ["Cache-Control": "max-age=1"]
    transport.respond(with: .ok(png, fields))
    for number in 0..<Self.count {
      let location = ["Location": "/\(number).png"].merging(fields) { first, _ in first }
      transport.respond(
        to: try #require(URL(string: "http://a.test/old/\(number)")),
        with: .status(301, location),
        .failure(.cannotConnect("a.test"))
      )
    }
    let pipeline = pipeline(transport)
    func request(_ number: Int) -> ImageRequest {
      ImageRequest(location: "http://a.test/old/\(number)", style: .circle(8))
    }
    for number in 0..<Self.count { _ = try await pipeline.image(for: request(number)) }
    let before = transport.urls.count
    clock.advance(by: .seconds(5))
    transport.respond(with: .failure(.cannotConnect("a.test")))
    async let first = pipeline.image(for: request(0))
    // The redirect of the first is tried again like any download.
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
    }
    _ = try await first
    let tried = transport.urls.count
    #expect(tried - before <= 4)
    for number in 1..<Self.count {
      #expect(try await Square.shade(pipeline.image(for: request(number))) == 50)
    }
    #expect(transport.urls.count == tried)
  }
}
