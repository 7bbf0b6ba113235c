import FoundationEssentials
import IkranServer
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Requests that wait for one transfer whose source redirects: each follows it for itself.
@Suite("Shared redirects", .timeLimit(.minutes(10)))
struct SharedRedirectTests {
  private let latch = Latch()
  private let png: [UInt8]

  init() throws { png = try TestImages.png(width: 200, height: 200) }

  /// What different views make of one picture.
  private func requests(_ url: String) -> [ImageRequest] {
    var (large, grey) = (
      ImageRequest(location: url, style: .circle(48)), ImageRequest(location: url, style: .original)
    )
    large.scale = 2
    grey.filters = [.grayed()]
    return [
      ImageRequest(location: url, style: .original),
      ImageRequest(location: url, style: .circle(48)),
      ImageRequest(location: url, style: .fill(width: 20, height: 30)), large, grey,
    ]
  }

  /// Waits for the latch before it sends what ends in `/a`; those who listen hear of progress
  /// before that.
  private struct GatedTransport: Transport {
    let latch: Latch
    let inner: any Transport

    func fetch(
      _ request: TransportRequest,
      progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse {
      if request.url.hasSuffix("/a") {
        progress(TransferProgress(received: 1, expected: nil))
        guard await latch.wait() else { throw .cancelled }
      }
      return try await inner.fetch(request, progress: progress)
    }
  }

  /// A site whose `/a` redirects to `/b`.
  private func site(_ fields: [HeaderField] = []) -> FakeTransport {
    let png = png
    return FakeTransport { (request, _) throws(TransportError) in
      let redirects = request.url.hasSuffix("/a")
      return TransportResponse(
        status: redirects ? 302 : 200,
        headers: redirects ? [HeaderField("Location", "/b")] + fields : .fresh,
        body: redirects ? [] : png,
        url: request.url
      )
    }
  }

  /// Starts requests, and returns when all of them wait for the transfer.
  private func join(
    _ requests: [ImageRequest],
    _ pipeline: ImagePipeline
  ) async -> [Task<ImageResponse?, Never>] {
    let joined = Latch()
    joined.open()
    let tasks = requests.map { request in
      Task { () -> ImageResponse? in
        var hasJoined = false
        for await event in pipeline.events(for: request) {
          if case .finished(let response) = event { return response }
          if case .progress = event, !hasJoined {
            hasJoined = true
            _ = await joined.wait()
          }
        }
        return nil
      }
    }
    await joined.arrivals(requests.count)
    return tasks
  }

  /// Checks that requests which join one redirected load get what each gets of the target itself.
  private func expectOwnStyles(
    _ requests: [ImageRequest],
    equalTo targets: [ImageRequest],
    through inner: any Transport
  ) async throws {
    let transport = GatedTransport(latch: latch, inner: inner)
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let tasks = await join(requests, pipeline)
    latch.open()
    let direct = ImagePipeline.deterministic(transport: transport)
    for ((request, target), task) in zip(zip(requests, targets), tasks) {
      let (image, expected) = (await task.value?.image, try await direct.image(for: target))
      #expect(image?.size == expected.size)
      #expect(try image?.straightRGBA() == expected.straightRGBA())
      #expect(pipeline.cached(for: request)?.size == expected.size)
    }
  }

  @Test(arguments: [false, true])
  func eachRequestFollowsASharedRedirectInItsOwnStyle(isReversed: Bool) async throws {
    let (requests, targets) = (requests("http://a.test/a"), requests("http://a.test/b"))
    let transport = site()
    try await expectOwnStyles(
      isReversed ? requests.reversed() : requests,
      equalTo: isReversed ? targets.reversed() : targets,
      through: transport
    )
    #expect(transport.urls.filter { $0.hasSuffix("/a") }.count == 1)
  }

  @Test func eachRequestFollowsARedirectOverHTTPInItsOwnStyle() async throws {
    let site = try RedirectSite()
    site.redirect("/a", to: "/b")
    site.put("/b", png, ["Cache-Control": "max-age=600"])
    let base = site.origin.baseURL
    try await expectOwnStyles(
      requests(base + "/a"),
      equalTo: requests(base + "/b"),
      through: SchemeTransport()
    )
    #expect(site.paths.filter { $0 == "/a" }.count == 1)
  }

  /// An avatar that knows the sizes of what its storage was given.
  private struct StoredAvatar: Avatar {
    let url: URL?
    let style = Style.circle(16)
    let sizes = Recorder<PixelSize>()

    func localStyled() async throws -> Bitmap? { nil }
    func localOriginal() async throws -> Data? { nil }
    func save(original: Data, styled: Bitmap) async throws { sizes.add(styled.size) }
  }

