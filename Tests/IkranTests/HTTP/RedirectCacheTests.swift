import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Redirects and the caches: what `/a` shows when it leads to `/old.png`, then to `/new.png`.
@Suite(.timeLimit(.minutes(10)))
struct RedirectCacheTests {
  /// The origin's `Date` is the machine's.
  let clock = ManualClock(seconds: Int64(HTTPDate.now()))
  let disk = FakeDisk()
  let site: RedirectSite

  init() throws { site = try RedirectSite() }

  func pipeline(_ change: (inout PipelineOptions) -> Void = { _ in }) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.network.retry = .none
    options.network.failures = .none
    change(&options)
    return ImagePipeline(
      options: options,
      transport: SchemeTransport(),
      diskCache: disk,
      clock: clock.pipelineClock
    )
  }

  func request(
    _ path: String = "/a",
    _ policy: CachePolicy = .standard,
    _ style: Style = .circle(4)
  ) -> ImageRequest {
    var request = ImageRequest(location: site.origin.baseURL + path, style: style)
    request.caching.policy = policy
    return request
  }

  /// The width of the file that an image was made from, which the styles do not show.
  func shown(
    _ pipeline: ImagePipeline,
    _ path: String = "/a",
    _ policy: CachePolicy = .standard
  ) async throws -> Int {
    try await pipeline.response(for: request(path, policy, .original)).image.width
  }

  @Test(
    arguments: [
      (302, [:]), (303, [:]), (307, [:]), (302, ["Cache-Control": "no-store"]),
      (302, ["Cache-Control": "no-cache"]), (301, ["Cache-Control": "max-age=60"]),
      (308, ["Cache-Control": "max-age=60"]), (302, ["Expires": "0"]),
    ] as [(Int, [String: String])]
  )
  func aRedirectThatIsNotFreshIsFollowedAgain(status: Int, fields: [String: String]) async throws {
    site.redirect("/a", to: "/old.png", status, fields)
    let pipeline = pipeline()
    #expect(try await shown(pipeline) == 8)
    clock.advance(by: .seconds(61))
    site.redirect("/a", to: "/new.png", status, fields)
    #expect(try await shown(pipeline) == 9)
    #expect(site.paths == ["/a", "/old.png", "/a", "/new.png"])
  }

  @Test(arguments: [301, 302, 307, 308])
  func aFreshRedirectIsReusedUnasked(status: Int) async throws {
    site.redirect("/a", to: "/old.png", status, ["Cache-Control": "max-age=60"])
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    site.redirect("/a", to: "/new.png", status)
    clock.advance(by: .seconds(59))
    #expect(try await pipeline.response(for: request("/a", .standard, .original)).source == .memory)
    #expect(site.paths == ["/a", "/old.png"])
  }

  @Test func thePictureStaysFreshForItsOwnTimeWhereverTheRedirectLeads() async throws {
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    clock.advance(by: .seconds(999))
    #expect(try await pipeline.response(for: request("/a", .standard, .original)).source == .memory)
    #expect(site.paths == ["/a", "/old.png", "/a"])
  }

  @Test func allThatRedirectToAPictureShareOneCopy() async throws {
    site.redirect("/a", to: "/b")
    site.redirect("/b", to: "/old.png", 301)
    site.redirect("/c", to: "/old.png")
    let pipeline = pipeline()
    for path in ["/a", "/c", "/old.png", "/b"] {
      #expect(try await shown(pipeline, path) == 8)
    }
    #expect(site.paths.filter { $0 == "/old.png" }.count == 1)
    await pipeline.finishWriting()
    let full = try disk.keys.filter { try disk.body(for: $0)?.isEmpty == false }
    #expect(full == ["\(SourceKey(site.origin.baseURL + "/old.png"))"])
  }

  @Test func aPictureIsFoundAtOnceUnderTheURLThatRedirects() async throws {
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    let response = try await pipeline.response(for: request())
    #expect(pipeline.cached(for: request()) != nil)
    #expect(response.key == (try await pipeline.response(for: request("/old.png"))).key)
  }

  @Test func whenTheRedirectCannotBeAskedTheOlderPictureIsShown() async throws {
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    site.fail("/a", 503)
    #expect(try await shown(pipeline) == 8)
    await pipeline.finishWriting()
    let second = self.pipeline()
    #expect(try await shown(second) == 8)
    #expect(site.paths == ["/a", "/old.png", "/a", "/a"])
  }

  @Test func aRedirectThatMustBeValidatedFailsWithItsOrigin() async throws {
    site.redirect("/a", to: "/old.png", 302, ["Cache-Control": "max-age=1, must-revalidate"])
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    clock.advance(by: .seconds(2))
    site.fail("/a", 503)
    await #expect(throws: ImageError.status(503, url: site.origin.baseURL + "/a")) {
      try await pipeline.response(for: request())
    }
  }

  @Test func aRedirectThatIsGoneShowsNothing() async throws {
    site.redirect("/a", to: "/old.png")
    let first = pipeline()
    _ = try await shown(first)
    site.fail("/a", 410)
    await #expect(throws: ImageError.self) { try await shown(first) }
    await first.finishWriting()
    #expect(first.cached(for: request()) == nil)
    site.fail("/a", 503)
    let second = pipeline()
    await #expect(throws: ImageError.status(503, url: site.origin.baseURL + "/a")) {
      try await second.response(for: request())
    }
  }

  @Test func aLaterProcessKnowsTheRedirectToo() async throws {
    site.redirect("/a", to: "/old.png", 302, ["Cache-Control": "max-age=60"])
    let first = pipeline()
    _ = try await shown(first)
    await first.finishWriting()
    let second = pipeline()
    #expect(try await second.response(for: request("/a", .onlyCached)).source == .disk)
    let third = pipeline()
    #expect(try await third.response(for: request()).source == .disk)
    #expect(site.paths == ["/a", "/old.png"])
    clock.advance(by: .seconds(61))
    site.redirect("/a", to: "/new.png")
    let fourth = pipeline()
    #expect(try await shown(fourth) == 9)
  }

  @Test func aLaterProcessKnowsTwoRedirectsInARow() async throws {
    site.redirect("/a", to: "/b", 302, ["Cache-Control": "max-age=60"])
    site.redirect("/b", to: "/old.png", 302, ["Cache-Control": "max-age=60"])
    let first = pipeline()
    _ = try await shown(first)
    await first.finishWriting()
    for _ in 0..<2 { _ = try await shown(pipeline()) }
    #expect(site.paths == ["/a", "/b", "/old.png"])
  }

  @Test func aTablesImageIsNotShownOnceTheRedirectHasMoved() async throws {
    let folder = try TemporaryDirectory()
    func styled() async throws -> ImageSource {
      var options = PipelineOptions.steady
      options.disk = DiskOptions(directory: folder.path)
      options.tables = TableOptions()
      let pipeline = ImagePipeline(
        options: options,
        transport: SchemeTransport(),
        clock: clock.pipelineClock
      )
      let response = try await pipeline.response(for: request())
      await pipeline.finishWriting()
      return response.source
    }
    site.redirect("/a", to: "/old.png")
    #expect(try await styled() == .network)
    #expect(try await styled() == .table)
    site.redirect("/a", to: "/new.png")
    #expect(try await styled() == .network)
    #expect(try await styled() == .table)
  }

  @Test func aPictureThatBecomesARedirectIsNotShownAgain() async throws {
    site.put("/a", try TestImages.png(width: 7, height: 7), ["Cache-Control": "max-age=1"])
    let pipeline = pipeline()
    #expect(try await shown(pipeline) == 7)
    clock.advance(by: .seconds(2))
    site.redirect("/a", to: "/new.png")
    #expect(try await shown(pipeline) == 9)
    await pipeline.finishWriting()
    site.fail("/a", 503)
    #expect(try await shown(self.pipeline()) == 9)
  }

  @Test func aRedirectThatBecomesAPictureShowsIt() async throws {
    site.redirect("/a", to: "/old.png")
    let first = pipeline()
    #expect(try await shown(first) == 8)
    site.put("/a", try TestImages.png(width: 7, height: 7), ["Cache-Control": "max-age=60"])
    #expect(try await shown(first) == 7)
    #expect(try await shown(first) == 7)
    await first.finishWriting()
    #expect(try await shown(pipeline()) == 7)
    #expect(site.paths == ["/a", "/old.png", "/a"])
  }

  @Test(arguments: [(CachePolicy.refresh, "max-age=60"), (.standard, "no-store")])
  func aRedirectThatBecomesAPictureIsDownloadedOnce(
    policy: CachePolicy,
    control: String
  ) async throws {
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    #expect(try await shown(pipeline) == 8)
    site.put("/a", try TestImages.png(width: 7, height: 7), ["Cache-Control": control])
    #expect(try await shown(pipeline, "/a", policy) == 7)
    #expect(site.paths == ["/a", "/old.png", "/a"])
  }

  @Test func aRedirectThatBecameAPictureIsRevalidatedOnce() async throws {
    let control = "max-age=1, stale-while-revalidate=100"
    site.redirect("/a", to: "/old.png", 302, ["Cache-Control": control])
    let pipeline = pipeline()
    #expect(try await shown(pipeline) == 8)
    clock.advance(by: .seconds(2))
    site.put("/a", try TestImages.png(width: 7, height: 7), ["Cache-Control": "max-age=60"])
    #expect(try await shown(pipeline) == 8)
    await pipeline.finishWriting()
    #expect(try await shown(pipeline) == 7)
    #expect(site.paths == ["/a", "/old.png", "/a"])
  }

  @Test func aHeaderIsReadWhereTheRedirectLeads() async throws {
    site.redirect("/a", to: "/old.png", 302, ["Cache-Control": "max-age=60"])
    let first = pipeline()
    #expect(try await first.probe(request()).size.width == 8)
    #expect(site.paths == ["/a", "/old.png"])
    _ = try await shown(first)
    await first.finishWriting()
    let second = pipeline()
    #expect(try await second.probe(request()).size.width == 8)
    #expect(site.paths.count == 4)
    clock.advance(by: .seconds(61))
    site.redirect("/a", to: "/new.png")
    #expect(try await second.probe(request()).size.width == 9)
  }

  @Test(arguments: [CachePolicy.reload, .refresh])
  func reloadingAsksTheWholeWay(policy: CachePolicy) async throws {
    site.redirect("/a", to: "/old.png", 301, ["Cache-Control": "max-age=1000"])
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    #expect(try await shown(pipeline, "/a", policy) == 8)
    #expect(site.paths == ["/a", "/old.png", "/a", "/old.png"])
    site.redirect("/a", to: "/new.png", 301)
    #expect(try await shown(pipeline, "/a", policy) == 9)
    #expect(try await shown(pipeline) == 9)
  }

  @Test func refreshingTellsWhetherTheRedirectHasMoved() async throws {
    func events(_ pipeline: ImagePipeline) async -> [String] {
      var names: [String] = []
      for await event in pipeline.events(for: request("/a", .refresh, .original)) {
        switch event {
        case .cached(let response): names.append("cached \(response.image.width)")
        case .finished(let response): names.append("finished \(response.image.width)")
        case .unchanged: names.append("unchanged")
        case .failed(let error): names.append("failed \(error)")
        case .progress, .preview: break
        }
      }
      return names
    }
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    #expect(await events(pipeline) == ["cached 8", "unchanged"])
    await pipeline.finishWriting()
    let asked = site.paths.count
    #expect(await events(self.pipeline()) == ["cached 8", "unchanged"])
    #expect(site.paths.dropFirst(asked) == ["/a", "/old.png"])
    site.redirect("/a", to: "/new.png")
    #expect(await events(pipeline) == ["cached 8", "finished 9"])
  }

  @Test func redirectsInACircleEndForEveryCaller() async throws {
    site.redirect("/a", to: "/b", 301, ["Cache-Control": "max-age=60"])
    site.redirect("/b", to: "/a", 301, ["Cache-Control": "max-age=60"])
    let pipeline = pipeline()
    for _ in 0..<2 {
      let callers = ["/a", "/b", "/a", "/b"].map { path in
        Task { try await pipeline.response(for: request(path)) }
      }
      for caller in callers {
        let result = await caller.result
        guard case .failure(let error as ImageError) = result,
          case .transport(.tooManyRedirects, _) = error
        else {
          Issue.record("\(result)")
          continue
        }
      }
    }
  }

  @Test(arguments: ["file:///etc/hostname", "ftp://a.test/b.png", "data:,x"])
  func aRedirectOutOfHTTPIsRefused(target: String) async throws {
    site.redirect("/a", to: target)
    await #expect(throws: ImageError.self) { try await pipeline().response(for: request()) }
  }

  @Test func whatNamesTheCallerStaysWithTheFirstOrigin() async throws {
    let other = try RedirectSite()
    let target = other.origin.baseURL + "/old.png"
    site.redirect("/a", to: "/b")
    site.redirect("/b", to: target)
    let pipeline = pipeline {
      $0.hooks.willSend = { sent in
        var sent = sent
        sent.headers.append(HeaderField("X-Token", "secret"))
        return sent
      }
    }
    var request = request()
    request.transfer.headers = [
      HeaderField("Authorization", "Bearer 1"), HeaderField("Accept", "image/png"),
    ]
    _ = try await pipeline.response(for: request)
    let (first, second) = (site.heads.withLock { $0 }, other.heads.withLock { $0 })
    #expect(first.map { $0.header("authorization") } == ["Bearer 1", "Bearer 1"])
    #expect(first.map { $0.header("x-token") } == ["secret", "secret"])
    #expect(second.map { $0.header("authorization") } == [nil])
    #expect(second.map { $0.header("x-token") } == [nil])
    #expect(second.map { $0.header("accept") } == ["image/png"])
  }

  @Test func theTransportsLimitHoldsForTheWholeChain() async throws {
    for number in 0..<25 { site.redirect("/\(number)", to: "/\(number + 1)") }
    await #expect(
      throws: ImageError.transport(
        .tooManyRedirects(limit: 20),
        url: site.origin.baseURL + "/0"
      )
    ) { try await pipeline().response(for: request("/0")) }
  }
}
