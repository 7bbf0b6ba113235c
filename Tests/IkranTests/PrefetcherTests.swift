import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct PrefetcherTests {
  private let png: [UInt8]
  private let latch = Latch()

  init() throws { png = try TestImages.png(width: 64, height: 48) }

  private func request(_ path: String, _ style: Style = .circle(16)) -> ImageRequest {
    ImageRequest(location: "http://example.test/\(path).png", style: style)
  }

  private func requests(_ count: Int) -> [ImageRequest] { (0..<count).map { request("\($0)") } }

  /// Answers at once.
  private var open: FakeTransport { FakeTransport(body: png) }

  /// Answers when the latch opens; what has "bad" in its name fails then.
  private var held: FakeTransport {
    let (latch, png) = (latch, png)
    return FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      let status = request.url.contains("bad") ? 404 : 200
      return TransportResponse(status: status, headers: .fresh, body: png, url: request.url)
    }
  }

  private func collect(_ list: PrefetchList) async -> [PrefetchProgress] {
    var updates: [PrefetchProgress] = []
    for await update in list.updates { updates.append(update) }
    return updates
  }

  @Test func whatWasPrefetchedIsInMemory() async {
    let transport = open
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let prefetcher = Prefetcher(pipeline)
    let progress = await prefetcher.start(requests(10)).wait()
    #expect((progress.total, progress.fetched, progress.finished) == (10, 10, 10))
    #expect(requests(10).allSatisfy { pipeline.cached(for: $0) != nil })
    #expect(transport.urls.count == 10)
    #expect(prefetcher.queue.count == 0)
  }

  @Test func whatIsThereIsSkippedAndWhatFailsIsCounted() async throws {
    latch.open()
    let pipeline = ImagePipeline(options: .steady, transport: held)
    _ = try await pipeline.image(for: request("a"))
    let list = Prefetcher(pipeline).start([request("a"), request("bad"), request("b")])
    let progress = await list.wait()
    #expect((progress.fetched, progress.skipped, progress.failed) == (1, 1, 1))
    #expect(await collect(list) == [progress])
  }

  @Test func theEndingComesOnceAndLast() async {
    let pipeline = ImagePipeline(options: .steady, transport: held)
    let prefetcher = Prefetcher(pipeline)
    let list = prefetcher.start(requests(3) + [request("bad")])
    async let updates = collect(list)
    latch.open()
    let seen = await updates
    #expect(list.progress.finished == 4)
    #expect(seen.last == list.progress)
    #expect(seen.map(\.isFinished) == [false, false, false, true])
    // Who comes late hears the ending alone.
    #expect(await collect(list) == [list.progress])
  }

  @Test func aReaderResumedInPlaceMayReadTheProgress() async {
    let pipeline = ImagePipeline(options: .steady, transport: held)
    let list = Prefetcher(pipeline).start(requests(3))
    let seen = Recorder<PrefetchProgress>()
    let reader = Task(executorPreference: InPlaceExecutor()) {
      for await _ in list.updates { seen.add(list.progress) }
    }
    latch.open()
    await reader.value
    #expect(seen.items.last?.isFinished == true)
  }

  @Test func noMoreThanAllowedAreUnderWay() async throws {
    let transport = held
    let prefetcher = Prefetcher(
      ImagePipeline(options: .steady, transport: transport),
      options: PrefetchOptions(maximumConcurrent: 2)
    )
    let list = prefetcher.start(requests(6))
    await latch.arrivals(2)
    #expect(prefetcher.queue.running == 2)
    #expect(transport.urls.count == 2)
    latch.open()
    #expect(await list.wait().fetched == 6)
  }

  @Test func aCancelledListEndsWithOneEndingAndFreesItsPlace() async {
    let pipeline = ImagePipeline(options: .steady, transport: held)
    let prefetcher = Prefetcher(pipeline)
    let first = prefetcher.start((0..<9).map { request("first-\($0)") })
    let second = prefetcher.start([request("second")])
    await latch.arrivals(3)
    first.cancel()
    first.cancel()
    #expect(await collect(first) == [first.progress])
    #expect(first.progress.cancelled == 9)
    latch.open()
    #expect(await second.wait().fetched == 1)
    #expect(pipeline.cached(for: request("second")) != nil)
  }

  @Test func onlyTheNamedRequestsAreCancelled() async {
    let prefetcher = Prefetcher(ImagePipeline(options: .steady, transport: held))
    let list = prefetcher.start(requests(8))
    prefetcher.cancel(Array(requests(8).dropFirst(2)))
    latch.open()
    let progress = await list.wait()
    #expect((progress.fetched, progress.cancelled) == (2, 6))
    #expect(await collect(list) == [progress])
  }

  @Test func cancellingLeavesTheImageToThoseWhoAskedToo() async throws {
    let transport = held
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let prefetcher = Prefetcher(pipeline)
    prefetcher.start([request("a")])
    await latch.arrivals(1)
    let view = Task { try await pipeline.image(for: request("a")) }
    try await until { pipeline.activity.requests == 2 }
    prefetcher.cancelAll()
    latch.open()
    _ = try await view.value
    #expect(transport.urls.count == 1)
  }

  @Test func whatAViewWantsGoesFirst() async throws {
    let transport = held
    let options = PipelineOptions(memory: .steady, network: NetworkOptions(maximumConcurrent: 1))
    let pipeline = ImagePipeline(options: options, transport: transport)
    let prefetcher = Prefetcher(pipeline, options: PrefetchOptions(maximumConcurrent: 4))
    let list = prefetcher.start(["a", "b", "c", "d"].map { request($0) })
    await latch.arrivals(1)
    try await until { pipeline.downloads.waiting == 3 }
    var wanted = request(transport.urls[0].contains("d.png") ? "c" : "d")
    wanted.priority = .high
    async let image = pipeline.image(for: wanted)
    try await until { pipeline.activity.highestPriority == .high }
    latch.open()
    _ = try await image
    _ = await list.wait()
    #expect("http://example.test/\(wanted.displayName.suffix(5))" == transport.urls[1])
  }

  @Test func whileItIsPausedNothingBegins() async throws {
    let transport = open
    let prefetcher = Prefetcher(ImagePipeline(options: .steady, transport: transport))
    prefetcher.isPaused = true
    let list = prefetcher.start(requests(4))
    #expect(prefetcher.queue.running == 0)
    #expect(transport.urls.isEmpty)
    prefetcher.isPaused = false
    #expect(await list.wait().fetched == 4)
  }

  @Test func anEmptyListIsFinished() async {
    let list = Prefetcher(ImagePipeline(options: .steady, transport: open)).start([])
    #expect(await collect(list) == [list.progress])
  }

  @Test func whatWasBegunGoesOnWithoutThePrefetcher() async {
    let list = Prefetcher(ImagePipeline(options: .steady, transport: held)).start(requests(5))
    await latch.arrivals(3)
    latch.open()
    #expect(await list.wait().fetched == 5)
  }

  @Test func forTheDiskNothingIsDecoded() async {
    let disk = FakeDisk()
    let pipeline = ImagePipeline(options: .steady, transport: open, diskCache: disk)
    let options = PrefetchOptions(destination: .disk)
    let bytes = ImageRequest(data: png, id: "data")
    let list = Prefetcher(pipeline, options: options).start(requests(3) + [bytes])
    let progress = await list.wait()
    #expect((progress.fetched, progress.skipped) == (3, 1))
    await pipeline.finishWriting()
    #expect(disk.keys.count == 3)
    #expect(pipeline.statistics.decodes == 0)
    let other = ImagePipeline(options: .steady, transport: open, diskCache: disk)
    let again = await Prefetcher(other, options: options).start(requests(3)).wait()
    #expect(again.skipped == 3)
  }

  @Test func withoutADiskNothingIsDownloadedForIt() async {
    let transport = open
    let prefetcher = Prefetcher(
      ImagePipeline(options: .steady, transport: transport),
      options: PrefetchOptions(destination: .disk)
    )
    #expect(await prefetcher.start(requests(2)).wait().skipped == 2)
    #expect(transport.urls.isEmpty)
  }

  @Test func forATableMemoryIsLeftAlone() async throws {
    let folder = try TemporaryDirectory()
    let tables = TableOptions(directory: folder.path)
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, tables: tables),
      transport: open
    )
    let options = PrefetchOptions(destination: .table)
    let round = requests(3)
    let whole = request("whole", .original)
    let progress = await Prefetcher(pipeline, options: options).start(round + [whole]).wait()
    #expect(progress.fetched == 4)
    for request in round {
      #expect(pipeline.context.images.contains(pipeline.styledKey(request)) == false)
      #expect(pipeline.cached(for: request) != nil)
    }
    // No table keeps it.
    #expect(pipeline.context.images.contains(pipeline.styledKey(whole)))
    let again = await Prefetcher(pipeline, options: options).start(round).wait()
    #expect(again.skipped == 3)
  }

  @Test func whoeverLooksAtWhatIsPrefetchedToTheDiskSharesItsDownload() async throws {
    var network = NetworkOptions(maximumConcurrent: 1)
    network.retry = .none
    let transport = held
    let pipeline = ImagePipeline(
      options: PipelineOptions(network: network),
      transport: transport,
      diskCache: FakeDisk()
    )
    let running = Task { try await pipeline.response(for: request("running")) }
    await latch.arrivals(1)
    let options = PrefetchOptions(destination: .disk)
    let list = Prefetcher(pipeline, options: options).start([request("a")])
    try await until { pipeline.downloads.waiting == 1 }
    var wanted = request("a")
    wanted.priority = .high
    let look = Task { [wanted] in try await pipeline.response(for: wanted) }
    try await until { pipeline.activity.requests == 3 }
    latch.open()
    _ = try await (running.value, look.value)
    _ = await list.wait()
    #expect(transport.urls.map { $0.suffix(11) } == ["running.png", ".test/a.png"])
  }

  @Test func cancellingFindsWhatWasQueuedBeforeANewerFileCame() async throws {
    let pipeline = ImagePipeline(transport: open)
    let prefetcher = Prefetcher(pipeline)
    prefetcher.isPaused = true
    let list = prefetcher.start([request("a")])
    var reload = request("a")
    reload.caching.policy = .reload
    _ = try await pipeline.response(for: reload)
    prefetcher.cancel([request("a")])
    #expect(list.progress.cancelled == 1)
    #expect(prefetcher.queue.count == 0)
  }
}

/// Runs each step of a task on the thread that makes it ready.
private final class InPlaceExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
