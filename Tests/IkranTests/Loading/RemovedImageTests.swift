import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What was removed, replaced or is gone is not shown again, whatever memory has to forget.
@Suite("Removed images", .timeLimit(.minutes(10)))
struct RemovedImageTests {
  private let folder: TemporaryDirectory
  private let latch = Latch()
  private let (small, photo): ([UInt8], [UInt8])

  init() throws {
    folder = try TemporaryDirectory()
    (small, photo) = (try Square.png(50), try Square.png(100, side: 300))
  }

  /// Whether the pipeline has a disk cache and image tables.
  enum Caches: CaseIterable { case memory, folder }

  private func pipeline(_ transport: any Transport, _ caches: Caches) -> ImagePipeline {
    .deterministic(transport: transport, folder: caches == .folder ? folder.path : nil)
  }

  private func request(
    _ style: Style = .circle(8),
    _ policy: CachePolicy = .standard
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/a.png", style: style)
    request.caching.policy = policy
    return request
  }

  /// Photos are large; `a.png` is small, what `status` says of it comes next, and it waits for the
  /// latch where `waits` says so.
  private func origin(
    waits: Bool = false,
    fields: [HeaderField] = .fresh,
    status: @escaping @Sendable () -> Int = { 200 }
  ) -> FakeTransport {
    let (small, photo, latch) = (small, photo, latch)
    return FakeTransport { (request, _) throws(TransportError) in
      let isPhoto = !request.url.hasSuffix("/a.png")
      // It does not notice that it is cancelled: its last byte might have arrived.
      if waits, !isPhoto { _ = await Task { await latch.wait() }.value }
      return TransportResponse(
        status: isPhoto ? 200 : status(),
        headers: isPhoto ? .fresh : fields,
        body: isPhoto ? photo : small,
        url: request.url
      )
    }
  }

  /// Shows twelve large photos, then lets go of half of memory: small images and newer records
  /// stay.
  private func relieve(_ pipeline: ImagePipeline) async throws {
    for number in 0..<12 {
      let url = "http://a.test/photo\(number).png"
      _ = try await pipeline.image(for: ImageRequest(location: url, style: .original))
    }
    pipeline.relieveMemory(.warning)
    pipeline.relieveMemory(.warning)
  }

  /// Checks that nothing shows what was made from the earlier bytes.
  private func expectRemoved(
    _ pipeline: ImagePipeline,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    for style in [Style.circle(8), .circle(9), .circle(10)] {
      let cached = pipeline.cached(for: request(style))
      #expect(cached == nil, sourceLocation: sourceLocation)
      #expect(pipeline.shown(for: request(style)) == nil, sourceLocation: sourceLocation)
      let image = try? await pipeline.image(for: request(style, .onlyCached))
      #expect(image == nil, sourceLocation: sourceLocation)
    }
  }

  // MARK: - Records that were evicted

  @Test(arguments: Caches.allCases)
  func aRemovedImageStaysRemovedWhenItsRecordIsEvicted(caches: Caches) async throws {
    let pipeline = pipeline(origin(), caches)
    for style in [Style.circle(8), .circle(9)] {
      _ = try await pipeline.image(for: request(style))
    }
    pipeline.remove(request(.circle(8)))
    try await relieve(pipeline)
    await expectRemoved(pipeline)
  }

