import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What `finishWriting()` waits for besides the stores.
@Suite(.timeLimit(.minutes(10)))
struct BackgroundRevalidationTests {
  private let newer: [UInt8]
  private let clock = ManualClock()
  private let disk = FakeDisk()
  private let door = Latch()
  private let pipeline: ImagePipeline
  private let request = ImageRequest(location: "http://a.test/a.png", style: .original)
  private let fields = Guarded([
    HeaderField("Cache-Control", "max-age=1, stale-while-revalidate=60")
  ])

  init() throws {
    let older = try TestImages.png(width: 8, height: 8)
    let newer = try TestImages.png(width: 9, height: 9)
    self.newer = newer
    let fetches = Counter()
    // The second response waits at the door.
    let transport = FakeTransport { [door, fields] (request, _) throws(TransportError) in
      fetches.add()
      let isFirst = fetches.count == 1
      if !isFirst, await !door.wait() { throw .cancelled }
      return TransportResponse(
        status: 200,
        headers: fields.withLock { $0 },
        body: isFirst ? older : newer,
        url: request.url
      )
    }
    let clock = clock.pipelineClock
    pipeline = ImagePipeline(options: .steady, transport: transport, diskCache: disk, clock: clock)
  }

  /// Loads the image, and again when it is stale: a revalidation is then under way.
  private func revalidate() async throws {
    #expect(try await pipeline.response(for: request).image.width == 8)
    await pipeline.finishWriting()
    clock.advance(by: .seconds(30))
    #expect(try await pipeline.response(for: request).image.width == 8)
    await door.arrivals(1)
  }

  @Test func theNewerFileIsStoredAtTheEnd() async throws {
    try await revalidate()
    let ending = Task { await pipeline.finishWriting() }
    door.open()
    await ending.value
    #expect(try disk.body(for: "\(SourceKey("http://a.test/a.png"))") == newer)
  }

  @Test func anEndingThatWaitsForTheStoresDoesNotWaitForRevalidations() async throws {
    try await revalidate()
    var request = request
    request.caching.waitsForStores = true
    #expect(try await pipeline.response(for: request).image.width == 8)
    #expect(try await pipeline.task(for: request).response.image.width == 8)
    #expect(pipeline.activity.transfers == 1)
    door.open()
    await pipeline.finishWriting()
  }

  @Test func aCancelledCallerDoesNotWait() async throws {
    try await revalidate()
    let ending = Task { await pipeline.finishWriting() }
    ending.cancel()
    await ending.value
    #expect(pipeline.activity.transfers == 1)
    door.open()
  }

  @Test func cancelAllEndsIt() async throws {
    try await revalidate()
    pipeline.cancelAll()
    await pipeline.finishWriting()
    #expect(pipeline.activity.sources == 0)
  }

  @Test func oneThatWasCancelledIsBegunAgain() async throws {
    fields.withLock { $0 = [HeaderField("ETag", "\"1\"")] }
    #expect(try await pipeline.response(for: request).image.width == 8)
    clock.advance(by: .seconds(61))
    for round in 1...2 {
      #expect(try await pipeline.response(for: request).image.width == 8)
      await door.arrivals(round)
      pipeline.cancelAll()
      await pipeline.finishWriting()
    }
  }

  @Test func itEndsAtTheRequestsDeadline() async throws {
    var request = request
    request.deadline = .seconds(5)
    #expect(try await pipeline.response(for: request).image.width == 8)
    clock.advance(by: .seconds(30))
    #expect(try await pipeline.response(for: request).image.width == 8)
    await door.arrivals(1)
    // The first request slept, too, until it was done; the second one had not to wait.
    try await until { clock.sleeps.count == 2 && clock.sleepers == 1 }
    clock.advance(by: .seconds(5))
    await pipeline.finishWriting()
    try await until { pipeline.activity.sources == 0 }
  }
}
