import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

/// Servers that ask to be left alone for a while.
@Suite("Retry-After", .timeLimit(.minutes(10)))
struct RetryAfterTests {
  private let clock = ManualClock()
  private let transport: FakeTransport
  private let png: [UInt8]

  init() throws {
    transport = FakeTransport(clock: clock)
    png = try Square.png(50)
    transport.respond(with: .ok(png))
  }

  /// A pipeline with the default retries and memory of failures.
  private func pipeline(
    _ change: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    .deterministic(transport: transport) {
      $0.network = NetworkOptions()
      change(&$0)
    }
  }

  private func request(_ name: Int, host: String = "a.test") -> ImageRequest {
    ImageRequest(location: "http://\(host)/\(name).png", style: .circle(8))
  }

  private func busy(_ status: Int, _ seconds: Int) -> FakeResponse {
    .status(status, ["Retry-After": "\(seconds)"])
  }

  /// How each of some requests ends, which are made together.
  private func errors(
    _ pipeline: ImagePipeline,
    _ requests: [ImageRequest]
  ) async -> [ImageError?] {
    await withTaskGroup(of: ImageError?.self) { group in
      for request in requests {
        group.addTask {
          do throws(ImageError) {
            _ = try await pipeline.image(for: request)
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test(arguments: [429, 503])
  func aHostThatAskedForAMinuteIsLeftAlone(status: Int) async throws {
    transport.respond(with: busy(status, 60))
    let pipeline = pipeline()
    let errors = await errors(pipeline, (0..<30).map { request($0) })
    #expect(transport.urls.count <= 6)
    // Those that were not sent say until when the host is left alone.
    let named = errors.filter { "\($0.map { "\($0)" } ?? "")".contains("08:01:00 GMT") }
    #expect(named.count >= 24)
    let before = transport.urls.count
    transport.respond(with: .ok(png))
    clock.advance(by: .seconds(20))
    _ = await self.errors(pipeline, [request(99)])
    #expect(transport.urls.count == before)
    _ = try await pipeline.image(for: request(99, host: "b.test"))
    clock.advance(by: .seconds(40))
    _ = try await pipeline.image(for: request(99))
  }

  @Test func aShortPauseIsWaitedForByAllRequestsOfTheHost() async throws {
    transport.respond(with: busy(503, 7), .ok(png))
    let pipeline = pipeline()
    let first = Task { try await pipeline.image(for: request(0)) }
    await clock.waitForSleepers()
    let others = (1...20).map { number in
      Task { try await pipeline.image(for: request(number)) }
    }
    try await until { clock.sleepers == 21 || transport.urls.count == 21 }
    #expect(transport.urls.count == 1)
    #expect(pipeline.downloads == (0, 0))
    clock.advance(by: .seconds(7))
    for task in [first] + others { _ = try await task.value }
    #expect(transport.urls.count == 22)
  }

  @Test func aPauseLongerThanTheRequestsTimeoutIsNotWaitedFor() async throws {
    transport.respond(with: busy(503, 7), .ok(png))
    let pipeline = pipeline()
    let first = Task { try await pipeline.image(for: request(0)) }
    await clock.waitForSleepers()
    var hasty = request(1)
    hasty.transfer.timeout = .seconds(5)
    let errors = await errors(pipeline, [hasty])
    #expect("\(errors)".contains("08:00:07 GMT"))
    #expect(transport.urls.count == 1)
    clock.advance(by: .seconds(7))
    _ = try await first.value
  }

  @Test func otherStatusesConcernTheirSourceAlone() async throws {
    transport.respond(with: busy(500, 60), .ok(png))
    let pipeline = pipeline()
    _ = await errors(pipeline, [request(0)])
    #expect(transport.urls.count == 1)
    #expect("\(await errors(pipeline, [request(0)]))".contains("08:01:00 GMT"))
    #expect(transport.urls.count == 1)
    _ = try await pipeline.image(for: request(1))
    clock.advance(by: .seconds(60))
    _ = try await pipeline.image(for: request(0))
  }

  @Test func aPauseCanBeForgotten() async throws {
    for forget in [{ $0.removeFailure(of: $1) }, { pipeline, _ in pipeline.removeAllFailures() }]
      as [(ImagePipeline, ImageRequest) -> Void]
    {
      transport.respond(with: busy(429, 60), .ok(png))
      let pipeline = pipeline()
      _ = await errors(pipeline, [request(0)])
      #expect(await errors(pipeline, [request(0)]) != [nil])
      forget(pipeline, request(0))
      _ = try await pipeline.image(for: request(0))
    }
  }
}
