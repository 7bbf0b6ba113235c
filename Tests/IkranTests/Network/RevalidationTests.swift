import IkranStores
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct RevalidationTests {
  private let older: [UInt8]
  private let newer: [UInt8]
  private let clock = ManualClock()
  private let disk = FakeDisk()

  init() throws {
    older = try TestImages.png(width: 8, height: 8)
    newer = try TestImages.png(width: 9, height: 9)
  }

  private func pipeline(
    _ origin: ScriptedOrigin,
    _ change: (inout PipelineOptions) -> Void = { _ in },
    onEvent: @escaping @Sendable (PipelineEvent) -> Void = { _ in }
  ) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = .none
    change(&options)
    return ImagePipeline(
      options: options,
      transport: origin,
      diskCache: disk,
      onEvent: onEvent,
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

  @Test func whatIsFreshIsNotAskedFor() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60"])])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(59))
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(origin.requests.count == 1)
  }

  @Test func whatIsStaleIsAskedForAndNeitherDecodedNorStyledAgain() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""]),
      .status(304, ["Cache-Control": "max-age=30"]),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request(.standard, .circle(4)))
    clock.advance(by: .seconds(60))
    #expect(try await pipeline.response(for: request(.standard, .circle(4))).source == .memory)
    #expect(origin.header("if-none-match", of: 1) == "\"1\"")
    clock.advance(by: .seconds(29))
    _ = try await pipeline.response(for: request(.standard, .circle(4)))
    #expect(origin.requests.count == 2)
    #expect(pipeline.statistics.decodes == 1)
    #expect(pipeline.statistics.confirmations == 1)
    clock.advance(by: .seconds(1))
    _ = try await pipeline.response(for: request(.standard, .circle(4)))
    #expect(origin.requests.count == 3)
  }

  @Test func aChangedFileReplacesTheOlderInEveryStyle() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60"]), .ok(newer, ["Cache-Control": "max-age=60"]),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    _ = try await pipeline.response(for: request(.standard, .circle(4)))
    clock.advance(by: .seconds(60))
    #expect(try await pipeline.response(for: request()).image.width == 9)
    #expect(try await pipeline.response(for: request(.standard, .circle(4))).source != .network)
    #expect(origin.requests.count == 2)
    #expect(pipeline.cached(for: request())?.width == 9)
    await pipeline.finishWriting()
    #expect(try disk.body(for: "\(SourceKey("http://a.test/a.png"))") == newer)
  }

  @Test func theSameBytesAgainAreNoChange() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60"])])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(60))
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(origin.requests.count == 2)
    #expect(pipeline.statistics.decodes == 1)
  }

  @Test func whatTheDiskKeepsIsJudgedInANewProcessToo() async throws {
    let first = pipeline(
      ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60", "ETag": "W/\"1\""])])
    )
    _ = try await first.response(for: request())
    await first.finishWriting()
    let origin = ScriptedOrigin([.status(304)])
    let second = pipeline(origin)
    #expect(try await second.response(for: request()).source == .disk)
    #expect(origin.requests.isEmpty)
    clock.advance(by: .seconds(61))
    let third = pipeline(origin)
    #expect(try await third.response(for: request()).source == .disk)
    #expect(origin.header("If-None-Match", of: 0) == "W/\"1\"")
  }

  @Test func aFreshTableImageNeedsNoDiskCacheInANewProcess() async throws {
    let folder = try TemporaryDirectory()
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""]), .status(304),
      .ok(newer, ["Cache-Control": "no-store"]),
    ])
    func load() async throws -> ImageSource {
      let options = PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: folder.path),
        tables: TableOptions()
      )
      let pipeline = ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
      let response = try await pipeline.response(for: request(.standard, .circle(4)))
      await pipeline.finishWriting()
      return response.source
    }
    #expect(try await load() == .network)
    let index = try Files.list(folder.path).filter { $0.hasPrefix("index") }
    for name in index { try Files.rename("\(folder.path)/\(name)", to: "\(folder.path)/-\(name)") }
    #expect(try await load() == .table)
    #expect(try Files.list(folder.path).allSatisfy { !$0.hasPrefix("index") })
    for name in index { try Files.rename("\(folder.path)/-\(name)", to: "\(folder.path)/\(name)") }
    clock.advance(by: .seconds(61))
    #expect(try await load() == .table)
    #expect(origin.header("If-None-Match", of: 1) == "\"1\"")
    // What was confirmed is fresh for later runs, too.
    #expect(try await load() == .table)
    #expect(origin.requests.count == 2)
    clock.advance(by: .seconds(61))
    #expect(try await load() == .network)
    #expect(try await load() == .network)
  }

  @Test func bytesThatAreTheSameAfterAllAreShownAgain() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""]),
      .status(304, ["Cache-Control": "no-store"]), .ok(older, ["Cache-Control": "no-store"]),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request(.standard, .circle(4)))
    clock.advance(by: .seconds(61))
    let again = try await pipeline.response(for: request(.standard, .circle(4)))
    #expect(again.image.size == PixelSize(width: 4, height: 4))
    #expect(origin.requests.count == 3)
  }

  @Test func aConfirmationOutlivesTheProcess() async throws {
    let first = pipeline(
      ScriptedOrigin([
        .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""]),
        .status(304, ["Cache-Control": "max-age=600"]),
      ])
    )
    _ = try await first.response(for: request())
    clock.advance(by: .seconds(60))
    _ = try await first.response(for: request())
    await first.finishWriting()
    clock.advance(by: .seconds(500))
    let origin = ScriptedOrigin([.status(500)])
    #expect(try await pipeline(origin).response(for: request()).source == .disk)
    #expect(origin.requests.isEmpty)
  }

  @Test func aTablesPictureIsJudgedToo() async throws {
    let folder = try TemporaryDirectory()
    func pipeline(_ origin: ScriptedOrigin) -> ImagePipeline {
      self.pipeline(origin) { $0.tables = TableOptions(directory: folder.path) }
    }
    let style = Style.circle(4)
    let first = pipeline(ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=60"])]))
    _ = try await first.response(for: request(.standard, style))
    await first.finishWriting()
    let origin = ScriptedOrigin([.ok(newer)])
    #expect(try await pipeline(origin).response(for: request(.standard, style)).source == .table)
    #expect(origin.requests.isEmpty)
    clock.advance(by: .seconds(60))
    let later = pipeline(origin)
    #expect(try await later.response(for: request(.standard, style)).source == .network)
    #expect(later.cached(for: request(.standard, style)) != nil)
  }

  @Test func whatMayBeUsedWhileCheckedIsCheckedBehind() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=1, stale-while-revalidate=60"]), .ok(newer),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(30))
    #expect(try await pipeline.response(for: request()).image.width == 8)
    try await until { pipeline.statistics.downloads == 2 && pipeline.activity.sources == 0 }
    #expect(try await pipeline.response(for: request()).image.width == 9)
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: [
    ScriptedOrigin.Answer.failure(.cannotConnect("a.test")), .status(503),
    .ok(Array("<html>log in</html>".utf8)),
  ])
  func theOlderImageIsBetterThanNone(_ failure: ScriptedOrigin.Answer) async throws {
    let events = Recorder<PipelineEvent>()
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=1"]), failure])
    let pipeline = pipeline(origin, onEvent: { events.add($0) })
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(5))
    #expect(try await pipeline.response(for: request()).image.width == 8)
    #expect(origin.requests.count == 2)
    #expect(events.items.contains { if case .usedStale = $0 { true } else { false } })
  }

  @Test func whoeverHasAnImageToShowWaitsForNoSecondTry() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=1"]), .status(503)])
    let pipeline = pipeline(origin) { $0.network.retry = .exponential(maximum: 3) }
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(5))
    _ = try await pipeline.response(for: request())
    #expect(clock.sleeps.isEmpty)
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: ["max-age=1, must-revalidate", "no-cache", "max-age=1, stale-if-error=2"])
  func whatMustBeCheckedFailsWithTheOrigin(_ control: String) async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": control]), .status(503)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(5))
    await #expect(throws: ImageError.status(503, url: "http://a.test/a.png")) {
      try await pipeline.response(for: request())
    }
  }

  @Test func aSourceThatIsGoneIsNotShownFromTheCache() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "max-age=1"]), .status(410)])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(5))
    await #expect(throws: ImageError.status(410, url: "http://a.test/a.png")) {
      try await pipeline.response(for: request())
    }
  }

  @Test func whatMustNotBeStoredIsNot() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "no-store"])])
    let pipeline = pipeline(origin)
    for _ in 0..<2 { #expect(try await pipeline.response(for: request()).source == .network) }
    await pipeline.finishWriting()
    #expect(disk.keys.isEmpty)
    #expect(pipeline.cached(for: request()) == nil)
  }

  @Test func whoeverIgnoresExpiryAsksNever() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "no-store"])])
    let pipeline = pipeline(origin) { $0.network.responses.expiry = .never }
    for _ in 0..<2 {
      _ = try await pipeline.response(for: request())
      clock.advance(by: .seconds(9_999_999))
    }
    #expect(origin.requests.count == 1)
  }

  @Test func offlineUsesWhatIsStale() async throws {
    let origin = ScriptedOrigin([.ok(older, ["Cache-Control": "no-cache"])])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    #expect(try await pipeline.response(for: request(.onlyCached)).source == .memory)
    #expect(origin.requests.count == 1)
  }

  @Test func aConfirmationOfAnotherTagIsNotBelieved() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=1", "ETag": "\"1\""]), .status(304, ["ETag": "\"2\""]),
      .ok(newer),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(5))
    #expect(try await pipeline.response(for: request()).image.width == 9)
    #expect(origin.header("if-none-match", of: 2) == nil)
  }

  @Test func aConfirmationOfNothingIsAnError() async throws {
    let pipeline = pipeline(ScriptedOrigin([.status(304)]))
    await #expect(throws: ImageError.status(304, url: "http://a.test/a.png")) {
      try await pipeline.response(for: request())
    }
  }

  @Test func manyWhoFindItStaleAskOnce() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=1", "ETag": "\"1\""]), .status(304),
    ])
    let pipeline = pipeline(origin) { $0.network.queue.maximumConcurrent = 1 }
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(5))
    pipeline.isSuspended = true
    let callers = (0..<20).map { _ in Task { try await pipeline.response(for: request()) } }
    try await until { pipeline.activity.requests == 20 }
    pipeline.isSuspended = false
    for caller in callers { _ = try await caller.value }
    #expect(origin.requests.count == 2)
  }

  @Test func aConfirmationWithoutADateIsFresh() async throws {
    let sent = HTTPDate.text(Int(clock.microseconds / 1_000_000))
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Date": sent]), .status(304),
    ])
    let pipeline = pipeline(origin)
    _ = try await pipeline.response(for: request())
    clock.advance(by: .seconds(61))
    for _ in 0..<3 { _ = try await pipeline.response(for: request()) }
    #expect(origin.requests.count == 2)
  }

  // MARK: - Refreshing

  private func events(_ pipeline: ImagePipeline) async -> [String] {
    var names: [String] = []
    for await event in pipeline.events(for: request(.refresh)) {
      switch event {
      case .cached(let response): names.append("cached \(response.image.width)")
      case .progress, .preview: break
      case .finished(let response): names.append("finished \(response.image.width)")
      case .unchanged: names.append("unchanged")
      case .failed(let error): names.append("failed \(error)")
      }
    }
    return names
  }

  @Test func refreshingShowsTheCachedImageAndASecondOneOnlyIfItChanged() async throws {
    let origin = ScriptedOrigin([.ok(older, ["ETag": "\"1\""])])
    let pipeline = pipeline(origin)
    #expect(await events(pipeline) == ["finished 8"])
    origin.answer(.status(304))
    #expect(await events(pipeline) == ["cached 8", "unchanged"])
    origin.answer(.ok(older))
    #expect(await events(pipeline) == ["cached 8", "unchanged"])
    origin.answer(.ok(newer))
    #expect(await events(pipeline) == ["cached 8", "finished 9"])
    origin.answer(.status(500))
    let last = await events(pipeline)
    #expect(last.count == 2 && last[0] == "cached 9" && last[1].hasPrefix("failed"))
    #expect(pipeline.cached(for: request())?.width == 9)
  }

  @Test func whoeverLooksLateHearsWhatWasCachedToo() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(older, ["ETag": "\"1\""]), .status(304)]))
    _ = try await pipeline.response(for: request())
    let task = pipeline.task(for: request(.refresh))
    _ = try await task.response
    var names: [String] = []
    for await event in task.events {
      switch event {
      case .cached: names.append("cached")
      case .unchanged: names.append("unchanged")
      default: names.append("other")
      }
    }
    #expect(names == ["cached", "unchanged"])
  }

  @Test func whoeverAwaitsARefreshGetsTheNewestAlone() async throws {
    let pipeline = pipeline(ScriptedOrigin([.ok(older), .ok(newer)]))
    _ = try await pipeline.response(for: request())
    #expect(try await pipeline.response(for: request(.refresh)).image.width == 9)
  }
}
