import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct PipelineTests {
  private let png: [UInt8]

  init() throws {
    png = try TestImages.png(width: 64, height: 48)
  }

  private func request(_ style: Style = .original, _ path: String = "a") -> ImageRequest {
    ImageRequest(location: "http://example.test/\(path).png", style: style)
  }

  @Test func dataUnderAKeyOfItsOwnIsFoundAgain() async throws {
    let keys = KeyOptions(filter: { $0.lowercased() })
    let pipeline = ImagePipeline(options: PipelineOptions(disk: nil, keys: keys))
    let png = try TestImages.png(width: 8, height: 8)
    let request = ImageRequest(data: png, id: "Face", style: .circle(4))
    #expect(try await pipeline.response(for: request).source == .data)
    #expect(pipeline.cached(for: request) != nil)
  }

  @Test func tenViewsOfFiveStylesMakeOneDownloadTwoDecodesAndFiveStylings() async throws {
    let latch = Latch()
    let png = png
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let styles: [Style] = [
      .circle(32), .rectangle(width: 32, height: 32), .circle(32, border: .init(2)),
      .rounded(width: 24, height: 24, cornerRadius: 4),
      .rounded(width: 24, height: 24, cornerRadius: 8),
    ]
    let views = (styles + styles).map { style in
      Task { try await pipeline.image(for: request(style)) }
    }
    try await until { pipeline.activity.requests >= 10 }
    latch.open()
    for view in views { _ = try await view.value }
    let statistics = pipeline.statistics
    #expect(transport.urls.count == 1)
    #expect(statistics.downloads == 1)
    #expect(statistics.decodes == 2)
    #expect(statistics.stylings == 5)
  }

  @Test func theSecondTimeNothingIsDone() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let request = request(.circle(32))
    let first = try await pipeline.response(for: request)
    let before = pipeline.statistics
    let second = try await pipeline.response(for: request)
    #expect(first.source == .network)
    #expect(second.source == .memory)
    #expect(pipeline.cached(for: request) != nil)
    #expect(transport.urls.count == 1)
    #expect(pipeline.statistics.decodes == before.decodes)
    #expect(pipeline.statistics.stylings == before.stylings)
  }

  @Test func anotherStyleLaterNeedsNoSecondDownload() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    _ = try await pipeline.image(for: request(.circle(32)))
    let second = try await pipeline.response(for: request(.circle(20)))
    #expect(second.source == .memory)
    #expect(transport.urls.count == 1)
  }

  @Test func pointsTimesScaleArePixels() async throws {
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, scale: 2),
      transport: FakeTransport(body: png)
    )
    #expect(try await pipeline.image(for: request(.circle(10))).size == size(20, 20))
    var other = request(.circle(10))
    other.scale = 1.5
    #expect(try await pipeline.image(for: other).size == size(15, 15))
  }

  @Test(arguments: [404, 500, 304, 204])
  func aStatusThatBringsNoImageFailsBeforeTheBodyIsBelieved(status: Int) async throws {
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png, status: status)
    )
    await #expect(throws: ImageError.status(status, url: "http://example.test/a.png")) {
      try await pipeline.image(for: request())
    }
  }

  @Test func whichStatusesBringAnImageIsAnOption() async throws {
    var options = PipelineOptions.steady
    options.network.responses.statuses = 200..<500
    let transport = FakeTransport(body: png, status: 404)
    let pipeline = ImagePipeline(options: options, transport: transport)
    #expect(try await pipeline.image(for: request(.circle(8))).size == size(8, 8))
  }

  @Test(arguments: zip(ImagePriority.allCases, ["u=5", nil, "u=2"]))
  func aServerReadsHowSoonAnImageIsWanted(priority: ImagePriority, field: String?) async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    var request = request(.circle(8))
    request.priority = priority
    _ = try await pipeline.image(for: request)
    #expect(transport.requests.first?.headers.first { $0.name == "Priority" }?.value == field)
    request.caching.policy = .reload
    request.transfer.headers = [HeaderField("priority", "i")]
    _ = try await pipeline.image(for: request)
    let fields = transport.requests[1].headers.filter { $0.name.lowercased() == "priority" }
    #expect(fields.map(\.value) == ["i"])
  }

  @Test func aServerReadsHowSoonTheLastOfThoseWhoWaitWantsIt() async throws {
    let (latch, png) = (Latch(), png)
    let origin = FakeTransport { (request, _) throws(TransportError) in
      if request.url.hasSuffix("first.png") { _ = await latch.wait() }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    var options = PipelineOptions.steady
    options.network.queue.maximumConcurrent = 1
    let pipeline = ImagePipeline(options: options, transport: origin)
    let first = Task { try await pipeline.image(for: request(.original, "first")) }
    await latch.arrivals(1)
    var loads: [Task<Bitmap, any Error>] = []
    for priority in [ImagePriority.low, .high] {
      var second = request(.original, "second")
      second.priority = priority
      loads.append(Task { [second] in try await pipeline.image(for: second) })
      try await until { pipeline.runningRequests == 1 + loads.count }
    }
    latch.open()
    for load in loads + [first] { _ = try await load.value }
    #expect(origin.requests[1].headers.first { $0.name == "Priority" }?.value == "u=2")
  }

  @Test func howManyRequestsRunIsKnown() async throws {
    let (latch, png) = (Latch(), png)
    let origin = FakeTransport { (request, _) throws(TransportError) in
      _ = await latch.wait()
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline(options: .steady, transport: origin)
    let load = Task { try await pipeline.image(for: request()) }
    await latch.arrivals(1)
    #expect(pipeline.runningRequests == 1)
    latch.open()
    _ = try await load.value
    #expect(pipeline.runningRequests == 0)
  }

  @Test func aBodyThatIsNoImageIsReportedAndNotKept() async throws {
    let disk = FakeDisk()
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: Array("<html>no</html>".utf8)),
      diskCache: disk
    )
    await #expect {
      try await pipeline.image(for: request())
    } throws: { error in
      if case ImageError.decode = error { true } else { false }
    }
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
  }

  @Test func anErrorIsNotRemembered() async throws {
    let attempts = Counter()
    let png = png
    let transport = FakeTransport { (request, _) throws(TransportError) in
      attempts.add()
      if attempts.count == 1 { throw .cannotConnect("example.test") }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let options = PipelineOptions(memory: .steady, network: NetworkOptions(retry: .none))
    let pipeline = ImagePipeline(options: options, transport: transport)
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request()) }
    _ = try await pipeline.image(for: request())
    #expect(attempts.count == 2)
  }

  @Test func theDiskAnswersANewPipeline() async throws {
    let disk = FakeDisk()
    let first = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      diskCache: disk
    )
    _ = try await first.image(for: request(.circle(32)))
    await first.finishWriting()
    let transport = FakeTransport(body: png)
    let second = ImagePipeline(options: .steady, transport: transport, diskCache: disk)
    let response = try await second.response(for: request(.circle(32)))
    #expect(response.source == .disk)
    #expect(transport.urls.isEmpty)
  }

  @Test func aDiskThatFailsIsReportedAndPassedBy() async throws {
    let events = Recorder<PipelineEvent>()
    let disk = FakeDisk(failure: "the disk is on fire")
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      diskCache: disk,
      onEvent: { events.add($0) }
    )
    let response = try await pipeline.response(for: request())
    await pipeline.finishWriting()
    #expect(response.source == .network)
    #expect(events.items.contains(.diskFailed("the disk is on fire")))
    #expect(pipeline.statistics.diskFailures == 2)
  }

  @Test func aFolderThatCannotBeOpenedIsReportedOnceAPauseAndPassedBy() async throws {
    let clock = ManualClock()
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, disk: DiskOptions(directory: "/proc/none/ikran")),
      transport: FakeTransport(body: png),
      clock: clock.pipelineClock
    )
    _ = try await pipeline.image(for: request(.original, "a"))
    _ = try await pipeline.image(for: request(.original, "b"))
    await pipeline.finishWriting()
    #expect(pipeline.statistics.diskFailures == 1)
    // It is tried again after a pause.
    clock.advance(by: .seconds(1))
    _ = try await pipeline.image(for: request(.original, "c"))
    _ = try await pipeline.image(for: request(.original, "d"))
    await pipeline.finishWriting()
    #expect(pipeline.statistics.diskFailures == 2)
  }

  @Test func reloadGoesToTheNetworkAndOfflineNeverDoes() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    var request = request(.circle(32))
    request.caching.policy = .onlyCached
    await #expect(throws: ImageError.offline(url: "http://example.test/a.png")) {
      try await pipeline.image(for: request)
    }
    request.caching.policy = .standard
    _ = try await pipeline.image(for: request)
    request.caching.policy = .reload
    #expect(try await pipeline.response(for: request).source == .network)
    #expect(transport.urls.count == 2)
  }

  @Test func headersArePartOfTheSource() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    _ = try await pipeline.image(for: request())
    var other = request()
    other.transfer.headers = [HeaderField("X-User", "ana")]
    _ = try await pipeline.image(for: other)
    #expect(transport.urls.count == 2)
  }

  @Test func theKeyFilterMakesSignedURLsOne() async throws {
    let transport = FakeTransport(body: png)
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        keys: KeyOptions(filter: { String($0.prefix { $0 != "?" }) })
      ),
      transport: transport
    )
    for token in ["1", "2"] {
      let url = "http://example.test/a.png?t=\(token)"
      let request = ImageRequest(location: url, style: .circle(8))
      _ = try await pipeline.image(for: request)
    }
    #expect(transport.urls.count == 1)
  }

  @Test func dataIsAnImageToo() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: []))
    let request = ImageRequest(data: png, id: "mine", style: .circle(16))
    #expect(try await pipeline.response(for: request).source == .data)
    #expect(try await pipeline.response(for: request).source == .memory)
  }

  @Test func aCancelledCallerReturnsAtOnceAndTheTransferEnds() async {
    let latch = Latch()
    let ended = Latch()
    let transport = FakeTransport { (_, _) throws(TransportError) in
      _ = await latch.wait()
      ended.open()
      throw .cancelled
    }
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let caller = Task { try await pipeline.image(for: request()) }
    await latch.arrivals(1)
    caller.cancel()
    await #expect(throws: ImageError.cancelled) { try await caller.value }
    #expect(await ended.wait())
  }

  @Test func eventsTellProgressThenOneEnding() async {
    let png = png
    let transport = FakeTransport { (request, progress) throws(TransportError) in
      progress(TransferProgress(received: 0, expected: png.count))
      progress(TransferProgress(received: png.count, expected: png.count))
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    var endings = 0
    var last: ImageEvent?
    for await event in pipeline.events(for: request()) {
      if case .progress = event { #expect(endings == 0) } else { endings += 1 }
      last = event
    }
    #expect(endings == 1)
    guard case .finished(let response) = last else {
      Issue.record("the stream must end with the image")
      return
    }
    #expect(response.image.size == size(64, 48))
  }

  @Test func aQueuedRequestThatBecomesUrgentIsFetchedNext() async throws {
    let latch = Latch()
    let png = png
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pipeline = ImagePipeline(
      options: PipelineOptions(memory: .steady, network: NetworkOptions(maximumConcurrent: 1)),
      transport: transport
    )
    let tasks = ["a", "b", "c"].map { pipeline.task(for: request(.original, $0)) }
    try await until { pipeline.downloads.waiting >= 2 }
    let waiting = tasks.filter { !transport.urls.contains("http://example.test/\($0.name).png") }
    let last = try #require(waiting.last)
    last.priority = .high
    try await until { pipeline.activity.highestPriority == .high }
    latch.open()
    for task in tasks { _ = try await task.response }
    #expect(transport.urls[1] == "http://example.test/\(last.name).png")
  }

  private func size(_ width: Int, _ height: Int) -> PixelSize {
    PixelSize(width: width, height: height)
  }
}

extension ImageTask {
  fileprivate var name: String {
    String(request.displayName.dropFirst("http://example.test/".count).dropLast(".png".count))
  }
}
