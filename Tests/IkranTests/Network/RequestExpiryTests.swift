import IkranStores
import Support
import Testing

@testable import Ikran

/// How long an image is shown without asking its origin, as a request wants it.
@Suite(.timeLimit(.minutes(10)))
struct RequestExpiryTests {
  private let png: [UInt8]
  private let transport = FakeTransport()

  init() throws { png = try TestImages.png(width: 8, height: 8) }

  private func request(_ expiry: ResponseOptions.Expiry?) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: .circle(4))
    request.caching.expiry = expiry
    return request
  }

  private func pipeline(_ headers: String) async throws -> ImagePipeline {
    let fields = ["Cache-Control": headers, "ETag": "\"1\""]
    transport.respond(with: .ok(png, fields), .status(304))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    _ = try await pipeline.image(for: request(nil))
    return pipeline
  }

  @Test func aFreshImageOlderThanTheRequestWantsIsRevalidated() async throws {
    let pipeline = try await pipeline("max-age=604800")
    transport.clock.advance(by: .seconds(60))
    _ = try await pipeline.image(for: request(.after(.seconds(61))))
    #expect(transport.urls.count == 1)
    _ = try await pipeline.image(for: request(.after(.seconds(60))))
    #expect(transport.urls.count == 2)
    // The origin has just confirmed it.
    _ = try await pipeline.image(for: request(.after(.seconds(60))))
    #expect(transport.urls.count == 2)
  }

  @Test(arguments: [ResponseOptions.Expiry.after(.seconds(3600)), .never])
  func aStaleImageIsShownForAsLongAsTheRequestWants(expiry: ResponseOptions.Expiry) async throws {
    let pipeline = try await pipeline("max-age=0, must-revalidate")
    transport.clock.advance(by: .seconds(60))
    #expect(try await pipeline.response(for: request(expiry)).source == .memory)
    #expect(transport.urls.count == 1)
    _ = try await pipeline.image(for: request(nil))
    #expect(transport.urls.count == 2)
  }

  @Test(arguments: [true, false])
  func whatAnyRequestOfATransferNeverAsksForAgainIsKept(isFirst: Bool) async throws {
    transport.respond(with: .ok(png, ["Cache-Control": "no-store"]))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    pipeline.isSuspended = true
    var tasks: [Task<Bitmap, any Error>] = []
    for expiry in isFirst ? [.never, nil] : [nil, ResponseOptions.Expiry.never] {
      tasks.append(Task { try await pipeline.image(for: request(expiry)) })
      try await until { pipeline.activity.requests == tasks.count }
    }
    pipeline.isSuspended = false
    for task in tasks { _ = try await task.value }
    #expect(transport.urls.count == 1)
    _ = try await pipeline.image(for: request(.never))
    #expect(transport.urls.count == 1)
  }

  @Test(arguments: [true, false])
  func whatMustNotBeStoredIsKeptWhereARequestWithoutExpiryWantsIt(isFirst: Bool) async throws {
    transport.respond(with: .ok(png, ["Cache-Control": "no-store, max-age=600"]))
    let folder = try TemporaryDirectory()
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    var forever = request(.never)
    forever.caching.stores = .memory
    pipeline.isSuspended = true
    var tasks: [Task<Bitmap, any Error>] = []
    for request in isFirst ? [forever, request(nil)] : [request(nil), forever] {
      tasks.append(Task { try await pipeline.image(for: request) })
      try await until { pipeline.activity.requests == tasks.count }
    }
    pipeline.isSuspended = false
    for task in tasks { _ = try await task.value }
    await pipeline.finishWriting()
    #expect(try await pipeline.response(for: forever).source == .memory)
    let later = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    var cached = request(.never)
    cached.caching.policy = .onlyCached
    let stored = await Task { [cached] in try await later.image(for: cached) }.result
    #expect(throws: ImageError.self) { try stored.get() }
  }

  @Test(arguments: [nil, ResponseOptions.Expiry.after(.seconds(3600))])
  func whatOneRequestStoresForEverIsAskedForByLaterProcesses(
    expiry: ResponseOptions.Expiry?
  ) async throws {
    transport.respond(with: .ok(png, ["Cache-Control": "no-store, max-age=600"]))
    let folder = try TemporaryDirectory()
    let first = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    _ = try await first.image(for: request(.never))
    await first.finishWriting()
    let later = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    _ = try await later.image(for: request(.never))
    #expect(transport.urls.count == 1)
    _ = try await later.image(for: request(expiry))
    #expect(transport.urls.count == 2)
  }

  @Test(arguments: [nil, ResponseOptions.Expiry.after(.seconds(3600))])
  func whatOneRequestStoresForEverIsNotForOthers(expiry: ResponseOptions.Expiry?) async throws {
    let headers = ["Cache-Control": "no-store, max-age=600", "ETag": "\"1\""]
    transport.respond(with: .ok(png, headers))
    let folder = try TemporaryDirectory()
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    var forever = request(.never)
    forever.caching.stores = .memory
    _ = try await pipeline.image(for: forever)
    var other = request(expiry)
    _ = try await pipeline.image(for: other)
    #expect(transport.urls.count == 2)
    _ = try await pipeline.image(for: forever)
    let asked = transport.urls.count
    other.style = .circle(8)
    _ = try await pipeline.image(for: other)
    #expect(transport.urls.count == asked + 1)
    await pipeline.finishWriting()
    let later = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    #expect(await later.contains(other).isEmpty)
  }

  @Test func whatMustNotBeStoredIsNotKeptForARequestThatHasLeft() async throws {
    transport.respond(with: .ok(png, ["Cache-Control": "no-store"]))
    let pipeline = ImagePipeline.deterministic(transport: transport)
    pipeline.isSuspended = true
    let forever = Task { try await pipeline.image(for: request(.never)) }
    try await until { pipeline.activity.requests == 1 }
    let other = Task { try await pipeline.image(for: request(nil)) }
    try await until { pipeline.activity.requests == 2 }
    forever.cancel()
    _ = await forever.result
    pipeline.isSuspended = false
    _ = try await other.value
    #expect(transport.urls.count == 1)
    #expect(pipeline.cached(for: request(.never)) == nil)
    #expect(pipeline.context.bodies.statistics.count == 0)
  }

  @Test(arguments: [("max-age=60", true), ("max-age=60, must-revalidate", false)])
  func anOlderImageIsShownOnAnErrorIfItsOriginAllowsThat(
    headers: String,
    isShown: Bool
  ) async throws {
    let pipeline = try await pipeline(headers)
    transport.clock.advance(by: .seconds(100))
    transport.respond(with: .failure(.cannotConnect("a.test")))
    let response = try? await pipeline.response(for: request(.after(.seconds(10))))
    #expect((response != nil) == isShown)
  }
}
