import IkranCaches
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Which caches a request uses, and caches of one's own.
@Suite(.timeLimit(.minutes(10)))
struct CacheChoiceTests {
  private let disk = FakeDisk()
  private let origin: ScriptedOrigin

  init() throws { origin = ScriptedOrigin([.ok(try TestImages.png(width: 8, height: 8))]) }

  private func pipeline(
    _ hooks: PipelineHooks = PipelineHooks(),
    memory: (any MemoryCaching<StyledKey, CachedImage>)? = nil
  ) -> ImagePipeline {
    ImagePipeline(
      options: PipelineOptions(memory: .steady, hooks: hooks),
      transport: origin,
      memoryCache: memory,
      diskCache: disk
    )
  }

  private func request(
    _ style: Style = .circle(4),
    reads: CacheStages = .all,
    stores: CacheStages = .all
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: style)
    (request.caching.reads, request.caching.stores) = (reads, stores)
    return request
  }

  // MARK: - Per request

  @Test func whatMayNotBeStoredInMemoryIsNot() async throws {
    let pipeline = pipeline()
    let request = request(stores: [.disk, .tables])
    _ = try await pipeline.image(for: request)
    await pipeline.finishWriting()
    #expect(pipeline.cached(for: request) == nil)
    #expect(pipeline.context.bodies.statistics.count == 0)
    #expect(pipeline.context.decodes.statistics.count == 0)
    #expect(try await pipeline.response(for: request).source == .disk)
  }

  @Test func whatMayNotBeStoredOnDiskIsNot() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request(stores: [.memory]))
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
    #expect(pipeline.cached(for: request()) != nil)
  }

  @Test func memoryMayBePassedBy() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request())
    await pipeline.finishWriting()
    #expect(pipeline.cached(for: request(reads: [.disk])) == nil)
    #expect(try await pipeline.response(for: request(reads: [.disk])).source == .disk)
    #expect(try await pipeline.response(for: request(reads: .all)).source == .memory)
  }

  @Test func theDiskMayBePassedBy() async throws {
    try disk.store(
      try TestImages.png(width: 4, height: 4),
      for: "\(SourceKey("http://a.test/a.png"))"
    )
    let pipeline = pipeline()
    let response = try await pipeline.response(for: request(.original, reads: [.memory]))
    #expect(response.source == .network)
    #expect(response.image.width == 8)
  }

  @Test func whoPassesTheDiskByReplacesWhatItHad() async throws {
    try disk.store(
      try TestImages.png(width: 4, height: 4),
      for: "\(SourceKey("http://a.test/a.png"))"
    )
    let pipeline = pipeline()
    #expect(try await pipeline.image(for: request(.original)).width == 4)
    _ = try await pipeline.image(for: request(.original, reads: [], stores: [.memory]))
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
    #expect(pipeline.cached(for: request(.original))?.width == 8)
  }

  @Test func whoPassesTheDiskByLeavesTheSameFileThere() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: request())
    await pipeline.finishWriting()
    _ = try await pipeline.image(for: request(.circle(6), reads: [], stores: []))
    await pipeline.finishWriting()
    #expect(disk.keys.count == 1)
    #expect(pipeline.cached(for: request()) != nil)
  }

  @Test func aTransferThatMayNotBeStoredLeavesNoPart() async throws {
    let folder = try TemporaryDirectory()
    origin.answer(
      .interrupted(
        status: 200,
        headers: ScriptedOrigin.Answer.fields(["ETag": "\"1\"", "Accept-Ranges": "bytes"]),
        body: [UInt8](repeating: 1, count: 100_000)
      )
    )
    var options = PipelineOptions(memory: .steady, disk: DiskOptions(directory: folder.path))
    options.network.retry = .none
    for stores in [CacheStages.memory, .all] {
      let pipeline = ImagePipeline(options: options, transport: origin)
      await #expect(throws: ImageError.self) {
        try await pipeline.image(for: request(stores: stores))
      }
      await pipeline.finishWriting()
      let parts = (try? Files.list(folder.path + "/partial")) ?? []
      #expect(parts.isEmpty == (stores == .memory))
    }
  }

  @Test func whatIsFetchedForTheDiskIsWrittenOnce() async throws {
    let (writes, latch) = (Counter(), ThreadLatch())
    let slow = FakeDisk(beforeStore: {
      writes.add()
      latch.wait()
    })
    let pipeline = ImagePipeline(options: .steady, transport: origin, diskCache: slow)
    #expect(try await pipeline.fetchToDisk(request()))
    latch.open()
    await pipeline.finishWriting()
    #expect(writes.count == 1)
  }

  @Test func tablesMayBePassedBy() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(memory: .steady, tables: TableOptions(directory: folder.path))
    let first = ImagePipeline(options: options, transport: origin)
    _ = try await first.image(for: request(stores: [.memory, .disk]))
    await first.finishWriting()
    #expect(ImagePipeline(options: options, transport: origin).cached(for: request()) == nil)
    _ = try await first.image(for: request(.circle(6)))
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: origin)
    #expect(second.cached(for: request(.circle(6))) != nil)
    #expect(second.cached(for: request(.circle(6), reads: [.memory, .disk])) == nil)
  }

  @Test func theEndingMayWaitForTheStores() async throws {
    let latch = ThreadLatch()
    let slow = FakeDisk(beforeStore: { latch.wait() })
    let pipeline = ImagePipeline(options: .steady, transport: origin, diskCache: slow)
    var request = request()
    request.caching.waitsForStores = true
    let task = pipeline.task(for: request)
    try await until { pipeline.cached(for: request) != nil }
    latch.open()
    _ = try await task.response
    #expect(slow.keys == ["\(SourceKey("http://a.test/a.png"))"])
  }

  @Test func whatAPostBringsIsNotStoredHoweverLongItIsGood() async throws {
    var options = PipelineOptions.steady
    options.network.responses.expiry = .never
    let pipeline = ImagePipeline(options: options, transport: origin, diskCache: disk)
    var request = request()
    request.transfer.method = "POST"
    _ = try await pipeline.image(for: request)
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
  }

  // MARK: - Progress

  @Test(
    arguments: [
      (0, Array(0...10)), (0.3, [0, 3, 6, 9, 10]), (0.5, [0, 5, 10]), (1, [0, 10]), (7, [0, 10]),
    ] as [(Double, [Int])]
  )
  func progressIsToldInSteps(share: Double, told: [Int]) {
    let steps = ProgressSteps(share)
    let all = (0...10).map { TransferProgress(received: $0, expected: 10) }
    #expect(all.filter(steps.includes).map(\.received) == told)
  }

  @Test func progressOfATransferThatBeginsAnewIsTold() {
    let steps = ProgressSteps(0.5)
    let received = [0, 6, 2, 4, 7, 10]
    let all = received.map { TransferProgress(received: $0, expected: 10) }
    #expect(all.filter(steps.includes).map(\.received) == [0, 6, 2, 7, 10])
  }

  @Test func withoutALengthAllProgressIsTold() {
    let steps = ProgressSteps(0.5)
    #expect((0..<4).allSatisfy { steps.includes(TransferProgress(received: $0, expected: nil)) })
  }

  @Test(arguments: [0, 13, 14, 15, 16, 17, 40])
  func progressPushesOutProgressAlone(steps: Int) async throws {
    let (png, asked, latch) = (try TestImages.png(width: 8, height: 8), Counter(), Latch())
    let transport = FakeTransport { (request, progress) throws(TransportError) in
      asked.add()
      if asked.count > 1 {
        _ = await latch.wait()
        for step in 0..<steps { progress(TransferProgress(received: step, expected: steps)) }
      }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline(transport: transport)
    var request = request()
    _ = try await pipeline.image(for: request)
    request.caching.policy = .refresh
    let task = pipeline.task(for: request)
    let events = task.events
    await latch.arrivals(1)
    latch.open()
    _ = try await task.response
    var names: [String] = []
    for await event in events {
      switch event {
      case .cached: names.append("cached")
      case .unchanged: names.append("unchanged")
      case .progress, .preview: break
      case .finished, .failed: names.append("other")
      }
    }
    #expect(names == ["cached", "unchanged"])
  }

  // MARK: - Hooks

  @Test func everyRequestPassesTheHookFirst() async throws {
    let pipeline = pipeline(
      PipelineHooks(prepare: { request in
        var request = request
        request.style = .circle(6)
        return request
      })
    )
    #expect(try await pipeline.image(for: request()).width == 6)
    #expect(pipeline.cached(for: request())?.width == 6)
    #expect(try await pipeline.task(for: request()).response.image.width == 6)
    let progress = await Prefetcher(pipeline).start([request()]).wait()
    #expect(progress.skipped == 1)
  }

  @Test func theHookDecidesWhatTheDiskKeeps() async throws {
    let smaller = try TestImages.png(width: 5, height: 5)
    let pipeline = pipeline(PipelineHooks(willStore: { _, _ in smaller }))
    #expect(try await pipeline.image(for: request(.original)).width == 8)
    await pipeline.finishWriting()
    #expect(try disk.body(for: "\(SourceKey("http://a.test/a.png"))") == smaller)
    #expect(try await self.pipeline().image(for: request(.original)).width == 5)
  }

  @Test func whatTheHookRefusesTheDiskDoesNotKeep() async throws {
    struct No: Error {}
    for hook in [{ @Sendable _, _ in nil }, { @Sendable _, _ in throw No() }]
      as [@Sendable ([UInt8], ImageRequest) throws -> [UInt8]?]
    {
      let pipeline = pipeline(PipelineHooks(willStore: hook))
      _ = try await pipeline.image(for: request())
      await pipeline.finishWriting()
      #expect(try disk.body(for: "\(SourceKey("http://a.test/a.png"))")?.isEmpty != false)
      let next = self.pipeline()
      #expect(try await next.response(for: request()).source == .network)
      await next.finishWriting()
      try disk.removeAll()
    }
  }

  @Test func theHookDecidesHowLongAFailureIsRemembered() async throws {
    origin.answer(.status(500), .status(404), .ok(try TestImages.png(width: 8, height: 8)))
    var options = PipelineOptions(
      memory: .steady,
      hooks: PipelineHooks(remembers: { error in
        guard case .status(500, _, _) = error else { return .zero }
        return .seconds(60)
      })
    )
    options.network.retry = .none
    let clock = ManualClock()
    let pipeline = ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
    for _ in 0..<3 {
      await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    }
    #expect(origin.requests.count == 1)
    clock.advance(by: .seconds(61))
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    _ = try await pipeline.image(for: request())
    #expect(origin.requests.count == 3)
  }

  // MARK: - A memory cache of one's own

  @Test func aMemoryCacheOfOnesOwnIsAsked() async throws {
    let own = OwnMemory()
    let pipeline = pipeline(memory: own)
    _ = try await pipeline.image(for: request())
    #expect(own.count == 1)
    #expect(pipeline.cached(for: request()) != nil)
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(pipeline.statistics.memoryHits >= 2)
    pipeline.relieveMemory(.warning)
    #expect(own.count == 1)
    pipeline.trimMemory(toBytes: 0)
    #expect(own.count == 0)
  }

  @Test func memoryCachesInAChainAreAskedInOrder() async throws {
    let (high, low) = (OwnMemory(), OwnMemory())
    let pipeline = pipeline(memory: CacheChain([high, low]))
    low.store(
      CachedImage(try TestImages.gradient(width: 3, height: 3)),
      cost: 0,
      for: pipeline.styledKey(request())
    )
    #expect(pipeline.cached(for: request())?.width == 3)
    _ = try await pipeline.image(for: request(.circle(6)))
    #expect((high.count, low.count) == (1, 1))
    await pipeline.removeAll(from: .memory)
    #expect((high.count, low.count) == (0, 0))
  }
}

/// A memory cache as a program might write one.
private final class OwnMemory: MemoryCaching {
  private let images = Guarded([StyledKey: CachedImage]())

  var count: Int { images.withLock { $0.count } }

  func value(for key: StyledKey) -> CachedImage? { images.withLock { $0[key] } }
  func store(_ value: CachedImage, cost: Int, for key: StyledKey) {
    images.withLock { $0[key] = value }
  }
  func remove(_ key: StyledKey) { images.withLock { $0[key] = nil } }
  func contains(_ key: StyledKey) -> Bool { value(for: key) != nil }
  func removeAll() { images.withLock { $0 = [:] } }
}