  @Test(arguments: Caches.allCases)
  func aMissingImageStaysMissingWhenItsRecordIsEvicted(caches: Caches) async throws {
    let answers = Counter()
    let origin = origin {
      answers.add()
      return answers.count == 1 ? 200 : 404
    }
    let pipeline = pipeline(origin, caches)
    for style in [Style.circle(8), .circle(9)] {
      _ = try await pipeline.image(for: request(style))
    }
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request(.circle(8), .reload))
    }
    try await relieve(pipeline)
    await expectRemoved(pipeline)
  }

  @Test(arguments: Caches.allCases)
  func aReplacedImageStaysReplacedWhenItsRecordIsEvicted(caches: Caches) async throws {
    let pipeline = pipeline(origin(), caches)
    _ = try await pipeline.image(for: request(.circle(9)))
    try pipeline.store(Square.png(200), for: request())
    await pipeline.finishWriting()
    try await relieve(pipeline)
    #expect(pipeline.cached(for: request(.circle(9))) == nil)
    let image = try? await pipeline.image(for: request(.circle(9), .onlyCached))
    #expect(try Square.shade(image) == (caches == .folder ? 200 : nil))
  }

  @Test func whatVariesIsShownToNobodyElseWhenItsRecordIsEvicted() async throws {
    let fields = FakeResponse.fields(["Vary": "Cookie", "Cache-Control": "max-age=600"])
    let pipeline = pipeline(origin(fields: fields), .memory)
    var mine = request()
    mine.transfer.headers = [HeaderField("Cookie", "me")]
    _ = try await pipeline.image(for: mine)
    try await relieve(pipeline)
    #expect(pipeline.cached(for: request()) == nil)
  }

  @Test(arguments: Caches.allCases)
  func anImageIsStillFoundWhenItsRecordIsEvicted(caches: Caches) async throws {
    let origin = origin()
    let first = pipeline(origin, caches)
    _ = try await first.image(for: request())
    await first.finishWriting()
    try await relieve(first)
    #expect(try Square.shade(first.cached(for: request())) == 50)
    #expect(try await first.response(for: request()).source == .memory)
    // What came from the disk is known, too.
    let second = pipeline(origin, caches)
    _ = try await second.image(for: request(.circle(11)))
    try await relieve(second)
    #expect(try Square.shade(second.cached(for: request(.circle(11)))) == 50)
    let loads = origin.urls.filter { $0.hasSuffix("/a.png") }.count
    #expect(loads == (caches == .folder ? 1 : 2))
  }

  @Test func noRemovalIsForgottenHoweverManyThereAre() async throws {
    let pipeline = pipeline(origin(), .memory)
    for style in [Style.circle(8), .circle(9)] {
      _ = try await pipeline.image(for: request(style))
    }
    pipeline.remove(request(.circle(8)))
    for number in 0..<40_000 {
      pipeline.remove(ImageRequest(location: "http://a.test/\(number)", style: .original))
    }
    try await relieve(pipeline)
    await expectRemoved(pipeline)
    #expect(try await Square.shade(pipeline.image(for: request())) == 50)
    #expect(try Square.shade(pipeline.cached(for: request())) == 50)
  }

  // MARK: - Loads under way

  @Test(arguments: Caches.allCases, [CachePolicy.standard, .reload])
  func aTransferOlderThanARemovalIsNotStored(caches: Caches, policy: CachePolicy) async throws {
    let origin = origin(waits: true)
    let pipeline = pipeline(origin, caches)
    let load = Task { try await pipeline.image(for: request(.circle(8), policy)) }
    await latch.arrivals(1)
    pipeline.remove(request())
    try await relieve(pipeline)
    latch.open()
    _ = try await load.value
    // The removal has not begun it again.
    #expect(origin.urls.filter { $0.hasSuffix("/a.png") }.count == 1)
    await expectRemoved(pipeline)
    await pipeline.finishWriting()
    #expect(await pipeline.contains(request()) == [])
    if caches == .folder { await expectRemoved(self.pipeline(origin, caches)) }
  }

  @Test func aTransferOlderThanAnyOfManyRemovalsIsNotStored() async throws {
    let pipeline = pipeline(origin(waits: true), .memory)
    let load = Task { try await pipeline.image(for: request(.circle(8), .reload)) }
    await latch.arrivals(1)
    for number in 0..<40_000 {
      let location = number == 0 ? "http://a.test/a.png" : "http://a.test/\(number)"
      pipeline.remove(ImageRequest(location: location, style: .original))
    }
    try await relieve(pipeline)
    latch.open()
    _ = try await load.value
    await expectRemoved(pipeline)
  }

  /// Changes so many sources that the order of older changes is dropped.
  private func changeManySources(_ pipeline: ImagePipeline) {
    for number in 0..<20_000 {
      pipeline.remove(ImageRequest(location: "http://b.test/\(number)", style: .original))
    }
  }

  @Test func aTransferThatWaitedWhileManySourcesChangedIsStored() async throws {
    let pipeline = ImagePipeline.deterministic(transport: origin(waits: true)) {
      $0.network.queue.maximumConcurrent = 1
    }
    let first = Task { try await pipeline.image(for: request()) }
    await latch.arrivals(1)
    let photo = ImageRequest(location: "http://a.test/photo.png", style: .circle(8))
    let second = Task { try await pipeline.image(for: photo) }
    try await until { pipeline.downloads.waiting == 1 }
    changeManySources(pipeline)
    latch.open()
    _ = try await (first.value, second.value)
    #expect(pipeline.cached(for: photo) != nil)
  }

  @Test func anImageThatIsGoneIsRemovedAlthoughManySourcesChangedMeanwhile() async throws {
    let answers = Counter()
    let origin = origin(waits: true) {
      answers.add()
      return answers.count == 1 ? 200 : 404
    }
    let pipeline = pipeline(origin, .memory)
    try pipeline.store(small, for: request())
    _ = try await pipeline.image(for: request())
    answers.add()
    let load = Task { try await pipeline.image(for: request(.circle(8), .reload)) }
    await latch.arrivals(1)
    changeManySources(pipeline)
    latch.open()
    await #expect(throws: ImageError.self) { try await load.value }
    await expectRemoved(pipeline)
  }

  @Test func whatIsDecodedOfACopyIsNotStoredInTablesThatWereEmptied() async throws {
    let first = pipeline(origin(), .folder)
    _ = try await first.image(for: request())
    await first.finishWriting()
    let (codec, clock) = (LatchedCodec(), ManualClock())
    clock.advance(by: .seconds(1))
    let second = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: folder.path, maximumAge: .never),
        tables: TableOptions()
      ),
      transport: FakeTransport(body: []),
      codecs: CodecList([codec]),
      clock: clock.pipelineClock
    )
    let load = Task { try await second.image(for: request(.circle(16))) }
    try await until { codec.arrivals.count == 1 }
    await second.removeAll()
    codec.latch.open()
    _ = try await load.value
    await second.finishWriting()
    #expect(await second.usage.tables.count == 0)
    #expect(pipeline(origin(), .folder).cached(for: request(.circle(16))) == nil)
  }

  @Test(
    arguments: [CacheStages.all, [.memory, .disk], .memory, .disk, .tables],
    [true, false]
  )
  func whatIsBeingDecodedIsNotStoredInCachesThatWereEmptied(
    stages: CacheStages,
    isCopy: Bool
  ) async throws {
    if isCopy {
      let first = pipeline(origin(), .folder)
      _ = try await first.image(for: request())
      await first.finishWriting()
    }
    let codec = LatchedCodec()
    let second = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: folder.path, maximumAge: .never),
        tables: TableOptions()
      ),
      transport: origin(),
      codecs: CodecList([codec])
    )
    var request = request(.circle(16))
    request.caching.expiry = .never
    let load = Task { [request] in try await second.image(for: request) }
    try await until { codec.arrivals.count == 1 }
    await second.removeAll(from: stages)
    codec.latch.open()
    _ = try await load.value
    await second.finishWriting()
    let usage = await second.usage
    if stages.contains(.memory) { #expect(usage.memory.count == 0) }
    if stages.contains(.disk) { #expect(usage.disk.count == 0) }
    if stages.contains(.tables) { #expect(usage.tables.count == 0) }
    #expect(await second.contains(request).isDisjoint(with: stages))
  }

  @Test(arguments: [CacheStages.all, [.memory, .disk], .memory])
  func aCopyThatWaitsForTheDecoderIsNotStoredInCachesThatWereEmptied(
    stages: CacheStages
  ) async throws {
    let first = pipeline(origin(), .folder)
    _ = try await first.image(for: request())
    await first.finishWriting()
    let codec = LatchedCodec()
    let second = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: folder.path, maximumAge: .never),
        decoding: DecodingOptions(maximumConcurrent: 1)
      ),
      transport: origin(),
      codecs: CodecList([codec])
    )
    var request = request(.circle(16))
    request.caching.expiry = .never
    let other = ImageRequest(location: "http://a.test/photo.png", style: .original)
    let held = Task { try await second.image(for: other) }
    try await until { codec.arrivals.count == 1 }
    let load = Task { [request] in try await second.image(for: request) }
    try await until { second.context.computing.waiting == 1 }
    await second.removeAll(from: stages)
    codec.latch.open()
    _ = try await (held.value, load.value)
    await second.finishWriting()
    let usage = await second.usage
    #expect(usage.memory.count == 0)
    if stages.contains(.disk) { #expect(usage.disk.count == 0) }
    #expect(await second.contains(request).isDisjoint(with: stages))
  }

  @Test(
    arguments: Caches.allCases,
    [CacheStages.all, [.memory, .disk], .memory, .disk]
  )
  func aLoadUnderWayIsNotStoredInCachesThatWereEmptied(
    caches: Caches,
    stages: CacheStages
  ) async throws {
    let origin = origin(waits: true)
    let pipeline = pipeline(origin, caches)
    let load = Task { try await pipeline.image(for: request()) }
    await latch.arrivals(1)
    await pipeline.removeAll(from: stages)
    latch.open()
    _ = try await load.value
    await pipeline.finishWriting()
    #expect(await pipeline.contains(request()).isDisjoint(with: stages))
    if stages.contains(.memory) { #expect(await pipeline.usage.memory.count == 0) }
    if stages.contains(.disk) { #expect(await pipeline.usage.disk.count == 0) }
    guard stages == .all else { return }
    await expectRemoved(pipeline)
    if caches == .folder { await expectRemoved(self.pipeline(origin, caches)) }
    #expect(try await Square.shade(pipeline.image(for: request())) == 50)
    #expect(pipeline.cached(for: request()) != nil)
  }
}
