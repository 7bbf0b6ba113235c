import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What is left of an older file once the origin has brought a newer one.
@Suite(.timeLimit(.minutes(10)))
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
    var options = PipelineOptions.steady
    options.network.retry = .none
    change(&options)
    return ImagePipeline(
      options: options,
      transport: origin,
      diskCache: disk,
      clock: clock.pipelineClock
    )
  }

  private func request(
    _ policy: CachePolicy = .standard,
    _ style: Style = .original
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: style)
    request.caching.policy = policy
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
    reload.caching.stores = [.disk, .tables]
    #expect(try await pipeline.response(for: reload).image.width == 9)
    await pipeline.finishWriting()
    #expect(try await pipeline.response(for: request()).image.width == 9)
  }

  /// A disk whose writes stop at a latch once its gate is shut.
  private struct HeldDisk {
    let latch = ThreadLatch()
    let isShut: Guarded<Bool>
    let disk: FakeDisk

    init() {
      let (latch, isShut) = (latch, Guarded(false))
      self.isShut = isShut
      disk = FakeDisk(beforeStore: { if isShut.withLock({ $0 }) { latch.wait() } })
    }

    func shut() { isShut.withLock { $0 = true } }
  }

  @Test func aReadThatOvertakesAWriteFindsNoOlderFile() async throws {
    let folder = try TemporaryDirectory()
    let held = HeldDisk()
    defer { held.latch.open() }
    let origin = ScriptedOrigin([.ok(older, ["ETag": "\"1\""]), .ok(newer, ["ETag": "\"2\""])])
    let pipeline = pipeline(origin, held.disk) {
      $0.tables = TableOptions(directory: folder.path)
    }
    _ = try await pipeline.response(for: request())
    await pipeline.finishWriting()
    held.shut()
    #expect(try await pipeline.response(for: request(.reload)).image.width == 9)
    pipeline.relieveMemory(.critical)
    let small = try await pipeline.response(for: request(.standard, .circle(4)))
    #expect(small.encodedBytes == newer.count)
    #expect(try await pipeline.response(for: request()).image.width == 9)
    let source = request().sourceKey
    let record = pipeline.context.records.record(of: source, at: source)
    #expect(record?.response?.header("etag") == "\"2\"")
    held.latch.open()
    await pipeline.finishWriting()
  }

  @Test func aReadThatOvertakesARemovalFindsNoOlderFile() async throws {
    let held = HeldDisk()
    defer { held.latch.open() }
    let origin = ScriptedOrigin([
      .ok(older), .ok(newer), .ok(newer, ["Cache-Control": "no-store"]),
    ])
    let pipeline = pipeline(origin, held.disk)
    _ = try await pipeline.response(for: request())
    await pipeline.finishWriting()
    held.shut()
    // Its write holds up all that come after.
    let other = ImageRequest(location: "http://a.test/b.png", style: .original)
    _ = try await pipeline.response(for: other)
    for policy in [CachePolicy.reload, .standard] {
      #expect(try await pipeline.response(for: request(policy)).image.width == 9)
    }
  }

  @Test func whoeverShowsAnOlderFileIsNotToldThatItHolds() async throws {
    let fields = ["Cache-Control": "max-age=600"]
    let origin = ScriptedOrigin([
      .ok(older, fields), .ok(newer, fields.merging(["ETag": "\"2\""]) { $1 }), .status(304),
    ])
    let pipeline = pipeline(origin) { $0.decoding.maximumConcurrent = 2 }
    _ = try await pipeline.response(for: request())
    let (latch, entered) = (ThreadLatch(), Counter())
    let slow = Style.freeform(name: "slow", version: 1) { image in
      entered.add()
      latch.wait()
      return image
    }
    let late = pipeline.task(for: request(.refresh, slow))
    let events = late.events
    try await until { entered.count == 1 }
    let first = try await pipeline.response(for: request(.refresh))
    latch.open()
    #expect(first.image.width == 9)
    #expect(try await late.response.image.width == 9)
    var names: [String] = []
    for await event in events {
      switch event {
      case .cached(let response): names.append("cached \(response.image.width)")
      case .finished(let response): names.append("finished \(response.image.width)")
      case .unchanged: names.append("unchanged")
      case .progress, .preview, .failed: break
      }
    }
    #expect(names == ["cached 8", "finished 9"])
  }
}
