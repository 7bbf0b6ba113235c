import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Image tables as the pipeline's second stage.
@Suite(.timeLimit(.minutes(10)))
struct PipelineTableTests {
  private let folder: TemporaryDirectory
  private let opaque: [UInt8]
  private let transparent: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    opaque = try TestImages.png(width: 64, height: 48)
    transparent = try TestImages.gradient(width: 64, height: 48).styled(.circle(40))
      .encoded(as: .png)
  }

  private var tables: String { folder.path + "/tables" }

  private func pipeline(
    _ transport: any Transport,
    _ change: (inout TableOptions) -> Void = { _ in },
    disk: FakeDisk? = nil,
    onEvent: @escaping @Sendable (PipelineEvent) -> Void = { _ in }
  ) -> ImagePipeline {
    var options = TableOptions(directory: tables)
    change(&options)
    return ImagePipeline(
      options: PipelineOptions(memory: .steady, tables: options),
      transport: transport,
      diskCache: disk,
      onEvent: onEvent
    )
  }

  private func request(
    _ style: Style,
    _ policy: CachePolicy = .standard,
    _ path: String = "a"
  ) -> ImageRequest {
    var request = ImageRequest(location: "http://example.test/\(path).png", style: style)
    request.caching.policy = policy
    return request
  }

  /// Loads styles in a pipeline of their own, as an earlier process would have.
  private func warm(_ body: [UInt8], _ styles: Style...) async throws {
    let pipeline = pipeline(FakeTransport(body: body))
    for style in styles { _ = try await pipeline.image(for: request(style)) }
    await pipeline.finishWriting()
  }

  @Test func tablesKeepLocalFilesOnRequestUntilTheyChange() async throws {
    let path = folder.path + "/a.png"
    let request = ImageRequest(URL(filePath: path), style: .circle(24))
    for (keeps, second) in [(false, ImageSource.file), (true, .table)] {
      try Files.writeAtomically(opaque, to: path)
      func load() async throws -> ImageSource {
        let once = pipeline(SchemeTransport()) { $0.keepsLocalFiles = keeps }
        let source = try await once.response(for: request).source
        await once.finishWriting()
        return source
      }
      for expected in [.file, second] { #expect(try await load() == expected) }
      let later = pipeline(FakeTransport()) { $0.keepsLocalFiles = keeps }
      #expect((later.cached(for: request) != nil) == keeps)
      #expect(await later.contains(request).contains(.tables) == keeps)
      try Files.writeAtomically(transparent, to: path)
      #expect(try await load() == .file)
    }
  }

  private var files: [String] {
    ((try? Files.list(tables)) ?? []).filter { $0.hasSuffix(".table") }
  }

  // MARK: - Hits

  @Test(arguments: [
    Style.rectangle(width: 32, height: 24), .fill(width: 20, height: 20), .circle(24),
    .rounded(width: 30, height: 20, cornerRadius: 4),
    .rounded(width: 30, height: 20, cornerRadius: 0),
    .region(PixelRectangle(x: 5, y: 3, width: 20, height: 16), width: 10, height: 8),
  ])
  func aLaterProcessFindsTheImageInItsTable(style: Style) async throws {
    let made = try await ImagePipeline(options: .steady, transport: FakeTransport(body: opaque))
      .image(for: request(style))
    try await warm(opaque, style)
    let transport = FakeTransport(body: [])
    let pipeline = pipeline(transport)
    let response = try await pipeline.response(for: request(style))
    #expect(response.source == .table)
    #expect(try response.image.straightRGBA() == made.straightRGBA())
    #expect(transport.urls.isEmpty)
    #expect(pipeline.statistics.decodes == 0)
    #expect(pipeline.statistics.stylings == 0)
    #expect(pipeline.statistics.tableHits == 1)
  }

  @Test func aHitIsSynchronousAndStaysOutOfMemory() async throws {
    try await warm(opaque, .circle(24))
    let pipeline = pipeline(FakeTransport(body: []))
    #expect(pipeline.cached(for: request(.circle(24)))?.width == 24)
    #expect(pipeline.cached(for: request(.circle(24), .onlyCached)) != nil)
    #expect(pipeline.cached(for: request(.circle(24), .reload)) == nil)
    #expect(pipeline.cached(for: request(.circle(23))) == nil)
    #expect(pipeline.context.images.statistics.count == 0)
    #expect(pipeline.statistics.tableHits == 2)
  }

  @Test func anotherScaleIsAnotherImage() async throws {
    try await warm(opaque, .circle(24))
    let pipeline = pipeline(FakeTransport(body: opaque))
    var twice = request(.circle(12))
    twice.scale = 2
    #expect(pipeline.cached(for: twice) == nil)
    #expect(try await pipeline.response(for: twice).source == .network)
  }

  @Test func theKeyIsTheIDInTheTable() async throws {
    try await warm(opaque, .circle(24))
    let response = try await pipeline(FakeTransport(body: [])).response(for: request(.circle(24)))
    let table = try ImageTable(opening: tables + "/24x24-bgra.table")
    let id = try #require(TableID(hexadecimal: response.key))
    #expect(table.contains(id, version: Checksum.wide(opaque)))
  }

  @Test func onlyCachedIsAnsweredByATable() async throws {
    try await warm(opaque, .circle(24))
    let transport = FakeTransport(body: opaque)
    let pipeline = pipeline(transport)
    #expect(try await pipeline.response(for: request(.circle(24), .onlyCached)).source == .table)
    await #expect(throws: ImageError.offline(url: "http://example.test/a.png")) {
      try await pipeline.image(for: request(.circle(20), .onlyCached))
    }
    #expect(transport.urls.isEmpty)
  }

  @Test func anAvatarIsFoundInItsTable() async throws {
    try await warm(opaque, .circle(24))
    let url = try #require(URL(string: "http://example.test/a.png"))
    let pod = AvatarPod(pipeline(FakeTransport(body: [])))
    let avatar = PlainAvatar(url: url, style: .circle(24))
    #expect(pod.cached(avatar) != nil)
    var sources: [ImageSource] = []
    for await step in pod.wake(avatar) {
      if case .finished(_, let source) = step { sources.append(source) }
    }
    #expect(sources == [.table])
  }

  // MARK: - What is kept, and where

  @Test func opaqueImagesAreBGRAndOthersBGRA() async throws {
    try await warm(opaque, .rectangle(width: 16, height: 16), .circle(16))
    #expect(files == ["16x16-bgr.table", "16x16-bgra.table"])
    let pipeline = pipeline(FakeTransport(body: []))
    let plain = pipeline.cached(for: request(.rectangle(width: 16, height: 16)))
    #expect(plain?.format == .bgr)
    #expect(pipeline.cached(for: request(.circle(16)))?.format == .bgra)
  }

  @Test func opaqueImagesAreBGRXOnRequest() async throws {
    let style = Style.rectangle(width: 16, height: 16)
    let pipeline = pipeline(FakeTransport(body: opaque), { $0.opaquePixels = .bgrx })
    _ = try await pipeline.image(for: request(style))
    await pipeline.finishWriting()
    #expect(files == ["16x16-bgrx.table"])
  }

  @Test func aTableOfOnesOwnTakesItsSize() async throws {
    let small = TableFormat("small", size: size(16, 16), pixels: .bgr555, maximumCount: 9)
    let style = Style.rectangle(width: 16, height: 16)
    for isFirst in [true, false] {
      let body = isFirst ? opaque : []
      let pipeline = pipeline(FakeTransport(body: body), { $0.formats = [small] })
      if isFirst { _ = try await pipeline.image(for: request(style)) }
      await pipeline.finishWriting()
      if !isFirst { #expect(pipeline.cached(for: request(style))?.format == .bgr555) }
    }
    #expect(files == ["small.table"])
    #expect(try ImageTable(opening: tables + "/small.table").format.maximumCount == 9)
  }

  @Test(arguments: [Style.original, .fit(width: 20, height: 20)])
  func stylesWithoutAFixedSizeAreNotKept(style: Style) async throws {
    try await warm(opaque, style)
    #expect(files.isEmpty)
  }

  @Test func aFreeformStyleHasNoFixedSize() async throws {
    try await warm(opaque, .freeform(name: "same", version: 1) { $0 })
    #expect(files.isEmpty)
  }

  @Test(arguments: ["gif", "png", "webp"])
  func animationsAreNotKept(ending: String) async throws {
    try await warm(Fixtures.bytes("animation-3-frames.\(ending)"), .circle(8))
    #expect(files.isEmpty)
  }

  @Test func localFilesAndDataAreNotKept() async throws {
    let pipeline = pipeline(FakeTransport(body: opaque))
    let file = ImageRequest(location: "file:///a.png", style: .circle(24))
    #expect(try await pipeline.response(for: file).source == .file)
    let data = ImageRequest(data: opaque, id: "a", style: .circle(24))
    #expect(try await pipeline.response(for: data).source == .data)
    await pipeline.finishWriting()
    #expect(files.isEmpty)
  }

  @Test func anImageFarTooLargeForTheLimitIsNotKept() async throws {
    let pipeline = pipeline(FakeTransport(body: opaque), { $0.limit = .bytes(32 * 64 * 20 - 1) })
    _ = try await pipeline.image(for: request(.rectangle(width: 20, height: 20)))
    await pipeline.finishWriting()
    #expect(files.isEmpty)
  }

  @Test func aStyleThatMakesNoSenseIsStillAnError() async throws {
    let pipeline = pipeline(FakeTransport(body: opaque))
    #expect(pipeline.cached(for: request(.circle(-1))) == nil)
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request(.circle(-1))) }
  }

  // MARK: - Reloading

  @Test func aReloadRemovesEveryStyleOfTheOlderFile() async throws {
    let other = Style.rectangle(width: 20, height: 10)
    try await warm(opaque, .circle(24), other, .circle(30))
    let reloading = pipeline(FakeTransport(body: transparent))
    _ = try await reloading.image(for: request(.circle(24), .reload))
    #expect(reloading.cached(for: request(other)) == nil)
    await reloading.finishWriting()
    let later = pipeline(FakeTransport(body: []))
    #expect(later.cached(for: request(other)) == nil)
    #expect(later.cached(for: request(.circle(30))) == nil)
    let expected = try await ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: transparent)
    )
    .image(for: request(.circle(24)))
    let found = try #require(later.cached(for: request(.circle(24))))
    #expect(try found.straightRGBA() == expected.straightRGBA())
  }

  @Test func aReloadLeavesOtherSourcesAlone() async throws {
    let first = pipeline(FakeTransport(body: opaque))
    _ = try await first.image(for: request(.circle(24), .standard, "b"))
    _ = try await first.image(for: request(.circle(24), .reload))
    await first.finishWriting()
    let later = pipeline(FakeTransport(body: []))
    #expect(later.cached(for: request(.circle(24), .standard, "b")) != nil)
  }

  @Test func whatIsMadeLateFromTheOlderFileIsNotKept() async throws {
    let held = HeldCodec()
    let bodies = Guarded([opaque, transparent])
    let transport = FakeTransport { (request, _) throws(TransportError) in
      let body = bodies.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return TransportResponse(status: 200, headers: .fresh, body: body, url: request.url)
    }
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        tables: TableOptions(directory: tables),
        decoding: DecodingOptions(maximumConcurrent: 2)
      ),
      transport: transport,
      codecs: CodecList([held])
    )
    let late = Task { try await pipeline.image(for: request(.circle(30))) }
    await held.arrived.arrivals(1)
    held.arrived.open()
    _ = try await pipeline.image(for: request(.circle(24), .reload))
    held.door.open()
    _ = try await late.value
    await pipeline.finishWriting()
    let later = self.pipeline(FakeTransport(body: []))
    #expect(later.cached(for: request(.circle(30))) == nil)
    #expect(later.cached(for: request(.circle(24))) != nil)
  }

  @Test func aReloadThatBringsNoImageLeavesTheTables() async throws {
    try await warm(opaque, .circle(24))
    let pipeline = pipeline(FakeTransport(body: Array("<html>".utf8)))
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request(.circle(24), .reload))
    }
    await pipeline.finishWriting()
    #expect(pipeline.cached(for: request(.circle(24))) != nil)
  }

  // MARK: - Failures and upkeep

  @Test func aFolderThatCannotBeMadeIsReportedAndPassedBy() async throws {
    let events = Recorder<PipelineEvent>()
    let pipeline = pipeline(
      FakeTransport(body: opaque),
      { $0.directory = "/proc/none/tables" },
      onEvent: { events.add($0) }
    )
    #expect(try await pipeline.response(for: request(.circle(24))).source == .network)
    #expect(try await pipeline.response(for: request(.circle(24), .reload)).source == .network)
    await pipeline.finishWriting()
    #expect(pipeline.statistics.tableFailures == 1)
    #expect(events.items.contains { if case .tableFailed = $0 { true } else { false } })
  }

  @Test func aFileThatIsNoTableIsLeftAlone() async throws {
    try Files.createDirectories(tables)
    let note = Array("my shopping list".utf8)
    try Files.create(tables + "/24x24-bgra.table", note)
    let pipeline = pipeline(FakeTransport(body: opaque))
    #expect(try await pipeline.response(for: request(.circle(24))).source == .network)
    await pipeline.finishWriting()
    #expect(try Files.read(tables + "/24x24-bgra.table") == note)
    #expect(pipeline.statistics.tableFailures == 1)
    await pipeline.removeAll(from: .tables)
    #expect(try Files.read(tables + "/24x24-bgra.table") == note)
  }

  @Test func aTableCutShortIsMadeAnew() async throws {
    try await warm(opaque, .circle(24))
    let path = tables + "/24x24-bgra.table"
    let bytes = try Files.read(path)
    try Files.remove(path)
    try Files.create(path, Array(bytes.prefix(1000)))
    try await warm(opaque, .circle(24))
    #expect(pipeline(FakeTransport(body: [])).cached(for: request(.circle(24))) != nil)
  }

  @Test func aFolderRemovedWhileInUseIsMadeAnew() async throws {
    let pipeline = pipeline(FakeTransport(body: opaque))
    _ = try await pipeline.image(for: request(.circle(24)))
    await pipeline.finishWriting()
    try Files.removeTree(tables)
    _ = try await pipeline.image(for: request(.circle(24), .standard, "b"))
    await pipeline.finishWriting()
    let later = self.pipeline(FakeTransport(body: []))
    #expect(later.cached(for: request(.circle(24), .standard, "b")) != nil)
  }

  @Test func theTablesCanBeEmptied() async throws {
    try await warm(opaque, .circle(24), .circle(20))
    let pipeline = pipeline(FakeTransport(body: []))
    let held = try #require(pipeline.cached(for: request(.circle(24))))
    let before = try held.straightRGBA()
    await pipeline.removeAll(from: .tables)
    #expect(pipeline.cached(for: request(.circle(24))) == nil)
    #expect(pipeline.cached(for: request(.circle(20))) == nil)
    #expect(try held.straightRGBA() == before)
  }

  private func size(_ width: Int, _ height: Int) -> PixelSize {
    PixelSize(width: width, height: height)
  }
}

/// An avatar without a storage.
private struct PlainAvatar: Avatar {
  let url: URL?
  let style: Style
  func localStyled() async throws -> Bitmap? { nil }
  func localOriginal() async throws -> Data? { nil }
  func save(original: Data, styled: Bitmap) async throws {}
}

/// PNG, whose first decode waits for a door.
private final class HeldCodec: Codec {
  let door = ThreadLatch()
  let arrived = Latch()
  private let count = Counter()

  var format: ImageFormat { .png }

  func recognizes(_ bytes: Span<UInt8>) -> Bool { PNGDecoder().recognizes(bytes) }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try PNGDecoder().probe(bytes)
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    count.add()
    if count.count == 1 {
      Task { await arrived.wait() }
      door.wait()
    }
    return try PNGDecoder().decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }
}
