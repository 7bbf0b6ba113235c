import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// An avatar whose storage is a few closures, and which counts what it is asked.
struct TestAvatar: Avatar {
  var url: URL?
  var style: Style = .circle(16)
  var placeholder: Bitmap?
  var storageID = "test"
  var styled: @Sendable () async throws -> Bitmap? = { nil }
  var original: @Sendable () async throws -> Data? = { nil }
  var saved = Recorder<Data>()
  var asked = Recorder<String>()

  func localStyled() async throws -> Bitmap? {
    asked.add("styled")
    return try await styled()
  }

  func localOriginal() async throws -> Data? {
    asked.add("original")
    return try await original()
  }

  var beforeSave: @Sendable () -> Void = {}

  func save(original: Data, styled: Bitmap) async throws {
    beforeSave()
    saved.add(original)
  }
}

private struct StorageFailure: Error, CustomStringConvertible {
  let description = "the database is locked"
}

@Suite(.timeLimit(.minutes(10)))
struct AvatarTests {
  private let png: [UInt8]
  private let url: URL

  init() throws {
    png = try TestImages.png(width: 40, height: 40)
    url = try #require(URL(string: "http://example.test/ana.png"))
  }

  private func steps(_ stream: AsyncStream<AvatarStep>) async -> [String] {
    var names: [String] = []
    for await step in stream {
      switch step {
      case .placeholder: names.append("placeholder")
      case .finished(_, let source): names.append(source.rawValue)
      case .failed(let error): names.append("failed: \(error)")
      }
    }
    return names
  }

