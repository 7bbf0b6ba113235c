import FoundationEssentials
import Ikran
import IkranTransport
import Support
import Testing

// What the README and the articles show, compiled and run.

private struct Member: Sendable {
  let id: String
  let avatarURL: URL?
}

/// A storage of one's own, as the article shows it.
private struct MemberAvatar: Avatar {
  let member: Member
  let style: Style
  var url: URL? { member.avatarURL }
  func localStyled() async throws -> Bitmap? { nil }
  func localOriginal() async throws -> Data? { nil }
  func save(original: Data, styled: Bitmap) async throws {}
}

@Suite(.timeLimit(.minutes(10)))
struct DocumentationTests {
  private let url: URL
  private let transport: FakeTransport

  init() throws {
    url = try #require(URL(string: "http://example.test/face.png"))
    transport = FakeTransport(body: try TestImages.png(width: 64, height: 64))
  }

  @Test func fiveMinutes() async throws {
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let image = try await pipeline.image(from: url)
    let face = try await pipeline.image(from: url, style: .circle(48))
    #expect(image.size == PixelSize(width: 64, height: 64))
    #expect(face.format == .bgra)

    var request = ImageRequest(url)
    let white = Style.Border(2, color: .white)
    request.style = .rounded(width: 96, height: 96, cornerRadius: 12, border: white)
    request.scale = 2
    request.priority = .high
    let response = try await pipeline.response(for: request)
    #expect(response.image.width == 192)

    if let hit = pipeline.cached(for: request) { #expect(hit.width == 192) }

    for await event in pipeline.events(for: request) {
      switch event {
      case .progress(let progress): #expect(progress.received >= 0)
      case .finished(let response): #expect(response.source == .memory)
      case .cached, .preview, .unchanged: Issue.record("nothing was to be refreshed")
      case .failed(let error): Issue.record(error)
      }
    }
  }

  @Test func aPipelineForURLsThatStrangersWrote() async {
    let pipeline = ImagePipeline(options: .steady, transport: .untrustedURLs())
    await #expect(throws: ImageError.self) {
      try await pipeline.image(from: URL(filePath: "/etc/hostname"))
    }
  }

  @Test func aPipelineOfOnesOwn() async throws {
    let folder = try TemporaryDirectory()
    let downloads = Counter()
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: MemoryOptions(limit: .bytes(256 << 20)),
        disk: DiskOptions(directory: folder.path, limit: .bytes(1 << 30)),
        tables: .init(limit: .bytes(512 << 20)),
        network: NetworkOptions(maximumConcurrent: 6, timeout: .seconds(15)),
        decoding: DecodingOptions(maximumPixels: 100_000_000)
      ),
      transport: transport,
      onEvent: { event in if case .downloaded = event { downloads.add() } }
    )
    _ = try await pipeline.image(from: url, style: .circle(48))
    #expect(downloads.count == 1)
    await pipeline.finishWriting()
    #expect(try TableFolder(ofCache: folder.path).tables().count == 1)
  }

  @Test func imageTablesByHand() throws {
    let folder = try TemporaryDirectory().path
    let photo = try TestImages.gradient(width: 64, height: 48)
    let (id, photoVersion) = (TableID("ana"), TableID("1"))
    let format = TableFormat(
      "member-small",
      size: PixelSize(width: 50, height: 50),
      pixels: .bgr,
      family: "member",
      maximumCount: 250
    )
    let table = try ImageTable(at: folder, format: format)
    try table.put(id, version: photoVersion) { canvas in try canvas.draw(photo, fitting: .fill) }
    let image = try #require(table.get(id, version: photoVersion))
    #expect(image.size == PixelSize(width: 50, height: 50))
    let expected = try photo.styled(.fill(width: 50, height: 50))
    #expect(try image.straightRGBA() == expected.straightRGBA())
  }

  @Test func tablesOfOnesOwnInAPipeline() async throws {
    let folder = try TemporaryDirectory()
    var tables = TableOptions()
    tables.formats = [
      TableFormat(
        "tiny",
        size: PixelSize(width: 16, height: 16),
        pixels: .bgr555,
        maximumCount: 50_000
      )
    ]
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: folder.path),
        tables: tables
      ),
      transport: transport
    )
    _ = try await pipeline.image(from: url, style: .fill(width: 16, height: 16))
    await pipeline.finishWriting()
    #expect(try TableFolder(ofCache: folder.path).tables().map(\.format.name) == ["tiny"])
  }

  @Test func entitiesAsFastImageCacheHadThem() async throws {
    struct Member: ImageEntity {
      let uuid: String
      let photoURL: URL?
      let photoVersion: String
      var entityID: TableID { TableID(uuid) }
      var sourceVersionID: TableID { TableID(photoVersion) }
      var sourceURL: URL? { photoURL }
    }
    let folder = try TemporaryDirectory()
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let small = TableFormat("small", size: PixelSize(width: 20, height: 20), family: "member")
    let large = TableFormat("large", size: PixelSize(width: 40, height: 30), family: "member")
    let cache = try EntityImageCache(directory: folder.path, formats: [small, large]) { _, url in
      try await pipeline.image(from: url)
    }
    let ana = Member(uuid: "ana", photoURL: url, photoVersion: "1")
    let image =
      if let hit = cache.image(for: ana, format: "small") { hit } else {
        try await cache.retrieve(ana, format: "small")
      }
    #expect(image.size == small.size)
    #expect(cache.image(for: ana, format: "large")?.size == large.size)
  }

  @Test func avatarsWithYourOwnStorage() async throws {
    let pod = AvatarPod(ImagePipeline(options: .steady, transport: transport))
    let ana = Member(id: "ana", avatarURL: url)
    var endings = 0
    for await step in pod.wake(MemberAvatar(member: ana, style: .circle(48))) {
      if case .finished(let image, let source) = step {
        #expect(image.width == 48)
        #expect(source == .network)
        endings += 1
      }
    }
    #expect(endings == 1)
  }
}
