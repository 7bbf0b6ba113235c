import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Requests that share a source, a transfer, a host or a thread pool.
@Suite("Shared loads", .timeLimit(.minutes(10)))
struct SharedLoadTests {
  private let folder: TemporaryDirectory
  private let clock = ManualClock()
  private let png: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    png = try Square.png(50)
  }

  private func pipeline(
    _ transport: any Transport,
    _ codec: LatchedCodec? = nil,
    _ configure: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    var options = PipelineOptions(
      memory: .steady,
      disk: DiskOptions(directory: folder.path, maximumAge: .never),
      tables: TableOptions(),
      network: NetworkOptions(retry: .none)
    )
    configure(&options)
    let codecs = codec.map { CodecList([$0]) } ?? .standard
    return ImagePipeline(
      options: options,
      transport: transport,
      codecs: codecs,
      clock: clock.pipelineClock
    )
  }

  private func request(
    _ style: Style = .circle(8),
    _ path: String = "a.png",
    _ change: (inout ImageRequest) -> Void = { _ in }
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/\(path)", style: style)
    change(&request)
    return request
  }

  // MARK: - Credentials

  /// A transport whose image depends on the token, after a latch.
  private func personal(_ latch: Latch, refusing token: String? = nil) throws -> FakeTransport {
    let (mine, yours) = (png, try Square.png(200))
    return FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      let sent = request.headers.first { $0.isNamed("authorization") }?.value
      return TransportResponse(
        status: sent == token ? 401 : 200,
        headers: FakeResponse.fields(["Vary": "Authorization", "Cache-Control": "max-age=600"]),
        body: sent == "me" ? mine : yours,
        url: request.url
      )
    }
  }

  private func request(token: String) -> ImageRequest {
    request { $0.transfer.headers = [HeaderField("Authorization", token)] }
  }

  @Test func requestsWithOtherCredentialsShareNoTransfer() async throws {
    let latch = Latch()
    let transport = try personal(latch)
    let pipeline = pipeline(transport)
    let tasks = ["me", "you"].map { token in
      Task { try await Square.shade(pipeline.image(for: request(token: token))) }
    }
    await latch.arrivals(2)
    latch.open()
    #expect(try await tasks[0].value == 50)
    #expect(try await tasks[1].value == 200)
    await pipeline.finishWriting()
  }

  @Test func aRefusedCredentialSaysNothingOfAnother() async throws {
    let latch = Latch()
    latch.open()
    let pipeline = pipeline(try personal(latch, refusing: "old"))
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request(token: "old"))
    }
    #expect(try await Square.shade(pipeline.image(for: request(token: "me"))) == 50)
    await pipeline.finishWriting()
  }

  // MARK: - Timeouts

  @Test(arguments: [true, false])
  func aTimeoutEndsOnlyTheRequestThatHasIt(shortComesFirst: Bool) async throws {
    let transport = FakeTransport(clock: clock)
    transport.respond(with: FakeResponse.body(png).delayed(by: .seconds(10)))
    let pipeline = pipeline(transport)
    let (short, long) = (request { $0.transfer.timeout = .milliseconds(500) }, request())
    let order = shortComesFirst ? [short, long] : [long, short]
    var tasks: [Task<Result<Bitmap, ImageError>, Never>] = []
    for (index, request) in order.enumerated() {
      tasks.append(
        Task {
          do throws(ImageError) { return .success(try await pipeline.image(for: request)) } catch {
            return .failure(error)
          }
        }
      )
      // Of the first the transfer sleeps; of a second with a shorter time also its own timer.
      await clock.waitForSleepers()
      try await until { pipeline.activity.requests == index + 1 }
    }
    if !shortComesFirst { await clock.waitForSleepers(2) }
    clock.advance(by: .milliseconds(500))
    let timeout = ImageError.transport(
      .timedOut(after: .milliseconds(500)),
      url: "http://a.test/a.png"
    )
    await #expect(throws: timeout) { try await tasks[shortComesFirst ? 0 : 1].value.get() }
    try await until { pipeline.activity.requests == 1 }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    #expect(try await Square.shade(tasks[shortComesFirst ? 1 : 0].value.get()) == 50)
    #expect(transport.urls.count == (shortComesFirst ? 2 : 1))
  }

  @Test func aTimeoutIsThatOfEachAttempt() async throws {
    let transport = FakeTransport(clock: clock)
    transport.respond(
      with: FakeResponse.failure(.connectionLost(received: 0)).delayed(by: .milliseconds(300)),
      FakeResponse.body(png).delayed(by: .milliseconds(400))
    )
    let pipeline = pipeline(transport) { $0.network.retry = .fixed(maximum: 1, delay: .zero) }
    let long = Task { try await pipeline.image(for: request()) }
    await clock.waitForSleepers()
    let short = Task { [request = request { $0.transfer.timeout = .milliseconds(500) }] in
      try await pipeline.image(for: request)
    }
    await clock.waitForSleepers(2)
    clock.advance(by: .milliseconds(300))
    try await until { transport.urls.count == 2 }
    await clock.waitForSleepers(2)
    try await until { clock.sleeps.contains(.milliseconds(400)) }
    clock.advance(by: .milliseconds(400))
    for task in [long, short] { #expect(try await Square.shade(task.value) == 50) }
  }

  // MARK: - Priority

  @Test func anUrgentReloadRaisesTheTransferThatItWaitsFor() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = pipeline(transport)
    pipeline.maximumConcurrentDownloads = 1
    pipeline.isSuspended = true
    let prefetch = request(.circle(8), "a.png") { $0.priority = .low }
    let reload = request(.circle(8), "a.png") {
      ($0.priority, $0.caching.policy) = (.high, .reload)
    }
    var tasks: [Task<Bitmap, any Error>] = []
    for (index, request) in [prefetch, request(.circle(8), "b.png"), reload].enumerated() {
      tasks.append(Task { try await pipeline.image(for: request) })
      try await until { pipeline.activity.requests == index + 1 }
      try await until { pipeline.downloads.waiting == min(index + 1, 2) }
    }
    // It waits as well before it is raised.
    try await until { pipeline.context.network.queue.urgency == .high }
    pipeline.isSuspended = false
    for task in tasks { _ = try await task.value }
    #expect(transport.urls.first == "http://a.test/a.png")
    #expect(transport.urls.sorted() == ["a", "a", "b"].map { "http://a.test/\($0).png" })
  }

  // MARK: - Caches

  /// Whether memory, a table or the disk alone has the image.
  private func context(_ pipeline: ImagePipeline) async throws -> CacheStages {
    await pipeline.finishWriting()
    var found: CacheStages = []
    for stage: CacheStages in [.memory, .tables, .disk] {
      // The disk cache is asked by a pipeline that has nothing in memory.
      let asked = stage == .memory ? pipeline : self.pipeline(FakeTransport())
      let only = request { request in
        (request.caching.reads, request.caching.stores, request.caching.policy) = (
          stage, [], .onlyCached
        )
      }
      if (try? await asked.image(for: only)) != nil { found.insert(stage) }
    }
    return found
  }

  @Test(
    arguments: [[.memory], [.disk], [.tables, .disk], [.memory, .tables, .disk]] as [CacheStages]
  )
  func requestsForOtherCachesShareOneDownload(stores: CacheStages) async throws {
    let transport = FakeTransport(body: png)
    let pipeline = pipeline(transport)
    pipeline.isSuspended = true
    let wants: [CacheStages] = [[], stores.intersection(.memory), stores.subtracting(.memory)]
    var tasks: [Task<Bitmap, any Error>] = []
    for (index, stores) in wants.enumerated() {
      let request = request {
        $0.caching.stores = stores; $0.caching.reads = index == 0 ? [] : .all
      }
      tasks.append(Task { try await pipeline.image(for: request) })
      try await until { pipeline.activity.requests == index + 1 }
    }
    pipeline.isSuspended = false
    for task in tasks { #expect(try await Square.shade(task.value) == 50) }
    #expect(transport.urls.count == 1)
    #expect(try await context(pipeline) == stores)
  }

  @Test func aRequestThatJoinsADecodeHasItsCachesFilledToo() async throws {
    let transport = FakeTransport(body: png)
    let codec = LatchedCodec()
    let pipeline = pipeline(transport, codec)
    let first = Task { [request = request { $0.caching.stores = .memory }] in
      try await pipeline.image(for: request)
    }
    try await until { codec.arrivals.count == 1 }
    let second = Task { [request = request { $0.caching.stores = [.tables, .disk] }] in
      try await pipeline.image(for: request)
    }
    try await until { pipeline.activity.requests == 2 }
    codec.latch.open()
    for task in [first, second] { #expect(try await Square.shade(task.value) == 50) }
    #expect(transport.urls.count == 1)
    #expect(try await context(pipeline) == .all)
  }

  @Test func aRequestThatJoinsADecodeOfACachesFileHasItsCachesFilledToo() async throws {
    let first = pipeline(FakeTransport(body: png))
    _ = try await first.image(for: request(.circle(9)))
    await first.finishWriting()
    let codec = LatchedCodec()
    let pipeline = pipeline(FakeTransport(), codec)
    let wants: [CacheStages] = [[], .memory]
    var tasks: [Task<Bitmap, any Error>] = []
    for (index, stores) in wants.enumerated() {
      let request = request { ($0.caching.stores, $0.caching.reads) = (stores, .disk) }
      tasks.append(Task { try await pipeline.image(for: request) })
      try await until { pipeline.activity.requests == index + 1 && codec.arrivals.count > 0 }
    }
    codec.latch.open()
    for task in tasks { _ = try await task.value }
    #expect(pipeline.cached(for: request()) != nil)
  }

  @Test func aSlotIsFreeWhileItsBodyIsDecoded() async throws {
    let transport = FakeTransport(body: png)
    let codec = LatchedCodec()
    let pipeline = pipeline(transport, codec) {
      ($0.network.queue.maximumConcurrent, $0.decoding.maximumConcurrent) = (1, 1)
    }
    let tasks = (0..<3).map { number in
      Task { try await pipeline.image(for: request(.circle(8), "\(number).png")) }
    }
    // No decode ends before the last transfer has.
    try await until { transport.urls.count == 3 && pipeline.downloads.running == 0 }
    codec.latch.open()
    for task in tasks { #expect(try await Square.shade(task.value) == 50) }
  }

  // MARK: - Failures

  @Test func aStyleThatFailsIsStoredNowhere() async throws {
    struct Failure: Error {}
    let draws = Counter()
    let style = Style.freeform(name: "broken", version: 1) { _ in
      draws.add()
      throw Failure()
    }
    let transport = FakeTransport(body: png)
    let pipeline = pipeline(transport) { $0.disk?.contents = .both }
    for _ in 0..<2 {
      await #expect {
        try await pipeline.image(for: request(style))
      } throws: { error in
        if case ImageError.style = error { true } else { false }
      }
      #expect(pipeline.cached(for: request(style)) == nil)
    }
    #expect(draws.count == 2)
    // The file itself is good.
    #expect(transport.urls.count == 1)
    #expect(try await Square.shade(pipeline.image(for: request())) == 50)
    #expect(transport.urls.count == 1)
  }

  @Test func aPartThatWasNotRequestedIsNoImage() async throws {
    let range = [HeaderField("Content-Range", "bytes 0-\(png.count - 1)/\(png.count)")]
    let transport = FakeTransport([.response(status: 206, headers: range + .fresh, body: png)])
    let pipeline = pipeline(transport)
    await #expect(throws: ImageError.status(206, url: "http://a.test/a.png")) {
      try await pipeline.image(for: request())
    }
    #expect(try await context(pipeline) == [])
  }
}