  @Test func thePlaceholderComesFirstThenOneEnding() async throws {
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: png)))
    var avatar = TestAvatar(url: url)
    avatar.placeholder = try TestImages.gradient(width: 4, height: 4)
    #expect(await steps(pod.wake(avatar)) == ["placeholder", "network"])
    #expect(await steps(pod.wake(avatar)) == ["memory"])
  }

  @Test func aFailureIsAnEndingToo() async throws {
    let pod = AvatarPod(
      ImagePipeline(options: .steady, transport: FakeTransport(body: [], status: 404))
    )
    var avatar = TestAvatar(url: url)
    avatar.placeholder = try TestImages.gradient(width: 4, height: 4)
    let ending = "failed: http://example.test/ana.png: the server answered 404 Not Found"
    #expect(await steps(pod.wake(avatar)) == ["placeholder", ending])
  }

  @Test func noURLShowsThePlaceholderAndFails() async throws {
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: png)))
    var avatar = TestAvatar(url: nil)
    avatar.placeholder = try TestImages.gradient(width: 4, height: 4)
    #expect(await steps(pod.wake(avatar)).count == 2)
    #expect(avatar.asked.items.isEmpty)
  }

  @Test func theStoredStyledImageNeedsNothingElse() async throws {
    let transport = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let stored = try TestImages.gradient(width: 16, height: 16)
    let avatar = TestAvatar(url: url, styled: { stored })
    #expect(await steps(pod.wake(avatar)) == ["avatar"])
    #expect(transport.urls.isEmpty)
    #expect(avatar.asked.items == ["styled"])
  }

  @Test func theStoredOriginalIsStyledAndSaved() async throws {
    let transport = FakeTransport(body: [])
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let data = Data(png)
    let avatar = TestAvatar(url: url, original: { data })
    #expect(await steps(pod.wake(avatar)) == ["avatar"])
    await pod.finishSaving()
    #expect(transport.urls.isEmpty)
    #expect(avatar.saved.items == [data])
  }

  @Test func aStoredOriginalThatIsBrokenIsReportedAndDownloadedAgain() async throws {
    let events = Recorder<PipelineEvent>()
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      onEvent: { events.add($0) }
    )
    let avatar = TestAvatar(url: url, original: { Data([1, 2, 3]) })
    #expect(await steps(AvatarPod(pipeline).wake(avatar)) == ["network"])
    #expect(events.items.contains { if case .avatarStorageFailed = $0 { true } else { false } })
  }

  @Test func aStorageThatThrowsIsReportedAndPassedBy() async throws {
    let events = Recorder<PipelineEvent>()
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      onEvent: { events.add($0) }
    )
    let avatar = TestAvatar(
      url: url,
      styled: { throw StorageFailure() },
      original: { throw StorageFailure() }
    )
    #expect(await steps(AvatarPod(pipeline).wake(avatar)) == ["network"])
    #expect(events.items.contains(.avatarStorageFailed("the database is locked")))
  }

  @Test func everyStorageThatWaitsIsAskedOnceAndSavedToOnce() async throws {
    let latch = Latch()
    let png = png
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let first = TestAvatar(url: url, storageID: "first")
    let second = TestAvatar(url: url, storageID: "second")
    let wakes = [first, first, second].map { avatar in Task { try await pod.image(for: avatar) } }
    await latch.arrivals(1)
    try await until { pod.waiting >= 3 }
    latch.open()
    for wake in wakes { _ = try await wake.value }
    await pod.finishSaving()
    #expect(first.saved.items.count == 1)
    #expect(second.saved.items.count == 1)
    #expect(first.asked.items.count <= 2)
    #expect(transport.urls.count == 1)
  }

  @Test func twoStylesOfOneURLShareTheDownload() async throws {
    let latch = Latch()
    let png = png
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard await latch.wait() else { throw .cancelled }
      return TransportResponse(status: 200, headers: .fresh, body: png, url: request.url)
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let wakes = [Style.circle(16), .circle(24)].map { style in
      Task { try await pod.image(for: TestAvatar(url: url, style: style)) }
    }
    try await until { pod.waiting >= 2 }
    latch.open()
    for wake in wakes { _ = try await wake.value }
    #expect(transport.urls.count == 1)
  }

  @Test func aStoredImageOfAnotherSizeIsPassedBy() async throws {
    let pod = AvatarPod(
      ImagePipeline(
        options: PipelineOptions(memory: .steady, scale: 2),
        transport: FakeTransport(body: png)
      )
    )
    let stored = try TestImages.gradient(width: 16, height: 16)
    let avatar = TestAvatar(url: url, styled: { stored })
    #expect(try await pod.image(for: avatar).width == 32)
  }

  @Test func anAnswerThatComesAfterClearingStaysOutOfMemory() async throws {
    let latch = Latch()
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: png))
    let pod = AvatarPod(pipeline)
    let stored = try TestImages.gradient(width: 16, height: 16)
    let answered = Latch()
    let avatar = TestAvatar(
      url: url,
      styled: {
        _ = await latch.wait()
        answered.open()
        return stored
      }
    )
    let wake = Task { await steps(pod.wake(avatar)) }
    await latch.arrivals(1)
    pod.clear()
    #expect(await wake.value == ["failed: cancelled"])
    latch.open()
    #expect(await answered.wait())
    try await until { pod.waiting == 0 }
    #expect(pod.cached(avatar) == nil)
  }

  @Test func clearingEndsEveryWaiter() async throws {
    let latch = Latch()
    let transport = FakeTransport { (_, _) throws(TransportError) in
      _ = await latch.wait()
      throw .cancelled
    }
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let wake = Task { await steps(pod.wake(TestAvatar(url: url))) }
    await latch.arrivals(1)
    pod.clear()
    #expect(await wake.value == ["failed: cancelled"])
  }

  private func readyMade(
    _ kind: String,
    in folder: TemporaryDirectory
  ) throws -> any AvatarStorage {
    kind == "files"
      ? try FileAvatarStorage(directory: folder.path + "/avatars")
      : try SQLiteAvatarStorage(path: folder.path + "/avatars.sqlite")
  }

  @Test(arguments: ["files", "sqlite"])
  func theReadyMadeStoragesAnswerTheSecondTime(kind: String) async throws {
    let folder = try TemporaryDirectory()
    let storage = try readyMade(kind, in: folder)
    let avatar = StoredAvatar(owner: "ana", url: url, style: .circle(16), storage: storage)
    let first = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: png)))
    let drawn = try await first.image(for: avatar)
    await first.finishSaving()

    let transport = FakeTransport(body: [])
    let second = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let stored = try await second.image(for: avatar)
    #expect(try stored.straightRGBA() == drawn.straightRGBA())
    let smaller = StoredAvatar(owner: "ana", url: url, style: .circle(8), storage: storage)
    #expect(try await second.image(for: smaller).width == 8)
    #expect(transport.urls.isEmpty)
    let other = StoredAvatar(owner: "ben", url: url, style: .circle(12), storage: storage)
    await #expect(throws: ImageError.self) { try await second.image(for: other) }
  }

  @Test(arguments: ["files", "sqlite"])
  func anAnimatedAvatarPlaysTheSecondTimeToo(kind: String) async throws {
    let folder = try TemporaryDirectory()
    let storage = try readyMade(kind, in: folder)
    let avatar = StoredAvatar(owner: "ana", url: url, style: .circle(16), storage: storage)
    let transport = FakeTransport(body: try Fixtures.bytes("animation-3-frames.gif"))
    // A still that the animation replaces.
    let name = AvatarName(owner: "ana", url: url.absoluteString, style: .circle(16))
    let still = try TestImages.gradient(width: 16, height: 16)
    try await storage.save(original: Data(png), styled: still, as: name)
    #expect(try await storage.styled(name) != nil)
    for policy in [CachePolicy.reload, .standard] {
      let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
      var avatar = avatar
      avatar.configuration = { $0.caching.policy = policy }
      #expect(try await pod.load(avatar, scale: nil).animation?.frameCount == 3)
      await pod.finishSaving()
    }
    #expect(transport.urls.count == 1)
  }

  @Test func whatAStorageHadIsKeptInNoTable() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(tables: TableOptions(directory: folder.path))
    let first = ImagePipeline(options: options, transport: FakeTransport(body: png))
    let pod = AvatarPod(first)
    let data = Data(try TestImages.png(width: 30, height: 30))
    let styles = [Style.circle(8), .rectangle(width: 8, height: 8)]
    for style in styles {
      _ = try await pod.image(for: TestAvatar(url: url, style: style, original: { data }))
    }
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: FakeTransport(body: png))
    for style in styles { #expect(second.cached(for: ImageRequest(url, style: style)) == nil) }
  }

  private func checked(_ origin: ScriptedOrigin, _ clock: ManualClock) -> AvatarPod {
    var options = PipelineOptions.steady
    options.network.retry = .none
    return AvatarPod(
      ImagePipeline(
        options: options,
        transport: origin,
        diskCache: FakeDisk(),
        clock: clock.pipelineClock
      )
    )
  }

  @Test func anOldAvatarIsShownAndChecked() async throws {
    let newer = try TestImages.png(width: 50, height: 50)
    let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let origin = ScriptedOrigin([.ok(png, fields), .status(304), .ok(newer, fields)])
    let clock = ManualClock()
    let pod = checked(origin, clock)
    let avatar = TestAvatar(url: url)
    #expect(await steps(pod.wake(avatar)) == ["network"])
    clock.advance(by: .seconds(59))
    #expect(await steps(pod.wake(avatar)) == ["memory"])
    #expect(origin.requests.count == 1)
    clock.advance(by: .seconds(2))
    #expect(await steps(pod.wake(avatar)) == ["placeholder", "memory"])
    clock.advance(by: .seconds(61))
    #expect(await steps(pod.wake(avatar)) == ["placeholder", "network"])
    await pod.finishSaving()
    #expect(avatar.saved.items == [Data(png), Data(newer)])
    #expect(await steps(pod.wake(avatar)) == ["memory"])
    #expect(origin.requests.count == 3)
  }

  @Test func anOldFileIsCheckedBeforeAnAvatarIsMadeOfIt() async throws {
    let newer = try TestImages.png(width: 50, height: 50)
    let fields = ["Cache-Control": "max-age=60"]
    let origin = ScriptedOrigin([.ok(png, fields), .ok(newer, fields)])
    let clock = ManualClock()
    let pod = checked(origin, clock)
    _ = try await pod.image(for: TestAvatar(url: url))
    clock.advance(by: .seconds(61))
    let avatar = TestAvatar(url: url, style: .circle(20))
    #expect(try await pod.image(for: avatar).width == 20)
    await pod.finishSaving()
    #expect(avatar.saved.items == [Data(newer)])
    _ = try await pod.image(for: avatar)
    #expect(origin.requests.count == 2)
  }

  @Test func anOldAvatarWhoseOriginCannotBeAskedIsGoodEnough() async throws {
    let origin = ScriptedOrigin([.ok(png, ["Cache-Control": "max-age=60"]), .status(503)])
    let clock = ManualClock()
    let pod = checked(origin, clock)
    _ = try await pod.image(for: TestAvatar(url: url))
    clock.advance(by: .seconds(61))
    #expect(await steps(pod.wake(TestAvatar(url: url))) == ["placeholder", "memory"])
  }
}
