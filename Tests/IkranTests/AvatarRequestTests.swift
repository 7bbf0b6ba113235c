import FoundationEssentials
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Avatars whose requests are not the usual ones.
@Suite(.timeLimit(.minutes(10)))
struct AvatarRequestTests {
  private struct Configured: Avatar {
    var base: TestAvatar
    var change: @Sendable (inout ImageRequest) -> Void

    var url: URL? { base.url }
    var style: Style { base.style }
    var storageID: String { base.storageID }

    func configure(_ request: inout ImageRequest) { change(&request) }
    func localStyled() async throws -> Bitmap? { try await base.localStyled() }
    func localOriginal() async throws -> Data? { try await base.localOriginal() }
    func save(original: Data, styled: Bitmap) async throws {
      try await base.save(original: original, styled: styled)
    }
  }

  private let png: [UInt8]
  private let url: URL

  init() throws {
    png = try TestImages.png(width: 40, height: 40)
    url = try #require(URL(string: "http://a.test/ana.png"))
  }

  private func avatar(_ change: @escaping @Sendable (inout ImageRequest) -> Void) -> Configured {
    Configured(base: TestAvatar(url: url), change: change)
  }

  @Test func headersAreSent() async throws {
    let transport = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    _ = try await pod.image(for: avatar { $0.transfer.headers = [HeaderField("X-Member", "ana")] })
    #expect(transport.requests.map { $0.headers.first { $0.name == "X-Member" }?.value } == ["ana"])
  }

  @Test func itLooksAsItsStyleSays() async throws {
    let transport = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let plain = try await pod.image(for: TestAvatar(url: url))
    let changed = avatar {
      $0.filters = [.grayed()]
      $0.style = .original
      $0.scale = 3
    }
    let image = try await pod.image(for: changed)
    #expect(image.sharesPixels(with: plain))
    #expect(transport.urls.count == 1)
  }