  @Test func anAvatarIsSavedInItsOwnStyleBehindASharedRedirect() async throws {
    let transport = GatedTransport(latch: latch, inner: site())
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let pod = AvatarPod(pipeline)
    let avatar = StoredAvatar(url: URL(string: "http://a.test/a"))
    let original = ImageRequest(location: "http://a.test/a", style: .original)
    let first = await join([original], pipeline)
    let image = Task { try await pod.image(for: avatar) }
    try await until { pipeline.activity.requests == 2 }
    latch.open()
    #expect(await first.first?.value?.image.size == PixelSize(width: 200, height: 200))
    #expect(try await image.value.size == PixelSize(width: 16, height: 16))
    await pod.finishSaving()
    #expect(avatar.sizes.items == [PixelSize(width: 16, height: 16)])
  }

  // MARK: - What has changed since

  /// A site whose `/a` redirects at once to `/b`, which waits for the latch.
  private func slowTarget(_ control: String) throws -> FakeTransport {
    let (latch, png) = (latch, try Square.png(50))
    return FakeTransport { (request, _) throws(TransportError) in
      let redirects = request.url.hasSuffix("/a")
      if !redirects { guard await latch.wait() else { throw .cancelled } }
      let fields = [HeaderField("Location", "/b"), HeaderField("Cache-Control", control)]
      return TransportResponse(
        status: redirects ? 302 : 200,
        headers: redirects ? fields : .fresh,
        body: redirects ? [] : png,
        url: request.url
      )
    }
  }

  @Test(arguments: ["max-age=600", "max-age=0", "no-store"])
  func dataStoredDuringARedirectedLoadStays(control: String) async throws {
    let folder = try TemporaryDirectory()
    let transport = try slowTarget(control)
    let pipeline = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    let request = ImageRequest(location: "http://a.test/a", style: .circle(8))
    let load = Task { try await pipeline.image(for: request) }
    await latch.arrivals(1)
    try pipeline.store(Square.png(200), for: request)
    latch.open()
    _ = try await load.value
    #expect(try await Square.shade(pipeline.image(for: request)) == 200)
    await pipeline.finishWriting()
    var cached = ImageRequest(location: "http://a.test/a", style: .circle(9))
    cached.caching.policy = .onlyCached
    let later = ImagePipeline.deterministic(transport: transport, folder: folder.path)
    #expect(try await Square.shade(later.image(for: cached)) == 200)
  }

  @Test func whatWasStoredWhileARedirectWasAskedIsShownWhenThatFails() async throws {
    let (latch, png, asked) = (latch, try Square.png(50), Recorder<String>())
    let transport = FakeTransport { (request, _) throws(TransportError) in
      asked.add(request.url)
      guard request.url.hasSuffix("/a") else {
        return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
      }
      guard asked.items.count == 1 else {
        _ = await latch.wait()
        throw .cannotConnect("a.test")
      }
      let fields = [HeaderField("Location", "/b"), HeaderField("Cache-Control", "max-age=0")]
      return TransportResponse(status: 302, headers: fields, body: [], url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let request = ImageRequest(location: "http://a.test/a", style: .circle(8))
    #expect(try await Square.shade(pipeline.image(for: request)) == 50)
    let load = Task { try await pipeline.image(for: request) }
    await latch.arrivals(1)
    // Else it would be stored where the redirect leads.
    pipeline.remove(request)
    try pipeline.store(Square.png(200), for: request)
    latch.open()
    #expect(try await Square.shade(load.value) == 200)
    #expect(asked.items == ["a", "b", "a"].map { "http://a.test/\($0)" })
  }

  @Test func aRedirectOlderThanARemovalIsNotStored() async throws {
    let pipeline = ImagePipeline.deterministic(transport: try slowTarget("max-age=600"))
    let request = ImageRequest(location: "http://a.test/a", style: .circle(8))
    let load = Task { try await pipeline.image(for: request) }
    await latch.arrivals(1)
    pipeline.remove(request)
    latch.open()
    _ = try await load.value
    #expect(pipeline.cached(for: request) == nil)
  }

  @Test func aReloadOlderThanAStoreDoesNotRemoveIt() async throws {
    let latch = latch
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      return TransportResponse(status: 404, headers: [], body: [], url: request.url)
    }
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let request = ImageRequest(location: "http://a.test/a", style: .circle(8))
    var reload = request
    reload.caching.policy = .reload
    let load = Task { [reload] in try await pipeline.image(for: reload) }
    await latch.arrivals(1)
    try pipeline.store(Square.png(200), for: request)
    latch.open()
    _ = await load.result
    #expect(try await Square.shade(pipeline.image(for: request)) == 200)
  }
}
