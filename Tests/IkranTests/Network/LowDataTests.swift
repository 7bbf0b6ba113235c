import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Where data is to be saved, whatever a request is loaded for.
@Suite(.timeLimit(.minutes(10)))
struct LowDataTests {
  private let transport: FakeTransport
  private let clock = ManualClock()
  private let disk = FakeDisk()

  init() throws { transport = FakeTransport(body: try TestImages.png(width: 8, height: 8)) }

  private func pipeline(_ mode: LowDataMode = .on) -> ImagePipeline {
    let pipeline = ImagePipeline(
      options: PipelineOptions.steady,
      transport: transport,
      diskCache: disk,
      clock: clock.pipelineClock
    )
    pipeline.lowDataMode = mode
    return pipeline
  }

  private func request(
    _ alternative: Alternative,
    _ policy: CachePolicy = .standard
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/large", style: .circle(4))
    request.transfer.alternatives = [alternative]
    request.caching.policy = policy
    return request
  }

  private let small = Alternative.onLowData("http://a.test/small")

  /// A pipeline that had all the data it wanted before.
  private func filled() async throws -> ImagePipeline {
    let pipeline = pipeline(.off)
    _ = try await pipeline.response(for: request(.notOnLowData))
    await pipeline.finishWriting()
    pipeline.lowDataMode = .on
    return pipeline
  }

  @Test(arguments: [Alternative.notOnLowData, .onLowData("http://a.test/small")])
  func whatIsStaleIsShownUnchecked(_ alternative: Alternative) async throws {
    let pipeline = try await filled()
    clock.advance(by: .seconds(30 * 86_400))
    #expect(try await pipeline.response(for: request(alternative)).source == .memory)
    #expect(transport.urls == ["http://a.test/large"])
  }

  @Test(arguments: [Alternative.notOnLowData, .onLowData("http://a.test/small")])
  func whatIsRefreshedIsNotAskedFor(_ alternative: Alternative) async throws {
    let pipeline = try await filled()
    let task = pipeline.task(for: request(alternative, .refresh))
    #expect(try await task.response.source == .memory)
    #expect(try await pipeline.response(for: request(alternative, .refresh)).source == .memory)
    #expect(transport.urls == ["http://a.test/large"])
  }

  @Test func aRefreshThatFindsNothingLoadsTheAlternative() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.task(for: request(small, .refresh)).response
    #expect(transport.urls == ["http://a.test/small"])
  }

  @Test func theOriginalOnTheDiskIsBetterThanTheAlternative() async throws {
    _ = try await filled()
    #expect(try await pipeline().response(for: request(small)).source == .disk)
    #expect(transport.urls == ["http://a.test/large"])
  }

  @Test func aReloadLoadsTheAlternative() async throws {
    let pipeline = try await filled()
    #expect(try await pipeline.response(for: request(small, .reload)).source == .network)
    #expect(transport.urls == ["http://a.test/large", "http://a.test/small"])
  }

  @Test func nothingIsPrefetchedToTheDisk() async throws {
    let pipeline = pipeline()
    let prefetcher = Prefetcher(pipeline, options: PrefetchOptions(destination: .disk))
    let progress = await prefetcher.start([request(.notOnLowData)]).wait()
    #expect(progress.failed == 1)
    #expect(transport.urls.isEmpty)
  }

  @Test func theAlternativeIsPrefetchedToTheDiskUnlessItHasTheOriginal() async throws {
    let options = PrefetchOptions(destination: .disk)
    let first = pipeline()
    #expect(await Prefetcher(first, options: options).start([request(small)]).wait().fetched == 1)
    await first.finishWriting()
    #expect(disk.keys == ["\(SourceKey("http://a.test/small"))"])
    _ = try await filled()
    let second = Prefetcher(pipeline(), options: options)
    #expect(await second.start([request(small)]).wait().skipped == 1)
    #expect(transport.urls == ["http://a.test/small", "http://a.test/large"])
  }
}
