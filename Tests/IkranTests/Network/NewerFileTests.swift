import IkranStores
import Support
import Testing

@testable import Ikran

/// What is left of an older file once the origin has brought a newer one.
@Suite(.timeLimit(.minutes(1)))
struct NewerFileTests {
  private let older: [UInt8]
  private let newer: [UInt8]
  private let clock = ManualClock()

  init() throws {
    older = try TestImages.png(width: 8, height: 8)
    newer = try TestImages.png(width: 9, height: 9)
  }

  private func pipeline(
    _ origin: any Transport,
    _ disk: FakeDisk = FakeDisk(),
    _ change: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    var options = PipelineOptions()
    options.network.retry = .none
    change(&options)
    return ImagePipeline(options, origin, .standard, nil, disk, clock: clock.pipelineClock)
  }

  private func request(
    _ policy: CachePolicy = .standard,
    _ style: Style = .original
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: style)
    request.cachePolicy = policy
    return request
  }

  @Test func aNewerFileThatMayNotBeStoredDrivesTheOlderOutOfMemory() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60"]), .ok(newer, ["Cache-Control": "no-store"]),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    await pipeline.finishWriting()
    clock.advance(by: .seconds(61))
    for _ in 0..<2 {
      #expect(try await pipeline.response(for: request()).image.width == 9)
      await pipeline.finishWriting()
    }
  }

  @Test func aReloadThatLeavesMemoryAloneDrivesTheOlderFileOut() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(older), .ok(newer)]))
    _ = try await pipeline.response(for: request())
    await pipeline.finishWriting()
    var reload = request(.reload)
    reload.stores = [.disk, .tables]
    #expect(try await pipeline.response(for: reload).image.width == 9)
    await pipeline.finishWriting()
    #expect(try await pipeline.response(for: request()).image.width == 9)
  }
}
