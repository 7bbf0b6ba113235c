import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Looking at, changing and counting what the caches hold.
@Suite(.timeLimit(.minutes(10)))
struct ContentsTests {
  private let folder: TemporaryDirectory
  private let older: [UInt8]
  private let newer: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    older = try TestImages.png(width: 12, height: 12)
    newer = try TestImages.png(width: 20, height: 10)
  }

  /// Each is what a later process would have.
  private func pipeline(
    _ transport: any Transport,
    _ contents: DiskOptions.Contents = .originals
  ) -> ImagePipeline {
    .deterministic(transport: transport, folder: folder.path) { $0.disk?.contents = contents }
  }

  private func request(_ style: Style = .circle(6)) -> ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: style)
  }

  /// A pipeline with an image in every cache.
  private func filled(_ transport: any Transport) async throws -> ImagePipeline {
    let pipeline = pipeline(transport)
    _ = try await pipeline.image(for: request())
    await pipeline.finishWriting()
    return pipeline
  }

  // MARK: - Looking

  @Test func aPipelineSaysWhichCachesHaveAnImage() async throws {
    let transport = FakeTransport(body: older)
    let first = pipeline(transport)
    #expect(await first.contains(request()) == [])
    _ = try await first.image(for: request())
    #expect(await first.contains(request()) == .all)
    await first.finishWriting()
    let later = pipeline(transport)
    #expect(await later.contains(request()) == [.tables, .disk])
    #expect(await later.contains(request(.circle(8))) == .disk)
    var fromDisk = request()
    fromDisk.caching.reads = .disk
    #expect(await later.contains(fromDisk) == .disk)
    #expect(transport.urls.count == 1)
    #expect(later.statistics.diskHits == 0)
  }

  @Test func aStyledImageOnTheDiskIsContainedWithoutItsFile() async throws {
    let first = pipeline(FakeTransport(body: older), .processed)
    _ = try await first.image(for: request(.fit(width: 7, height: 5)))
    await first.finishWriting()
    let later = pipeline(FakeTransport(), .processed)
    #expect(await later.contains(request(.fit(width: 7, height: 5))) == .disk)
    #expect(await later.contains(request(.fit(width: 8, height: 5))) == [])
  }

  @Test func theTargetOfAStoredRedirectIsWhatIsContained() async throws {
    let transport = FakeTransport { [older] (request, _) throws(TransportError) in
      let isTarget = request.url.hasSuffix("b.png")
      return TransportResponse(
        status: isTarget ? 200 : 301,
        headers: .fresh + (isTarget ? [] : [HeaderField("Location", "http://a.test/b.png")]),
        body: isTarget ? older : [],
        url: request.url
      )
    }
    _ = try await filled(transport)
    #expect(await pipeline(FakeTransport()).contains(request(.circle(8))) == .disk)
  }

  @Test func theDataOfARequestAreItsFileWithoutADecode() async throws {
    let transport = FakeTransport(body: older)
    let first = pipeline(transport)
    #expect(try await first.data(for: request()) == older)
    #expect(try await first.data(for: request(.circle(8))) == older)
    await first.finishWriting()
    let later = pipeline(transport)
    #expect(try await later.data(for: request()) == older)
    #expect(transport.urls.count == 1)
    #expect(first.statistics.decodes + later.statistics.decodes == 0)
  }

  @Test func dataThatAreNoImageAreAnError() async throws {
    let pipeline = pipeline(FakeTransport(body: Array("<html>".utf8)))
    let error = await #expect(throws: ImageError.self) { try await pipeline.data(for: request()) }
    guard case .decode = error else { throw try #require(error) }
  }

  @Test func theCachesAreCounted() async throws {
    let pipeline = try await filled(FakeTransport(body: older))
    let usage = await pipeline.usage
    // The styled image, the decode and the file.
    #expect(usage.memory.count == 3)
    #expect(usage.disk.count == 1)
    #expect(usage.disk.bytes >= older.count)
    #expect(usage.tables.count == 1)
    #expect(usage.tables.bytes > 0)
    #expect(usage.partial == .init())
    await pipeline.removeAll()
    #expect(await pipeline.usage == PipelineUsage())
  }

  @Test func whatArrivedOfABrokenTransferIsCounted() async throws {
    let transport = FakeTransport()
    transport.respond(
      with: .interrupted(status: 200, headers: [HeaderField("ETag", "\"1\"")], body: older)
    )
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path) {
      $0.network.resumption.minimumBytes = 1
    }
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    #expect(await pipeline.usage.partial.count == 1)
    pipeline.remove(request())
    #expect(await pipeline.usage.partial.count == 0)
  }

  // MARK: - Removing

  @Test func aRemovedImageIsLoadedAgainInEveryStyle() async throws {
    let transport = FakeTransport(body: older)
    let pipeline = try await filled(transport)
    _ = try await pipeline.image(for: request(.circle(8)))
    pipeline.remove(request())
    #expect(pipeline.cached(for: request()) == nil)
    #expect(pipeline.cached(for: request(.circle(8))) == nil)
    #expect(await pipeline.contains(request()) == [])
    await pipeline.finishWriting()
    #expect(await self.pipeline(transport).contains(request()) == [])
    #expect(try await pipeline.response(for: request()).source == .network)
  }

  @Test func aRemovedRequestIsForgottenToHaveFailed() async throws {
    let transport = FakeTransport()
    transport.respond(with: .status(404), .body(older))
    let pipeline = ImagePipeline.deterministic(transport: transport) {
      $0.network.failures = FailureOptions()
    }
    for _ in 0..<2 {
      await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    }
    #expect(transport.urls.count == 1)
    pipeline.remove(request())
    #expect(try await pipeline.image(for: request()).width == 6)
  }

  @Test(arguments: [CacheStages.memory, .tables, .disk, [.memory, .disk], .all])
  func cachesAreEmptiedByName(stages: CacheStages) async throws {
    let pipeline = try await filled(FakeTransport(body: older))
    await pipeline.removeAll(from: stages)
    #expect(await pipeline.contains(request()) == CacheStages.all.subtracting(stages))
  }

  // MARK: - Storing

  @Test func storedDataStandForTheDownload() async throws {
    let transport = FakeTransport()
    let first = pipeline(transport)
    try first.store(older, for: request())
    #expect(try await first.response(for: request()).source == .memory)
    await first.finishWriting()
    let later = pipeline(transport)
    #expect(try await later.response(for: request(.circle(8))).source == .disk)
    #expect(try await later.data(for: request()) == older)
    #expect(transport.urls.isEmpty)
  }

  @Test func storedDataReplaceWhatWasDownloadedAndAReloadReplacesThem() async throws {
    let transport = FakeTransport(body: older)
    let pipeline = try await filled(transport)
    try pipeline.store(newer, for: request(), in: .disk)
    #expect(pipeline.cached(for: request()) == nil)
    #expect(try await pipeline.data(for: request()) == newer)
    await pipeline.finishWriting()
    #expect(await self.pipeline(transport).contains(request()) == .disk)
    var reload = request()
    reload.caching.policy = .reload
    _ = try await pipeline.image(for: reload)
    #expect(try await pipeline.data(for: request()) == older)
  }

  @Test func whatIsNoImageOrNoDownloadIsNotStored() async throws {
    let pipeline = try await filled(FakeTransport(body: older))
    #expect(throws: ImageError.self) { try pipeline.store([1, 2, 3], for: request()) }
    #expect(throws: ImageError.self) {
      try pipeline.store(older, for: ImageRequest(location: "file:///a.png", style: .original))
    }
    #expect(await pipeline.contains(request()) == .all)
  }

  @Test(arguments: [CacheStages.tables, .disk])
  func aStoredImageIsFoundByALaterRun(stages: CacheStages) async throws {
    let style = stages == .tables ? Style.circle(6) : .fit(width: 6, height: 6)
    let transport = FakeTransport()
    let first = pipeline(transport, .processed)
    let image = try TestImages.gradient(width: 6, height: 6)
    await first.store(image, for: request(style), in: stages)
    #expect(first.context.images.statistics.count == 0)
    await first.finishWriting()
    let later = pipeline(transport, .processed)
    #expect(try await later.image(for: request(style)).size == image.size)
    #expect(transport.urls.isEmpty)
  }

  @Test func aStoredImageLastsUntilItsSourceBringsOtherBytes() async throws {
    let transport = FakeTransport(body: older)
    let pipeline = pipeline(transport)
    await pipeline.store(try TestImages.gradient(width: 6, height: 6), for: request(), in: .all)
    #expect(pipeline.cached(for: request())?.format == .bgrx)
    // Another style needs the file, which tells what the current bytes are.
    _ = try await pipeline.image(for: request(.circle(8)))
    #expect(pipeline.cached(for: request()) == nil)
  }

  // MARK: - A clock that is set back

  /// Sets the clock back when data was stored, also with an unsafe method before.
  @Test(arguments: [false, true], [false, true])
  func dataThatWasStoredStaysWhenTheClockIsSetBack(
    wasChanged: Bool,
    isLater: Bool
  ) async throws {
    let transport = FakeTransport(body: newer)
    let first = pipeline(transport)
    if wasChanged {
      var change = request()
      change.transfer.method = "POST"
      _ = try await first.image(for: change)
      transport.clock.advance(by: .seconds(-600))
    }
    try first.store(older, for: request())
    _ = try await first.image(for: request())
    await first.finishWriting()
    transport.clock.advance(by: .seconds(-3600))
    let pipeline = isLater ? pipeline(transport) : first
    let sources = transport.urls.count
    #expect(pipeline.cached(for: request()) != nil)
    #expect(try await pipeline.data(for: request()) == older)
    #expect(try await pipeline.response(for: request(.circle(7))).source != .network)
    #expect(transport.urls.count == sources)
  }

  @Test func expiredFilesAreRemoved() async throws {
    let now = Guarded<Int64>(1_000_000_000)
    let disk = try DiskCache(
      directory: "\(folder.path)/own",
      options: DiskCacheOptions(maximumAge: .sinceStored(.seconds(10))),
      now: { now.withLock { $0 } }
    )
    try disk.store([1], for: "old")
    now.withLock { $0 += 11_000_000 }
    let pipeline = ImagePipeline(transport: FakeTransport(), diskCache: disk)
    await pipeline.removeExpiredFiles()
    #expect(try disk.statistics.count == 0)
  }
}
