import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What a request, or its response, says of what is stored: RFC 9111, sections 4.4 and 5.2.1.
@Suite(.timeLimit(.minutes(10)))
struct InvalidationTests {
  private let older: [UInt8]
  private let newer: [UInt8]
  private let disk = FakeDisk()
  private let clock = ManualClock()

  init() throws {
    older = try TestImages.png(width: 8, height: 8)
    newer = try TestImages.png(width: 9, height: 9)
  }

  private func pipeline(
    _ origin: ScriptedOrigin,
    retry: RetryPolicy = .none
  ) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = retry
    options.network.failures = .none
    return ImagePipeline(
      options: options,
      transport: origin,
      diskCache: disk,
      clock: clock.pipelineClock
    )
  }

  private func request(_ method: String = "GET", _ fields: [String: String] = [:]) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: .original)
    request.transfer.method = method
    request.transfer.headers = ScriptedOrigin.Answer.fields(fields)
    return request
  }

  // MARK: - Unsafe methods

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
  func aSuccessfulUnsafeMethodInvalidatesWhatIsStored(method: String) async throws {
    let origin = ScriptedOrigin([.ok(older), .status(204), .ok(newer)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.image(for: request())
    // It brings no image, which its caller hears.
    await #expect(throws: ImageError.status(204, url: "http://a.test/a.png")) {
      try await pipeline.image(for: request(method))
    }
    #expect(pipeline.cached(for: request()) == nil)
    #expect(try await pipeline.image(for: request()).width == 9)
    await pipeline.finishWriting()
    #expect(try disk.body(for: "\(SourceKey("http://a.test/a.png"))") == newer)
  }

  @Test func anUnsafeMethodThatBringsAnImageInvalidatesToo() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(older), .ok(newer), .ok(newer)]))
    _ = try await pipeline.image(for: request())
    _ = try await pipeline.image(for: request("PUT"))
    #expect(try await pipeline.response(for: request()).source == .network)
  }

  @Test(arguments: [400, 404, 410, 500])
  func anUnsafeMethodThatFailsInvalidatesNothing(status: Int) async throws {
    let origin = ScriptedOrigin([.ok(older), .status(status)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.image(for: request())
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request("DELETE")) }
    #expect(try await pipeline.response(for: request()).source == .memory)
  }

  @Test func whatWasMissingIsAskedForAgainOnceItWasPut() async throws {
    var options = PipelineOptions.steady
    options.network.failures = FailureOptions()
    let origin = ScriptedOrigin([.status(404), .status(204), .ok(newer)])
    let pipeline = ImagePipeline(options: options, transport: origin)
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request("PUT")) }
    #expect(try await pipeline.image(for: request()).width == 9)
  }

  @Test(arguments: [("POST", 1), ("PATCH", 1), ("PUT", 3), ("DELETE", 3), ("GET", 3)])
  func onlyIdempotentMethodsAreRetried(method: String, tries: Int) async throws {
    let origin = ScriptedOrigin([.failure(.connectionLost(received: 0))])
    let pipeline = pipeline(origin, retry: .fixed(maximum: 2, delay: .zero))
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request(method)) }
    #expect(origin.requests.count == tries)
  }

  // MARK: - What is gone

  @Test(arguments: [404, 410])
  func whatIsGoneIsNotShownByALaterProcess(status: Int) async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=1"]), .status(status)])
    let folder = try TemporaryDirectory()
    func load(_ style: Style) async throws -> Bitmap {
      var options = PipelineOptions.steady
      options.network.retry = .none
      options.network.failures = .none
      options.disk = DiskOptions(directory: folder.path)
      options.tables = TableOptions()
      let pipeline = ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
      var request = request()
      request.style = style
      let result: Result<Bitmap, ImageError>
      do throws(ImageError) { result = .success(try await pipeline.image(for: request)) } catch {
        result = .failure(error)
      }
      await pipeline.finishWriting()
      return try result.get()
    }
    _ = try await load(.circle(4))
    clock.advance(by: .seconds(2))
    await #expect(throws: ImageError.status(status, url: "http://a.test/a.png")) {
      try await load(.circle(4))
    }
    origin.answer(.failure(.cannotConnect("a.test")))
    for style in [Style.circle(4), .original] {
      await #expect(throws: ImageError.self) { try await load(style) }
    }
  }

  @Test func aTroubledOriginTakesNothingAway() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=1"]), .status(503)])
    let first = pipeline(origin)
    _ = try await first.image(for: request())
    clock.advance(by: .seconds(2))
    _ = try await first.image(for: request())
    await first.finishWriting()
    #expect(try await pipeline(origin).image(for: request()).width == 8)
  }

  /// RFC 9111, section 4.3.4: the fields of a 304 take the place of the stored ones.
  @Test(arguments: [
    ["Cache-Control": "no-store"], ["Vary": "*", "Cache-Control": "max-age=3600"],
  ])
  func aConfirmationMayForbidToStore(fields: [String: String]) async throws {
    let stored = ["Cache-Control": "max-age=1", "ETag": "\"1\""]
    let origin = ScriptedOrigin([.ok(older, stored), .status(304, fields), .ok(newer, fields)])
    let first = pipeline(origin)
    _ = try await first.image(for: request())
    clock.advance(by: .seconds(2))
    for _ in 0..<2 { #expect(try await first.response(for: request()).source == .network) }
    await first.finishWriting()
    #expect(disk.keys.isEmpty)
    #expect(first.cached(for: request()) == nil)
  }

  // MARK: - The request's own directives

  @Test func whatARequestForbidsToStoreIsNotStored() async throws {
    let origin = ScriptedOrigin([.ok(older)])
    let pipeline = pipeline(origin)
    for _ in 0..<2 {
      let response = try await pipeline.response(for: request("GET", ["cache-control": "no-store"]))
      #expect(response.source == .network)
    }
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
    #expect(pipeline.cached(for: request()) == nil)
  }

  @Test(arguments: [
    ["Cache-Control": "no-cache"], ["Cache-Control": "max-age=0"], ["Pragma": "no-cache"],
  ])
  func whatARequestWantsValidatedIsAskedForFirst(fields: [String: String]) async throws {
    let fresh = ["Cache-Control": "max-age=99", "ETag": "\"1\""]
    let origin = ScriptedOrigin([.ok(older, fresh), .status(304)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.image(for: request())
    #expect(try await pipeline.response(for: request("GET", fields)).source == .memory)
    #expect(origin.requests.count == 2)
    #expect(origin.header("if-none-match", of: 1) == "\"1\"")
    origin.answer(.ok(newer, fresh))
    #expect(try await pipeline.image(for: request("GET", fields)).width == 9)
    // It is the same source: another request has the newer file, too.
    #expect(try await pipeline.response(for: request()).image.width == 9)
    #expect(origin.requests.count == 3)
  }

  @Test(arguments: [(304, "finished"), (503, "failed")])
  func whatARequestWantsValidatedIsNotShownBefore(status: Int, ending: String) async throws {
    let fields = ["Cache-Control": "max-age=99", "ETag": "\"1\""]
    let pipeline = pipeline(ScriptedOrigin([.ok(older, fields), .status(status)]))
    _ = try await pipeline.image(for: request())
    var events: [String] = []
    for await event in pipeline.events(for: request("GET", ["Cache-Control": "no-cache"])) {
      switch event {
      case .cached: events.append("cached")
      case .progress, .preview: break
      case .finished: events.append("finished")
      case .unchanged: events.append("unchanged")
      case .failed: events.append("failed")
      }
    }
    #expect(events == [ending])
  }

  @Test func refreshingMakesCachesOnTheWayRevalidate() async throws {
    let origin = ScriptedOrigin([.ok(older)])
    let pipeline = pipeline(origin)
    var request = request()
    _ = try await pipeline.image(for: request)
    #expect(origin.header("cache-control", of: 0) == nil)
    request.caching.policy = .refresh
    _ = try await pipeline.image(for: request)
    #expect(origin.header("cache-control", of: 1) == "max-age=0")
    request.caching.policy = .reload
    _ = try await pipeline.image(for: request)
    #expect(origin.header("cache-control", of: 2) == "no-cache")
    #expect(origin.header("pragma", of: 2) == "no-cache")
    #expect(origin.requests.count == 3)
  }

  // MARK: - Without a lifetime

  @Test func whatHasNoLifetimeIsRevalidatedOnceBehindAllWhoShowIt() async throws {
    let origin = ScriptedOrigin([.ok(older, [:]), .ok(older, [:])])
    let pipeline = pipeline(origin)
    _ = try await pipeline.image(for: request())
    for _ in 0..<9 {
      #expect(try await pipeline.response(for: request()).source == .memory)
      await pipeline.finishWriting()
    }
    #expect(origin.requests.count == 2)
    clock.advance(by: .seconds(61))
    origin.answer(.ok(newer, [:]))
    #expect(try await pipeline.image(for: request()).width == 8)
    await pipeline.finishWriting()
    #expect(try await pipeline.image(for: request()).width == 9)
  }

  @Test(arguments: [201, 202])
  func aStatusThatAllowsNoHeuristicsIsNotReused(status: Int) async throws {
    let origin = ScriptedOrigin([.response(status: status, headers: [], body: older)])
    let pipeline = pipeline(origin)
    for _ in 0..<2 {
      #expect(try await pipeline.response(for: request()).source == .network)
    }
    let fields = [HeaderField("Cache-Control", "max-age=60")]
    origin.answer(.response(status: status, headers: fields, body: older))
    #expect(try await pipeline.response(for: request()).source == .network)
    #expect(try await pipeline.response(for: request()).source == .memory)
  }
}
