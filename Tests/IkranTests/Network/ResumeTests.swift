import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct ResumeTests {
  private let png: [UInt8]
  private let folder: TemporaryDirectory
  private let clock = ManualClock()
  private let half: Int

  init() throws {
    png = try TestImages.png(width: 64, height: 64)
    folder = try TemporaryDirectory()
    half = png.count / 2
  }

  private func pipeline(_ origin: ScriptedOrigin, retry: RetryPolicy = .none) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    options.network.retry = retry
    options.network.failures = .none
    options.network.resumption.minimumBytes = 1
    return ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
  }

  private var request: ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: .original)
  }

  private func brokenOff(_ fields: [String: String] = ["ETag": "\"1\""]) -> ScriptedOrigin.Answer {
    var fields = fields
    fields["Content-Length"] = "\(png.count)"
    return .interrupted(
      status: 200,
      headers: ScriptedOrigin.Answer.fields(fields),
      body: Array(png[..<half])
    )
  }

  private func rest(_ range: String? = nil, tag: String = "\"1\"") -> ScriptedOrigin.Answer {
    let fields = [
      "Content-Range": range ?? "bytes \(half)-\(png.count - 1)/\(png.count)", "ETag": tag,
    ]
    return .response(
      status: 206,
      headers: ScriptedOrigin.Answer.fields(fields),
      body: Array(png[half...])
    )
  }

  /// A transfer breaks off in one process; another goes on with `answers`.
  private func resumed(
    after broken: ScriptedOrigin.Answer? = nil,
    _ answers: ScriptedOrigin.Answer...
  ) async throws -> ScriptedOrigin {
    let first = pipeline(ScriptedOrigin([broken ?? brokenOff()]))
    await #expect(throws: ImageError.self) { try await first.response(for: request) }
    await first.finishWriting()
    let origin = ScriptedOrigin(answers)
    let second = pipeline(origin)
    let response = try await second.response(for: request)
    #expect(response.encodedBytes == png.count)
    #expect(
      try response.image.straightRGBA() == TestImages.gradient(width: 64, height: 64).straightRGBA()
    )
    await second.finishWriting()
    return origin
  }

  @Test(arguments: [true, false])
  func whatBreaksOffIsKeptIfAnyRequestWantsItOnTheDisk(isFirst: Bool) async throws {
    let pipeline = pipeline(ScriptedOrigin([brokenOff()]))
    pipeline.isSuspended = true
    var tasks: [Task<ImageResponse, any Error>] = []
    for stores in isFirst ? [.all, .memory] : [CacheStages.memory, .all] {
      var request = request
      request.caching.stores = stores
      tasks.append(Task { [request] in try await pipeline.response(for: request) })
      try await until { pipeline.activity.requests == tasks.count }
    }
    pipeline.isSuspended = false
    for task in tasks { await #expect(throws: ImageError.self) { try await task.value } }
    await pipeline.finishWriting()
    #expect(try !Files.list(folder.path + "/partial").isEmpty)
  }

  @Test func whatBreaksOffIsNotKeptIfItMustNotBeStored() async throws {
    let pipeline = pipeline(
      ScriptedOrigin([brokenOff(["ETag": "\"1\"", "Cache-Control": "no-store"])])
    )
    await #expect(throws: ImageError.self) { try await pipeline.response(for: request) }
    await pipeline.finishWriting()
    #expect(!Files.exists(folder.path + "/partial"))
  }

  @Test(arguments: [true, false])
  func aSharedTransferGoesOnFromWhatAnyRequestReads(isFirst: Bool) async throws {
    let first = pipeline(ScriptedOrigin([brokenOff()]))
    await #expect(throws: ImageError.self) { try await first.response(for: request) }
    await first.finishWriting()
    let origin = ScriptedOrigin([rest()])
    let second = pipeline(origin)
    second.isSuspended = true
    var tasks: [Task<ImageResponse, any Error>] = []
    for reads in isFirst ? [.all, []] : [CacheStages([]), .all] {
      var request = request
      request.caching.reads = reads
      tasks.append(Task { [request] in try await second.response(for: request) })
      try await until { second.activity.requests == tasks.count }
    }
    second.isSuspended = false
    for task in tasks { #expect(try await task.value.encodedBytes == png.count) }
    #expect(origin.header("Range", of: 0) == "bytes=\(half)-")
  }

  @Test func anotherProcessGoesOnWhereATransferBrokeOff() async throws {
    let origin = try await resumed(rest())
    #expect(origin.header("Range", of: 0) == "bytes=\(half)-")
    #expect(origin.header("If-Range", of: 0) == "\"1\"")
    #expect(origin.requests.count == 1)
    #expect(try Files.list(folder.path + "/partial").isEmpty)
  }

  @Test func aRetryGoesOnWhereTheTryBeforeBrokeOff() async throws {
    let origin = ScriptedOrigin([brokenOff(), rest()])
    let pipeline = pipeline(origin, retry: .fixed(maximum: 1, delay: .zero))
    #expect(try await pipeline.response(for: request).encodedBytes == png.count)
    #expect(origin.header("range", of: 1) == "bytes=\(half)-")
  }

  @Test func aReloadTakesTheWholeFile() async throws {
    let first = pipeline(ScriptedOrigin([brokenOff()]))
    await #expect(throws: ImageError.self) { try await first.response(for: request) }
    await first.finishWriting()
    let origin = ScriptedOrigin([brokenOff(), rest()])
    let second = pipeline(origin, retry: .fixed(maximum: 1, delay: .zero))
    var reload = request
    reload.caching.policy = .reload
    #expect(try await second.response(for: reload).encodedBytes == png.count)
    #expect(origin.header("Range", of: 0) == nil)
    // What the reload itself has brought is new.
    #expect(origin.header("Range", of: 1) == "bytes=\(half)-")
  }

  @Test func progressCountsWhatHadArrived() async throws {
    let pipeline = pipeline(
      ScriptedOrigin([brokenOff(), rest()]),
      retry: .fixed(maximum: 1, delay: .zero)
    )
    // Nothing arrives before there is somebody to hear of it.
    pipeline.isSuspended = true
    let events = pipeline.events(for: request)
    pipeline.isSuspended = false
    var last: TransferProgress?
    for await event in events {
      if case .progress(let progress) = event { last = progress }
    }
    #expect(last == TransferProgress(received: png.count, expected: png.count))
  }

  @Test func aWholeAnswerStartsOver() async throws {
    let origin = try await resumed(.ok(png, ["ETag": "\"2\""]))
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: ["bytes 0-9/99", "bytes */99", "items 1-2/3", ""])
  func aRangeThatDoesNotFitIsNotGluedOn(_ range: String) async throws {
    let origin = try await resumed(rest(range), .ok(png))
    #expect(origin.header("Range", of: 1) == nil)
  }

  @Test func aRangeOfAnotherVersionIsNotGluedOn() async throws {
    let origin = try await resumed(rest(tag: "\"2\""), .ok(png))
    #expect(origin.header("Range", of: 1) == nil)
  }

  @Test func aRangeThatComesEncodedStartsOver() async throws {
    let origin = try await resumed(.failure(.contentEncoding("gzip")), .ok(png))
    #expect(origin.header("Range", of: 0) != nil && origin.header("Range", of: 1) == nil)
  }

  @Test func aRangeThatCannotBeHadStartsOver() async throws {
    let origin = try await resumed(.status(416, ["Content-Range": "bytes */3"]), .ok(png))
    #expect(origin.header("Range", of: 1) == nil)
  }

  @Test(arguments: [
    [:], ["ETag": "W/\"1\""], ["ETag": "\"1\"", "Accept-Ranges": "none"],
    ["ETag": "\"1\"", "Content-Encoding": "gzip"],
    ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
    [
      "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:00 GMT",
    ],
  ])
  func whatCannotBeResumedSafelyStartsOver(_ fields: [String: String]) async throws {
    let origin = try await resumed(after: brokenOff(fields), .ok(png))
    #expect(origin.header("Range", of: 0) == nil)
  }

  @Test func aDateOfChangeWillDoWhenItIsOldEnough() async throws {
    let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
    let fields = ["Last-Modified": changed, "Date": "Sun, 06 Nov 1994 08:51:00 GMT"]
    let rest = ScriptedOrigin.Answer.response(
      status: 206,
      headers: ScriptedOrigin.Answer.fields([
        "Content-Range": "bytes \(half)-\(png.count - 1)/\(png.count)", "Last-Modified": changed,
      ]),
      body: Array(png[half...])
    )
    let origin = try await resumed(after: brokenOff(fields), rest)
    #expect(origin.header("If-Range", of: 0) == changed)
  }

  @Test func aTransferMayBreakOffManyTimes() async throws {
    let quarter = png.count / 4
    func part(_ from: Int, _ to: Int) -> ScriptedOrigin.Answer {
      .interrupted(
        status: 206,
        headers: [
          HeaderField("Content-Range", "bytes \(from)-\(png.count - 1)/\(png.count)"),
          HeaderField("ETag", "\"1\""),
        ],
        body: Array(png[from..<to])
      )
    }
    let origin = ScriptedOrigin([
      brokenOff(), part(half, half + 1), part(half + 1, half + quarter),
      .response(
        status: 206,
        headers: [
          HeaderField(
            "Content-Range",
            "bytes \(half + quarter)-\(png.count - 1)/\(png.count)"
          ), HeaderField("ETag", "\"1\""),
        ],
        body: Array(png[(half + quarter)...])
      ),
    ])
    let pipeline = pipeline(origin, retry: .fixed(maximum: 3, delay: .zero))
    #expect(try await pipeline.response(for: request).encodedBytes == png.count)
    #expect(origin.header("range", of: 3) == "bytes=\(half + quarter)-")
  }

  @Test func whatIsResumedIsLoadedAfterTheHook() async throws {
    let first = pipeline(ScriptedOrigin([brokenOff()]))
    await #expect(throws: ImageError.self) { try await first.response(for: request) }
    await first.finishWriting()
    let (origin, seen) = (ScriptedOrigin([rest()]), Recorder<TransportRequest>())
    var options = PipelineOptions.steady
    options.disk = DiskOptions(directory: folder.path)
    options.hooks.willSend = { request in
      seen.add(request)
      return request
    }
    let second = ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
    #expect(try await second.response(for: request).encodedBytes == png.count)
    // Many may wait for their places after the hook, and what they resume should not be in memory.
    #expect(seen.items.map { $0.headers.map(\.name) } == [[]])
    #expect(origin.header("Range", of: 0) == "bytes=\(half)-")
    #expect(origin.header("If-Range", of: 0) == "\"1\"")
  }

  @Test func aDamagedRemainderIsOfNoUse() async throws {
    let first = pipeline(ScriptedOrigin([brokenOff()]))
    await #expect(throws: ImageError.self) { try await first.response(for: request) }
    await first.finishWriting()
    let name = try #require(try Files.list(folder.path + "/partial").first)
    let path = "\(folder.path)/partial/\(name)"
    var bytes = try Files.read(path)
    bytes[bytes.count - 1] ^= 1
    try Files.remove(path)
    try Files.create(path, bytes)
    let origin = ScriptedOrigin([.ok(png)])
    _ = try await pipeline(origin).response(for: request)
    #expect(origin.header("Range", of: 0) == nil)
  }

  @Test(arguments: [true, false])
  func aRangeOfAnotherDateIsNotGluedOn(isSame: Bool) async throws {
    let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
    let fields = ["Last-Modified": changed, "Date": "Sun, 06 Nov 1994 08:51:00 GMT"]
    let rest = ScriptedOrigin.Answer.response(
      status: 206,
      headers: ScriptedOrigin.Answer.fields([
        "Content-Range": "bytes \(half)-\(png.count - 1)/\(png.count)",
        "Last-Modified": isSame ? changed : "Mon, 07 Nov 1994 08:49:37 GMT",
      ]),
      body: Array(png[half...])
    )
    let origin = try await resumed(after: brokenOff(fields), rest, .ok(png))
    #expect(origin.header("If-Range", of: 0) == changed)
    #expect(origin.requests.count == (isSame ? 1 : 2))
  }

  @Test func aRemainderDoesNotLowerTheLimitOfAWholeAnswer() async throws {
    let origin = ScriptedOrigin([brokenOff(), .ok(png), .ok(png)])
    let limit = png.count + 1
    var options = PipelineOptions(disk: DiskOptions(directory: folder.path))
    options.network.maximumBodyBytes = limit
    options.network.retry = .none
    options.network.failures = .none
    options.network.resumption.minimumBytes = 1
    let pipeline = ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
    await #expect(throws: ImageError.self) { try await pipeline.response(for: request) }
    #expect(try await pipeline.response(for: request).encodedBytes == png.count)
    #expect(origin.requests.map(\.maximumBodyBytes) == [limit, limit - half, limit])
    await pipeline.finishWriting()
    #expect(try Files.list(folder.path + "/partial").isEmpty)
  }
}
