import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What a pipeline writes when its work is cancelled.
@Suite("Endings of a pipeline", .timeLimit(.minutes(10)))
struct EndingTests {
  private let folder: TemporaryDirectory
  private let clock = ManualClock()
  private let door = Latch()
  private let pipeline: ImagePipeline
  private let request = ImageRequest(location: "http://a.test/a.png", style: .original)

  init() throws {
    folder = try TemporaryDirectory()
    let png = try TestImages.png(width: 64, height: 64)
    // A transfer under way hands over what has arrived some time after it was cancelled.
    let transport = FakeTransport { [door] (request, _) throws(TransportError) in
      _ = await door.wait()
      for _ in 0..<1000 { await Task.yield() }
      request.onInterruption?(
        TransportResponse(
          status: 200,
          headers: [HeaderField("ETag", "\"1\""), HeaderField("Content-Length", "\(png.count)")],
          body: Array(png[..<(png.count / 2)]),
          url: request.url,
          isComplete: false
        )
      )
      throw .cancelled
    }
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    options.network.resumption.minimumBytes = 1
    pipeline = ImagePipeline(options: options, transport: transport, clock: clock.pipelineClock)
  }

  private func partialBodies() throws -> Int {
    let folder = folder.path + "/partial"
    return Files.exists(folder) ? try Files.list(folder).count : 0
  }

  @Test func whatHasArrivedIsKept() async throws {
    let load = Task { try await pipeline.response(for: request) }
    await door.arrivals(1)
    await pipeline.cancelAllAndFinishWriting()
    await #expect(throws: ImageError.cancelled) { try await load.value }
    #expect(try partialBodies() == 1)
  }

  @Test(arguments: [false, true])
  func whatHasArrivedOfARemovedSourceIsNotKept(removesAll: Bool) async throws {
    let load = Task { try await pipeline.response(for: request) }
    await door.arrivals(1)
    if removesAll { await pipeline.removeAll() } else { pipeline.remove(request) }
    await pipeline.cancelAllAndFinishWriting()
    await #expect(throws: ImageError.cancelled) { try await load.value }
    #expect(try partialBodies() == 0)
  }

  @Test func whatHasArrivedByTheDeadlineIsKept() async throws {
    var request = request
    request.deadline = .seconds(5)
    let load = Task { [request] in try await pipeline.response(for: request) }
    await door.arrivals(1)
    try await until { clock.sleepers == 1 }
    clock.advance(by: .seconds(5))
    await #expect(throws: ImageError.timedOut(.seconds(5), url: "http://a.test/a.png")) {
      try await load.value
    }
    await pipeline.cancelAllAndFinishWriting()
    #expect(try partialBodies() == 1)
  }

  @Test func aCancelledCallerWaitsForTheWritesToo() async throws {
    let work = Task {
      _ = try? await pipeline.response(for: request)
      await pipeline.cancelAllAndFinishWriting()
      return try partialBodies()
    }
    await door.arrivals(1)
    work.cancel()
    #expect(try await work.value == 1)
  }
}
