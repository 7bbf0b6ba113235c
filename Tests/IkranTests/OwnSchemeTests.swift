import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

/// Pictures that a program's own transport brings, by URLs of a scheme of its own.
@Suite(.timeLimit(.minutes(10)))
struct OwnSchemeTests {
  private let clock = ManualClock()
  private let png: [UInt8]

  init() throws { png = try Square.png(50) }

  private func schemes(_ shelf: FakeTransport) -> SchemeTransport {
    var transport = SchemeTransport()
    transport.register(shelf, for: "shelf")
    return transport
  }

  private func request(_ url: String) -> ImageRequest {
    ImageRequest(location: url, style: .circle(8))
  }

  @Test func theirFilesAreOnTheDiskForTheNextPipelineThoughItIsOffline() async throws {
    let folder = try TemporaryDirectory()
    let shelf = FakeTransport(clock: clock)
    shelf.respond(with: .body(png, headers: .fresh))
    let request = request("shelf://top/icon@2x.png")
    for isOffline in [false, true] {
      let pipeline = ImagePipeline.deterministic(
        transport: schemes(shelf),
        clock: clock,
        folder: folder.path
      )
      pipeline.isOffline = isOffline
      #expect(try await pipeline.response(for: request).source == (isOffline ? .table : .network))
      await pipeline.finishWriting()
    }
    #expect(shelf.urls == ["shelf://top/icon@2x.png"])
  }

  @Test func theirPicturesNeedNoFile() async throws {
    var canvas = try Canvas(size: PixelSize(width: 6, height: 5), format: .bgra)
    canvas.withMutableBytes { bytes in
      for place in bytes.indices { bytes[place] = place % 4 == 3 ? 128 : UInt8(place % 100) }
    }
    let symbol = canvas.finish()
    let shelf = FakeTransport(clock: clock) { request, _ throws(TransportError) in
      try TransportResponse(symbol, for: request, headers: .fresh)
    }
    let pipeline = ImagePipeline.deterministic(transport: schemes(shelf), clock: clock)
    let original = ImageRequest(location: "shelf:symbol", style: .original)
    let image = try await pipeline.image(for: original)
    #expect(image.format.hasAlpha)
    #expect(try image.straightRGBA() == symbol.straightRGBA())
    #expect(try await pipeline.image(for: request("shelf:symbol")).width == 8)
    #expect(shelf.urls.count == 1)
  }

  @Test func whatMustNotBeStoredIsFetchedAgain() async throws {
    let shelf = FakeTransport(clock: clock)
    shelf.respond(with: .body(png, headers: [HeaderField("Cache-Control", "no-store")]))
    let pipeline = ImagePipeline.deterministic(transport: schemes(shelf), clock: clock)
    for _ in 0..<2 {
      #expect(try await pipeline.response(for: request("shelf:a")).source == .network)
    }
    #expect(shelf.urls.count == 2)
  }

  @Test func eachOfTheirHostsHasPlacesOfItsOwn() async throws {
    let latch = Latch()
    let shelf = FakeTransport(clock: clock) { [png] request, _ throws(TransportError) in
      if request.url.contains("full"), !(await latch.wait()) { throw .cancelled }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: schemes(shelf), clock: clock) {
      $0.network.queue.maximumPerHost = 1
    }
    let full = (0..<2).map { number in
      Task { try await pipeline.image(for: request("shelf://full/\(number)")) }
    }
    await latch.arrivals(1)
    try await until { pipeline.downloads.waiting == 1 }
    #expect(try await pipeline.response(for: request("shelf://other/a")).source == .network)
    latch.open()
    for task in full { _ = try await task.value }
  }

  @Test func ofTheirHostsOneThatIsDeadEndsNoOther() async throws {
    let shelf = FakeTransport(clock: clock) { [png] request, _ throws(TransportError) in
      if request.url.contains("dead") { throw .cannotConnect("dead") }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: schemes(shelf), clock: clock)
    for number in 0..<20 {
      await #expect(throws: ImageError.self) {
        _ = try await pipeline.image(for: request("shelf://dead/\(number)"))
      }
    }
    // After some failures of a host the rest of it is not asked.
    #expect(shelf.urls.count < 20)
    #expect(try await pipeline.response(for: request("shelf://live/a")).source == .network)
  }
}
