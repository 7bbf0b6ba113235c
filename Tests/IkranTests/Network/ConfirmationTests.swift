import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What an origin says of bytes that it has sent before.
@Suite(.timeLimit(.minutes(10)))
struct ConfirmationTests {
  private let file: [UInt8]
  private let clock = ManualClock()
  private let disk = FakeDisk()
  private let request = ImageRequest(location: "http://a.test/a.png", style: .original)
  private let key = "\(SourceKey("http://a.test/a.png"))"

  init() throws { file = try TestImages.png(width: 8, height: 8) }

  private func pipeline(_ origin: ScriptedOrigin) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = .none
    return ImagePipeline(
      options: options,
      transport: origin,
      diskCache: disk,
      clock: clock.pipelineClock
    )
  }

  @Test func whatHasJustBeenConfirmedIsNotCheckedBehind() async throws {
    let fields = ["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"1\""]
    let origin = ScriptedOrigin([.ok(file, fields), .status(304, fields), .status(304, fields)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request)
    clock.advance(by: .seconds(90))
    #expect(try await pipeline.response(for: request).source == .memory)
    await pipeline.finishWriting()
    #expect(origin.requests.count == 2)
  }

  @Test func aFileThatComesAgainIsStoredWhereTheDiskHasNone() async throws {
    let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let origin = ScriptedOrigin([.ok(file, fields), .ok(file, fields)])
    let pipeline = pipeline(origin)
    var passing = request
    passing.caching.stores = .memory
    _ = try await pipeline.response(for: passing)
    clock.advance(by: .seconds(90))
    _ = try await pipeline.response(for: request)
    await pipeline.finishWriting()
    #expect(origin.requests.count == 2)
    #expect(try disk.body(for: key) == file)
  }

  @Test func aFileThatComesAgainIsStoredOnceTheDiskWasEmptied() async throws {
    let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let origin = ScriptedOrigin([.ok(file, fields), .ok(file, fields)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request)
    await pipeline.finishWriting()
    try disk.remove(key)
    clock.advance(by: .seconds(90))
    _ = try await pipeline.response(for: request)
    await pipeline.finishWriting()
    #expect(try disk.body(for: key) == file)
  }

  @Test func aConfirmationIsKeptIfAnyoneWantsThat() async throws {
    let (door, fetches, file) = (Latch(), Counter(), file)
    let fields = [HeaderField("Cache-Control", "max-age=60"), HeaderField("ETag", "\"1\"")]
    let transport = FakeTransport { (request, _) throws(TransportError) in
      fetches.add()
      let isFirst = fetches.count == 1
      if !isFirst, await !door.wait() { throw .cancelled }
      return TransportResponse(
        status: isFirst ? 200 : 304,
        headers: fields,
        body: isFirst ? file : [],
        url: request.url
      )
    }
    let clock = clock.pipelineClock
    let pipeline = ImagePipeline(
      options: .steady,
      transport: transport,
      diskCache: disk,
      clock: clock
    )
    _ = try await pipeline.response(for: request)
    self.clock.advance(by: .seconds(90))
    var passing = request
    passing.caching.stores = []
    async let first = pipeline.response(for: passing)
    await door.arrivals(1)
    async let second = pipeline.response(for: request)
    try await until { pipeline.activity.requests == 2 }
    door.open()
    _ = try await (first, second)
    #expect(try await pipeline.response(for: request).source == .memory)
    #expect(fetches.count == 2)
  }
}
