import FoundationEssentials
import Ikran
import IkranTesting
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeterministicPipelineTests {
  private let url: URL
  private let transport: FakeTransport

  init() throws {
    url = try #require(URL(string: "http://example.test/a.png"))
    transport = FakeTransport(body: try TestImages.png(width: 8, height: 8))
  }

  @Test func timePassesOnTheClockOfTheTransport() async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport)
    _ = try await pipeline.image(from: url)
    transport.clock.advance(by: .seconds(6 * 86_400))
    _ = try await pipeline.image(from: url)
    #expect(transport.urls.count == 1)
    transport.clock.advance(by: .seconds(2 * 86_400))
    _ = try await pipeline.image(from: url)
    #expect(transport.urls.count == 2)
  }

  @Test func aFailedSourceIsRequestedAgainOnlyWhenTheTestDoesSo() async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let png = try TestImages.png(width: 8, height: 8)
    transport.respond(to: url, with: .status(503), .status(404), .body(png))
    for count in 1...2 {
      await #expect(throws: ImageError.self) { try await pipeline.image(from: url) }
      #expect(transport.urls.count == count)
    }
    #expect(try await pipeline.image(from: url).width == 8)
  }

  @Test func retriesThatATestAsksForWaitOnTheClock() async throws {
    let pipeline = ImagePipeline.deterministic(transport: transport) { options in
      options.network.retry = .fixed(maximum: 1, delay: .seconds(3))
    }
    transport.respond(to: url, with: .status(503), .status(404))
    let task = Task { try await pipeline.image(from: url) }
    await transport.clock.waitForSleepers()
    transport.clock.advance(by: .seconds(3))
    await #expect(throws: ImageError.status(404, url: url.absoluteString)) { try await task.value }
    #expect(transport.clock.sleeps == [.seconds(3)])
  }

  @Test func aFolderIsFoundAgainByTheNextPipeline() async throws {
    let folder = try TemporaryDirectory()
    let first = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    let made = try await first.image(from: url, style: .circle(6))
    await first.finishWriting()
    let clock = transport.clock
    let next = ImagePipeline.deterministic(
      transport: FakeTransport(clock: clock),
      folder: folder.path
    )
    let found = try await next.response(for: ImageRequest(url, style: .circle(6)))
    #expect(found.source == .table)
    try expectPixels(found.image, equal: made)
  }

  @Test func withoutAFolderNothingIsKeptForTheNextPipeline() async throws {
    for count in 1...2 {
      let pipeline = ImagePipeline.deterministic(transport: transport)
      _ = try await pipeline.image(from: url)
      #expect(transport.urls.count == count)
    }
  }
}