  @Test func aReloadDoesNotJoinOneWithOtherCredentials() async throws {
    let (door, png) = (Latch(), png)
    let transport = FakeTransport { (request, _) async throws(TransportError) in
      guard await door.wait() else { throw .cancelled }
      return TransportResponse(status: 200, body: png, url: request.url)
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let loads = ["a", "b"].map { token in
      let avatar = avatar {
        $0.caching.policy = .reload
        $0.transfer.headers = [HeaderField("Authorization", token)]
      }
      return Task { try await pod.image(for: avatar) }
    }
    await door.arrivals(2)
    door.open()
    for load in loads { _ = try await load.value }
    let tokens = transport.requests.compactMap { request in
      request.headers.first { $0.name == "Authorization" }?.value
    }
    #expect(tokens.sorted() == ["a", "b"])
  }

  @Test func anotherSignatureOrDecodingIsAnotherImageOfAStorageToo() async throws {
    let folder = try TemporaryDirectory()
    let storage = try FileAvatarStorage(directory: folder.path)
    func load(_ change: @escaping @Sendable (inout ImageRequest) -> Void) async throws -> Int {
      let transport = FakeTransport(body: png)
      let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
      var avatar = StoredAvatar(owner: "ana", url: url, style: .circle(16), storage: storage)
      avatar.configuration = change
      _ = try await pod.image(for: avatar)
      await pod.finishSaving()
      return transport.urls.count
    }
    let changes: [@Sendable (inout ImageRequest) -> Void] = [
      { _ in }, { $0.signature = "2" }, { $0.decoding.animates = false },
      { $0.decoding.colors = .untouched },
    ]
    for change in changes { #expect(try await load(change) == 1) }
    for change in changes { #expect(try await load(change) == 0) }
  }

  @Test func whatAStorageHasStaysOutOfMemoryOnDemand() async throws {
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport([])))
    var avatar = avatar { $0.caching.stores = .disk }
    let stored = try TestImages.gradient(width: 16, height: 16)
    avatar.base.styled = { stored }
    for _ in 0..<2 { _ = try await pod.image(for: avatar) }
    #expect(avatar.base.asked.items == ["styled", "styled"])
  }

  @Test func anImageOfAFallbackIsShownAndNotSaved() async throws {
    let (url, png) = (url.absoluteString, png)
    let transport = FakeTransport { (request, _) async throws(TransportError) in
      TransportResponse(status: request.url == url ? 404 : 200, body: png, url: request.url)
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let other = try #require(URL(string: "http://a.test/initials.png"))
    let avatar = avatar { $0.transfer.fallbacks = [other] }
    #expect(try await pod.image(for: avatar).size.width == 16)
    await pod.finishSaving()
    #expect(avatar.base.saved.items.isEmpty)
    #expect(transport.urls == [url, other.absoluteString])
  }

  @Test(arguments: [CachePolicy.reload, .refresh])
  func aPolicyThatAsksTheOriginAsksNoStorage(_ policy: CachePolicy) async throws {
    let transport = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    var avatar = avatar { $0.caching.policy = policy }
    let data = Data(png)
    avatar.base.original = { data }
    _ = try await pod.image(for: avatar)
    _ = try await pod.image(for: avatar)
    #expect(avatar.base.asked.items.isEmpty)
    #expect(transport.urls.count == 2)
    await pod.finishSaving()
    #expect(avatar.base.saved.items.first == data)
  }

  @Test func onlyWhatIsStoredIsTheStoragesToo() async throws {
    let transport = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    var avatar = avatar { $0.caching.policy = .onlyCached }
    await #expect {
      try await pod.image(for: avatar)
    } throws: { error in
      if case ImageError.offline = error { true } else { false }
    }
    let data = Data(png)
    avatar.base.original = { data }
    #expect(try await pod.image(for: avatar).size.width == 16)
    #expect(transport.urls.isEmpty)
  }

  @Test func aReloadDoesNotJoinALoadThatMayUseTheStorage() async throws {
    let (door, png) = (Latch(), png)
    let transport = FakeTransport { (request, _) async throws(TransportError) in
      guard await door.wait() else { throw .cancelled }
      return TransportResponse(status: 200, body: png, url: request.url)
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let first = Task { try await pod.image(for: TestAvatar(url: url)) }
    await door.arrivals(1)
    let second = Task { try await pod.image(for: avatar { $0.caching.policy = .reload }) }
    try await until { pod.waiting == 2 }
    door.open()
    _ = try await (first.value, second.value)
    #expect(transport.urls.count == 2)
  }

  @Test func everyCallerHearsOfTheProgress() async throws {
    let png = png
    let transport = FakeTransport { (request, progress) async throws(TransportError) in
      progress(TransferProgress(received: 5, expected: 10))
      return TransportResponse(status: 200, body: png, url: request.url)
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let heard = Recorder<Int>()
    _ = try await pod.image(for: TestAvatar(url: url)) { heard.add($0.received) }
    #expect(heard.items.contains(5))
    let woken = Recorder<Int>()
    pod.clear()
    var other = TestAvatar(url: url)
    other.style = .circle(20)
    for await _ in pod.wake(other, onProgress: { woken.add($0.received) }) {}
    #expect(woken.items.contains(5))
  }

  @Test func aDeadlineEndsTheRequest() async throws {
    let clock = ManualClock()
    let door = Latch()
    let transport = FakeTransport { (_, _) async throws(TransportError) in
      _ = await door.wait()
      throw .cancelled
    }
    let pod = AvatarPod(
      ImagePipeline(options: .steady, transport: transport, clock: clock.pipelineClock)
    )
    let load = Task { try await pod.image(for: avatar { $0.deadline = .seconds(3) }) }
    await door.arrivals(1)
    try await until { clock.sleepers == 1 }
    clock.advance(by: .seconds(3))
    await #expect {
      try await load.value
    } throws: { error in
      if case ImageError.timedOut = error { true } else { false }
    }
  }

  @Test func aStoredAvatarIsConfiguredByAClosure() async throws {
    let folder = try TemporaryDirectory()
    let transport = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let storage = try FileAvatarStorage(directory: folder.path)
    var avatar = StoredAvatar(owner: "ana", url: url, style: .circle(16), storage: storage)
    avatar.configuration = { $0.transfer.headers = [HeaderField("X-Member", "ana")] }
    _ = try await pod.image(for: avatar)
    #expect(transport.requests[0].headers.contains { $0.name == "X-Member" })
  }
}
