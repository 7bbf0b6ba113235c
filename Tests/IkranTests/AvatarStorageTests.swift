import FoundationEssentials
import Support
import Testing

@testable import Ikran

/// What an avatar's own storage has, and what its URL has brought since.
@Suite("Avatars and their storage", .timeLimit(.minutes(10)))
struct AvatarStorageTests {
  private let png: [UInt8]
  private let url: URL

  init() throws {
    png = try TestImages.png(width: 40, height: 40)
    url = try #require(URL(string: "http://example.test/ana.png"))
  }

  @Test(arguments: [true, false], [true, false])
  func aReloadOutranksWhatAStorageHas(hasStyled: Bool, isEmptied: Bool) async throws {
    let (older, newer) = (try Square.png(50), try Square.png(200))
    let styled = try await ImagePipeline(options: .steady, transport: FakeTransport(body: older))
      .image(from: url, style: .circle(16))
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: newer))
    let pod = AvatarPod(pipeline)
    let saved = Recorder<Data>()
    func avatar(_ diameter: Double) -> TestAvatar {
      TestAvatar(
        url: url,
        style: .circle(diameter),
        styled: { hasStyled && diameter == 16 ? styled : nil },
        original: { Data(older) },
        saved: saved
      )
    }
    #expect(try await Square.shade(pod.image(for: avatar(16))) == 50)
    await pod.finishSaving()
    var reload = ImageRequest(url, style: .circle(16))
    reload.caching.policy = .reload
    #expect(try await Square.shade(pipeline.image(for: reload)) == 200)
    #expect(try Square.shade(pod.cached(avatar(16))) == 200)
    // What is known of the URL is no image, and stays.
    if isEmptied { pipeline.removeAllFromMemory() }
    for diameter in [16.0, 16, 20] {
      #expect(try await Square.shade(pod.image(for: avatar(diameter))) == 200)
      #expect(try Square.shade(pipeline.cached(for: ImageRequest(url, style: .circle(16)))) == 200)
    }
    // The storage is given the newer one, once for each style.
    await pod.finishSaving()
    #expect(saved.items.filter { $0 == Data(newer) }.count == 2)
  }

  @Test func whatAStorageHasIsNeverTheURLsNewestImage() async throws {
    let older = try Square.png(50)
    let origin = FakeTransport(body: try Square.png(200))
    let pipeline = ImagePipeline(options: .steady, transport: origin)
    let pod = AvatarPod(pipeline)
    let avatar = TestAvatar(url: url, original: { Data(older) })
    #expect(try await Square.shade(pod.image(for: avatar)) == 50)
    let request = ImageRequest(url, style: .circle(16))
    #expect(pipeline.cached(for: request) == nil)
    #expect(try await Square.shade(pipeline.image(for: request)) == 200)
    #expect(origin.urls.count == 1)
  }

  @Test func aStorageIsAskedAgainOnceItsURLWasRemoved() async throws {
    let stored = Recorder<Data>()
    stored.add(Data(try Square.png(50)))
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: []))
    let pod = AvatarPod(pipeline)
    let avatar = TestAvatar(url: url, original: { stored.items.last })
    #expect(try await Square.shade(pod.image(for: avatar)) == 50)
    stored.add(Data(try Square.png(200)))
    pipeline.remove(ImageRequest(url, style: .circle(16)))
    #expect(try await Square.shade(pod.image(for: avatar)) == 200)
  }

  @Test func whatAStorageBringsAfterEverythingWasRemovedIsNotKept() async throws {
    let older = Data(try Square.png(50))
    let answer = Latch()
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: []))
    let pod = AvatarPod(pipeline)
    let slow = TestAvatar(
      url: url,
      original: {
        _ = await answer.wait()
        return older
      }
    )
    let first = Task { try await pod.image(for: slow) }
    await answer.arrivals(1)
    await pipeline.removeAll()
    answer.open()
    #expect(try await Square.shade(first.value) == 50)
    #expect(pod.cached(slow) == nil)
  }

  @Test(arguments: [true, false])
  func whatTheURLBringsWhileTheStorageIsReadOutranksIt(isStyled: Bool) async throws {
    let (older, newer) = (try Square.png(50), try Square.png(200))
    let styled = try await ImagePipeline(options: .steady, transport: FakeTransport(body: older))
      .image(from: url, style: .circle(16))
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: newer))
    let reading = Latch()
    var avatar = TestAvatar(url: url)
    if isStyled {
      avatar.styled = {
        _ = await reading.wait()
        return styled
      }
    } else {
      avatar.original = {
        _ = await reading.wait()
        return Data(older)
      }
    }
    let slow = avatar
    let load = Task { try await AvatarPod(pipeline).image(for: slow) }
    await reading.arrivals(1)
    _ = try await pipeline.image(from: url, style: .circle(16))
    reading.open()
    #expect(try await Square.shade(load.value) == 200)
  }

  @Test func aStorageThatWasGivenTheNewestIsAskedAgain() async throws {
    let origin = FakeTransport(body: png)
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: origin))
    let data = Data(png)
    let avatar = TestAvatar(url: url, original: { data })
    var empty = avatar
    empty.original = { nil }
    _ = try await pod.image(for: empty)
    await pod.finishSaving()
    pod.clear()
    _ = try await pod.image(for: avatar)
    #expect(avatar.asked.items.suffix(2) == ["styled", "original"])
    #expect(origin.urls.count == 1)
  }

  @Test func whatTheDiskHasIsReadAndDecodedOnce() async throws {
    let folder = try TemporaryDirectory()
    let disk = DiskOptions(directory: folder.path)
    let first = ImagePipeline(
      options: PipelineOptions(memory: .steady, disk: disk),
      transport: FakeTransport(body: png)
    )
    _ = try await first.image(from: url, style: .original)
    await first.finishWriting()
    let origin = FakeTransport(body: [])
    // Without memory what was loaded once has to be loaded again.
    let options = PipelineOptions(memory: MemoryOptions(limit: .bytes(0)), disk: disk)
    let second = ImagePipeline(options: options, transport: origin)
    let avatar = TestAvatar(url: url)
    #expect(try await AvatarPod(second).image(for: avatar).width == 16)
    #expect(second.statistics.diskHits == 1)
    #expect(second.statistics.decodes == 1)
    #expect(origin.urls.isEmpty)
  }

  @Test func twoStylesShareOneReadingOfAStoredFile() async throws {
    let transport = FakeTransport(body: [])
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let latch = Latch()
    let data = Data(png)
    let reads = Recorder<String>()
    let wakes = [Style.circle(8), .circle(12), .circle(8)].map { style in
      var avatar = TestAvatar(url: url, style: style)
      avatar.original = {
        reads.add("original")
        _ = await latch.wait()
        return data
      }
      return Task { [avatar] in try await pod.image(for: avatar).width }
    }
    await latch.arrivals(1)
    try await until { pod.pipeline.loader.waiting == 2 }
    latch.open()
    var widths: [Int] = []
    for wake in wakes { widths.append(try await wake.value) }
    #expect(widths == [8, 12, 8])
    #expect(reads.items.count == 1)
    #expect(transport.urls.isEmpty)
  }

  @Test func whatOneStorageHasIsNotShownForAnother() async throws {
    let (own, other) = (try Square.png(50), try Square.png(200))
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: png)))
    let first = TestAvatar(url: url, storageID: "first", original: { Data(own) })
    let second = TestAvatar(url: url, storageID: "second", original: { Data(other) })
    #expect(try await Square.shade(pod.image(for: first)) == 50)
    #expect(pod.cached(second) == nil)
    #expect(try await Square.shade(pod.image(for: second)) == 200)
    #expect(try Square.shade(pod.cached(first)) == 50)
  }

  @Test func aStoredFileIsDecodedOnceForStylesThatNeedTheSamePixels() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: []))
    let pod = AvatarPod(pipeline)
    let file = try Square.png(50)
    for style in [Style.circle(8), .rectangle(width: 8, height: 8)] {
      let avatar = TestAvatar(url: url, style: style, original: { Data(file) })
      _ = try await pod.image(for: avatar)
    }
    #expect(pipeline.statistics.decodes == 1)
  }

  @Test func aStoredFileThatChangesIsDecodedAgain() async throws {
    let files = [try Square.png(50), try Square.png(200)]
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: [])))
    // Both styles need the same pixels of the file.
    let styles = [Style.circle(8), .rectangle(width: 8, height: 8)]
    for (file, style) in zip(files, styles) {
      let avatar = TestAvatar(url: url, style: style, original: { Data(file) })
      #expect(try await Square.shade(pod.image(for: avatar)) == (file == files[0] ? 50 : 200))
    }
  }

  @Test func aStorageThatIsSlowIsAskedOnceForAllWhoWait() async throws {
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: [])))
    let latch = Latch()
    let stored = try TestImages.gradient(width: 16, height: 16)
    let avatar = TestAvatar(
      url: url,
      styled: {
        _ = await latch.wait()
        return stored
      }
    )
    let wakes = (0..<3).map { _ in Task { try await pod.image(for: avatar).width } }
    await latch.arrivals(1)
    try await until { pod.waiting == 3 }
    latch.open()
    for wake in wakes { #expect(try await wake.value == 16) }
    #expect(avatar.asked.items == ["styled"])
  }

  @Test func whatAStorageHadBeforeTheURLBroughtNewerIsNotTakenForIt() async throws {
    let (older, newer) = (try TestImages.gradient(width: 16, height: 16), try Square.png(200))
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: newer))
    let pod = AvatarPod(pipeline)
    let latch = Latch()
    let avatar = TestAvatar(
      url: url,
      styled: {
        _ = await latch.wait()
        return older
      }
    )
    let wake = Task { try await pod.image(for: avatar) }
    await latch.arrivals(1)
    _ = try await pipeline.image(from: url, style: .circle(40))
    latch.open()
    #expect(try await Square.shade(wake.value) == 200)
    #expect(try Square.shade(pod.cached(avatar)) == 200)
  }

  @Test func whatTheURLHasBroughtSinceIsSavedInPlaceOfAStoredFile() async throws {
    let (older, newer) = (try Square.png(50), try Square.png(200))
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: newer))
    let pod = AvatarPod(pipeline)
    let latch = Latch()
    let saved = Recorder<Data>()
    let avatar = TestAvatar(
      url: url,
      original: {
        _ = await latch.wait()
        return Data(older)
      },
      saved: saved
    )
    let wake = Task { try await pod.image(for: avatar) }
    await latch.arrivals(1)
    _ = try await pipeline.image(from: url, style: .circle(40))
    latch.open()
    #expect(try await Square.shade(wake.value) == 200)
    await pod.finishSaving()
    #expect(saved.items == [Data(newer)])
  }

  @Test func anotherStyleOfAFileThatTheURLHasBroughtIsSaved() async throws {
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: FakeTransport(body: png)))
    let saved = Recorder<Data>()
    let data = Data(png)
    func avatar(_ diameter: Double) -> TestAvatar {
      // The storage has what it was given.
      TestAvatar(
        url: url,
        style: .circle(diameter),
        original: { saved.items.isEmpty ? nil : data },
        saved: saved
      )
    }
    for (saves, diameter) in [(1, 16.0), (2, 24.0)] {
      _ = try await pod.image(for: avatar(diameter))
      await pod.finishSaving()
      #expect(saved.items.count == saves)
      pod.clear()
    }
  }

  @Test func aSaveThatHasFailedIsTriedAgainAfterAMinute() async throws {
    let clock = ManualClock()
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: png),
      clock: clock.pipelineClock
    )
    let pod = AvatarPod(pipeline)
    let avatar = FullStorageAvatar(url: url)
    for saves in [1, 1, 2] {
      _ = try await pod.image(for: avatar)
      await pod.finishSaving()
      #expect(avatar.saves.count == saves)
      if avatar.saves.count == 1, saves == 1 { clock.advance(by: .seconds(31)) }
    }
  }

  @Test func savesThatBlockDelayNobody() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: png))
    let pod = AvatarPod(pipeline)
    let latch = ThreadLatch()
    let saved = Recorder<Data>()
    func avatar(_ number: Int) throws -> TestAvatar {
      let url = try #require(URL(string: "http://example.test/\(number).png"))
      return TestAvatar(url: url, saved: saved, beforeSave: { latch.wait() })
    }
    // More than the machine has threads for tasks.
    for number in 0..<40 { #expect(try await pod.image(for: avatar(number)).width == 16) }
    #expect(saved.items.isEmpty)
    latch.open()
    await pod.finishSaving()
    #expect(saved.items.count == 40)
  }
}

/// An avatar whose storage is full.
private struct FullStorageAvatar: Avatar {
  struct Full: Error {}

  let url: URL?
  let style = Style.circle(16)
  let saves = Counter()

  func localStyled() -> Bitmap? { nil }
  func localOriginal() -> Data? { nil }
  func save(original: Data, styled: Bitmap) throws {
    saves.add()
    throw Full()
  }
}
