import Ikran
import IkranServer
import IkranTransport
import IkranURLSession
import Support
import Testing

/// The whole pipeline over URLSession, with the embedded origin on the other side.
@Suite(.timeLimit(.minutes(10)))
struct URLSessionPipelineTests {
  private let folder: TemporaryDirectory
  private let transport = SchemeTransport(network: URLSessionTransport())

  init() throws { folder = try TemporaryDirectory() }

  /// A pipeline with a disk cache, which later ones have as well.
  private func pipeline(retry: RetryPolicy = .none) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    options.network.retry = retry
    options.network.failures = .none
    options.network.resumption.minimumBytes = 1
    return ImagePipeline(options: options, transport: transport)
  }

  @Test func theDemosPicturesAreShownInTheirStyle() async throws {
    let origin = try Origin(.portraits(count: 6))
    defer { withExtendedLifetime(origin) {} }
    // Drawn during the requests, under a sanitizer, they would come after the timeout.
    origin.prepare()
    // FoundationNetworking may forget one of several requests until its timeout (issue 3287 of
    // swift-corelibs-foundation); a program's pipeline tries again.
    let pipeline = pipeline(retry: .exponential(maximum: 2))
    try await withThrowingTaskGroup { group in
      for path in origin.paths {
        group.addTask {
          let request = ImageRequest(location: origin.baseURL + path, style: .circle(40))
          let response = try await pipeline.response(for: request)
          #expect(response.image.width == 40 && response.source == .network)
        }
      }
      try await group.waitForAll()
    }
    #expect(origin.statistics.requests >= 6)
    await pipeline.finishWriting()
  }

  @Test func aBodyThatBrokeOffIsContinued() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { withExtendedLifetime(origin) {} }
    let url = origin.baseURL + "/chaos" + origin.paths[0] + "?fault=truncate&fail=1"
    let request = ImageRequest(location: url, style: .original)
    let first = pipeline()
    await #expect(throws: ImageError.self) { try await first.data(for: request) }
    await first.finishWriting()
    let second = pipeline()
    let continued = try await second.data(for: request)
    await second.finishWriting()
    let plain = TransportRequest(url: origin.baseURL + origin.paths[0])
    #expect(try await transport.fetch(plain).body == continued)
    #expect(origin.statistics.ranges == 1)
  }

  @Test func redirectsAreFollowedThroughTheCaches() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { withExtendedLifetime(origin) {} }
    let request = ImageRequest(location: origin.baseURL + "/redirect/3", style: .original)
    let pipeline = pipeline()
    #expect(try await pipeline.response(for: request).image.width > 0)
    #expect(origin.statistics.statuses[302] == 3 && origin.statistics.statuses[200] == 1)
    await pipeline.finishWriting()
  }

  @Test func anUnchangedPictureIsConfirmed() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { withExtendedLifetime(origin) {} }
    var request = ImageRequest(location: origin.baseURL + origin.paths[0], style: .original)
    request.caching.policy = .refresh
    for _ in 1...3 {
      let pipeline = pipeline()
      #expect(try await pipeline.response(for: request).image.width > 0)
      await pipeline.finishWriting()
    }
    #expect(origin.statistics.statuses == [200: 1, 304: 2])
  }
}
