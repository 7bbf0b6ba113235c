import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Styled images that the disk keeps, as PNG, where no table has them.
@Suite(.timeLimit(.minutes(10)))
struct ProcessedImageTests {
  private let folder: TemporaryDirectory
  private let clock = ManualClock()
  private let older: [UInt8]
  private let newer: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    older = try TestImages.png(width: 12, height: 12)
    newer = try TestImages.png(width: 20, height: 10)
  }

  private func pipeline(
    _ contents: DiskOptions.Contents,
    _ origin: any Transport,
    tables: Bool = false
  ) -> ImagePipeline {
    var options = PipelineOptions(
      memory: .steady,
      disk: DiskOptions(directory: folder.path, contents: contents),
      tables: tables ? TableOptions() : nil
    )
    options.network.retry = .none
    return ImagePipeline(options: options, transport: origin, clock: clock.pipelineClock)
  }

  private func request(_ style: Style) -> ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: style)
  }

  /// Loads an image in a pipeline of its own, as a later run would.
  private func load(
    _ style: Style,
    _ contents: DiskOptions.Contents,
    _ origin: any Transport,
    tables: Bool = false
  ) async throws -> (response: ImageResponse, statistics: PipelineStatistics) {
    let pipeline = pipeline(contents, origin, tables: tables)
    let response = try await pipeline.response(for: request(style))
    await pipeline.finishWriting()
    return (response, pipeline.statistics)
  }

  private func keys() throws -> [String] {
    let cache = try DiskCache(directory: folder.path)
    return try cache.keys().filter { try cache.body(for: $0)?.isEmpty == false }
  }

  @Test(arguments: [DiskOptions.Contents.originals, .processed, .both, .automatic])
  func theDiskKeepsWhatThePolicySays(contents: DiskOptions.Contents) async throws {
    _ = try await load(.circle(6), contents, FakeTransport(body: older))
    let styled = try keys().count { $0.hasPrefix("styled ") }
    let files = try keys().count { !$0.hasPrefix("styled ") }
    switch contents.choice {
    case .originals: #expect((files, styled) == (1, 0))
    case .processed, .automatic: #expect((files, styled) == (0, 1))
    case .both: #expect((files, styled) == (1, 1))
    }
  }

  @Test(
    arguments: [
      (ImageEncoding.png, Style.rectangle(width: 9, height: 4), ImageFormat.png),
      (.webpLossless, .circle(6), .webp), (.webp(quality: 80), .circle(6), .webp),
      (.jpeg(), .rectangle(width: 9, height: 4), .jpeg), (.jpeg(), .circle(6), .png),
      (.gif, .rectangle(width: 9, height: 4), .gif), (.gif, .circle(6), .png),
    ]
  )
  func styledImagesHaveTheChosenEncoding(
    encoding: ImageEncoding,
    style: Style,
    format: ImageFormat
  ) async throws {
    let transport = FakeTransport(body: older)
    let first = try await load(style, .processed(as: encoding), transport)
    let cache = try DiskCache(directory: folder.path)
    let key = try #require(try keys().first)
    let file = try #require(try cache.body(for: key))
    #expect(try CodecList.standard.probe(file.span).format == format)
    let second = try await load(style, .processed(as: encoding), transport)
    #expect(second.response.source == .disk)
    #expect(second.response.image.size == first.response.image.size)
    #expect(second.response.image.format == first.response.image.format)
  }

  @Test func anImageTooLargeForTheFormatIsPNG() throws {
    let image = try TestImages.gradient(width: 16_384, height: 1)
    let file = try DiskOptions.Contents.both(as: .webpLossless).encoded(image)
    #expect(try CodecList.standard.probe(file.span).format == .png)
  }

  @Test func automaticKeepsTheFileOfAnImageInItsOwnSize() async throws {
    _ = try await load(.original, .automatic, FakeTransport(body: older))
    #expect(try keys() == ["\(SourceKey("http://a.test/a.png"))"])
  }

  @Test func automaticKeepsNoFileThatAValidationBrings() async throws {
    let fields = ["Cache-Control": "max-age=60"]
    let pipeline = pipeline(
      .automatic,
      ScriptedOrigin([.ok(older, fields), .ok(newer, fields)])
    )
    _ = try await pipeline.image(for: request(.circle(6)))
    try await pipeline.validate(request(.circle(6)), Subscription(.low))
    await pipeline.finishWriting()
    #expect(try keys().allSatisfy { $0.hasPrefix("styled ") })
  }

  @Test(arguments: [Style.circle(6), .fit(width: 7, height: 5), .rectangle(width: 9, height: 4)])
  func aLaterRunNeitherDownloadsNorStylesAgain(style: Style) async throws {
    let transport = FakeTransport(body: older)
    let first = try await load(style, .processed, transport)
    let second = try await load(style, .processed, transport)
    #expect(second.response.source == .disk)
    #expect(second.response.image.size == first.response.image.size)
    #expect(second.response.image.format.hasAlpha == first.response.image.format.hasAlpha)
    #expect(pixels(second.response.image) == pixels(first.response.image))
    #expect(second.statistics.stylings == 0)
    #expect(second.statistics.downloads == 0)
    #expect(transport.urls.count == 1)
  }

  private func pixels(_ image: Bitmap) -> [[UInt8]] {
    image.withBytes { bytes in
      (0..<image.height).map { y in
        (0..<(image.width * image.format.bytesPerPixel)).map { bytes[y * image.bytesPerRow + $0] }
      }
    }
  }

  @Test func anImageThatATableHasIsNotOnTheDiskToo() async throws {
    let transport = FakeTransport(body: older)
    _ = try await load(.circle(6), .processed, transport, tables: true)
    #expect(try keys().isEmpty)
    let second = try await load(.circle(6), .processed, transport, tables: true)
    #expect(second.response.source == .table)
    // A style of no fixed size has no table.
    _ = try await load(.fit(width: 7, height: 7), .processed, transport, tables: true)
    #expect(try keys().count == 1)
  }

  @Test func anotherStyleOfAFileThatWasNotKeptIsDownloaded() async throws {
    let transport = FakeTransport(body: older)
    _ = try await load(.circle(6), .processed, transport)
    #expect(try await load(.circle(8), .processed, transport).response.source == .network)
    #expect(transport.urls.count == 2)
  }

  @Test func aFileThatChangedReplacesWhatWasMadeOfIt() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""]),
      .ok(newer, ["Cache-Control": "max-age=60", "ETag": "\"2\""]),
    ])
    _ = try await load(.fit(width: 40, height: 40), .processed, origin)
    clock.advance(by: .seconds(61))
    let second = try await load(.fit(width: 40, height: 40), .processed, origin)
    #expect(second.response.image.height == 20)
    #expect(origin.header("if-none-match", of: 1) == "\"1\"")
    let third = try await load(.fit(width: 40, height: 40), .processed, origin)
    #expect(third.response.source == .disk)
    #expect(third.response.image.height == 20)
    #expect(origin.requests.count == 2)
  }

  @Test func whatTheOriginConfirmsIsUsedOn() async throws {
    let origin = ScriptedOrigin([
      .ok(older, ["Cache-Control": "max-age=60", "ETag": "\"1\""]), .status(304),
    ])
    _ = try await load(.circle(6), .processed, origin)
    clock.advance(by: .seconds(61))
    let second = try await load(.circle(6), .processed, origin)
    #expect(second.response.source == .disk)
    #expect(second.statistics.confirmations == 1)
    #expect(try await load(.circle(6), .processed, origin).response.source == .disk)
  }

  @Test func whatWasMadeOfAnotherDownloadIsNotUsed() async throws {
    let origin = ScriptedOrigin([.ok(older), .ok(newer)])
    _ = try await load(.fit(width: 40, height: 40), .processed, origin)
    // Another process replaced the file, and has not styled it yet.
    let other = pipeline(.originals, origin)
    var again = request(.original)
    again.caching.policy = .reload
    _ = try await other.image(for: again)
    await other.finishWriting()
    let second = try await load(.fit(width: 40, height: 40), .processed, origin)
    #expect(second.response.image.height == 20)
  }

  @Test func aDamagedImageIsMadeAgain() async throws {
    let transport = FakeTransport(body: older)
    _ = try await load(.circle(6), .both, transport)
    let cache = try DiskCache(directory: folder.path)
    let key = try #require(try cache.keys().first { $0.hasPrefix("styled ") })
    let entry = try #require(try cache.entry(for: key))
    try cache.store(Array(entry.body.prefix(40)), extended: entry.extended, for: key)
    let second = try await load(.circle(6), .both, transport)
    #expect(second.response.source == .disk)
    #expect(second.statistics.stylings == 1)
    #expect(try await load(.circle(6), .both, transport).statistics.stylings == 0)
  }

  @Test func anAnimationsFileIsKept() async throws {
    let transport = FakeTransport(body: try Fixtures.bytes("animation-3-frames.gif"))
    _ = try await load(.circle(6), .processed, transport)
    #expect(try keys() == ["\(SourceKey("http://a.test/a.png"))"])
  }

  @Test func whatIsFetchedForTheDiskIsKeptWhateverThePolicy() async throws {
    let transport = FakeTransport(body: older)
    let pipeline = pipeline(.processed, transport)
    _ = try await pipeline.fetchToDisk(request(.circle(6)))
    await pipeline.finishWriting()
    #expect(try keys() == ["\(SourceKey("http://a.test/a.png"))"])
  }

  @Test func onlyTheCacheIsAskedWhenOffline() async throws {
    let transport = FakeTransport(body: older)
    _ = try await load(.circle(6), .processed, transport)
    var offline = request(.circle(6))
    offline.caching.policy = .onlyCached
    let pipeline = pipeline(.processed, transport)
    #expect(try await pipeline.response(for: offline).source == .disk)
    #expect(transport.urls.count == 1)
  }

  @Test func theOtherOptionsReachTheCache() async throws {
    let key = EncryptionKey.random()
    var options = PipelineOptions(
      memory: .steady,
      disk: DiskOptions(directory: folder.path, maximumCount: 1, encryptionKey: key)
    )
    options.memory.limit = .bytes(0)
    let pipeline = ImagePipeline(options: options, transport: FakeTransport(body: older))
    for name in ["a", "b"] {
      _ = try await pipeline.image(
        for: ImageRequest(location: "http://a.test/\(name)", style: .original)
      )
    }
    await pipeline.finishWriting()
    let cache = try DiskCache(
      directory: folder.path,
      options: DiskCacheOptions(encryptionKey: key)
    )
    #expect(try cache.keys() == ["\(SourceKey("http://a.test/b"))"])
    #expect(try DiskCache(directory: folder.path).keys().isEmpty)
    #expect(!Files.exists(folder.path + "/partial"))
  }

  @Test func anotherStylesNewerFileReplacesWhatWasMadeOfTheOlder() async throws {
    for tables in [false, true] {
      let origin = ScriptedOrigin([
        .ok(older, ["Cache-Control": "max-age=60"]), .ok(newer, ["Cache-Control": "max-age=60"]),
      ])
      let first = Style.fill(width: 40, height: 10)
      _ = try await load(first, .processed, origin, tables: tables)
      _ = try await load(.fit(width: 40, height: 40), .processed, origin, tables: tables)
      let again = try await load(first, .processed, origin, tables: tables).response
      #expect(again.source == .network)
      #expect(origin.requests.count == 3)
      try Files.removeTree(folder.path)
    }
  }

  @Test func theSameFileForAnotherStyleLeavesTheFirstValid() async throws {
    let transport = FakeTransport(body: older)
    for style in [Style.circle(6), .circle(8)] { _ = try await load(style, .processed, transport) }
    for style in [Style.circle(6), .circle(8)] {
      #expect(try await load(style, .processed, transport).response.source == .disk)
    }
    #expect(transport.urls.count == 2)
  }

  @Test func theSameFileOnceMoreLeavesWhatWasMadeOfItValid() async throws {
    let fields = ["Cache-Control": "max-age=60"]
    let origin = ScriptedOrigin([.ok(older, fields), .ok(older, fields)])
    _ = try await load(.circle(6), .both, origin)
    clock.advance(by: .seconds(61))
    for _ in 0..<2 {
      let again = try await load(.circle(6), .both, origin)
      #expect(again.response.source == .disk)
      #expect(again.statistics.stylings == 0)
    }
    #expect(origin.requests.count == 2)
  }

  @Test func aNewerFileIsNotDrawnFromTheOlderOnesDecode() async throws {
    let fields = ["Cache-Control": "max-age=60"]
    let origin = ScriptedOrigin([.ok(older, fields), .ok(newer, fields)])
    // Two styles that need the same pixels.
    let (first, second) = (Style.rectangle(width: 6, height: 6), Style.circle(6))
    _ = try await load(second, .both, origin)
    let pipeline = pipeline(.both, origin)
    let made = try await pipeline.image(for: request(first))
    clock.advance(by: .seconds(61))
    let newest = try await pipeline.image(for: request(second))
    #expect(pipeline.statistics.decodes >= 2)
    #expect(origin.requests.count == 2)
    let expected = ImagePipeline(options: .steady, transport: FakeTransport(body: newer))
    #expect(try await pixels(expected.image(for: request(second))) == pixels(newest))
    #expect(pixels(made) != pixels(try await pipeline.image(for: request(first))))
  }

  @Test func aStaleDecodeIsAskedForBeforeAnotherStyleIsMadeOfIt() async throws {
    let fields = ["Cache-Control": "max-age=60"]
    let origin = ScriptedOrigin([.ok(older, fields), .ok(newer, fields)])
    let pipeline = pipeline(.originals, origin)
    _ = try await pipeline.image(for: request(.rectangle(width: 6, height: 6)))
    clock.advance(by: .seconds(61))
    _ = try await pipeline.image(for: request(.circle(6)))
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: [DiskOptions.Contents.automatic, .automatic(as: .jpeg(quality: 80))])
  func theFileOfAPictureOpenedAfterItsThumbnailIsKept(
    contents: DiskOptions.Contents
  ) async throws {
    let transport = FakeTransport(body: older)
    let pipeline = pipeline(contents, transport)
    _ = try await pipeline.image(for: request(.fit(width: 5, height: 5)))
    await pipeline.finishWriting()
    #expect(try keys().allSatisfy { $0.hasPrefix("styled ") })
    _ = try await pipeline.image(for: request(.original))
    await pipeline.finishWriting()
    #expect(try keys().contains("\(SourceKey("http://a.test/a.png"))"))
    #expect(transport.urls.count == 1)
  }

  @Test func whatMemoryHasIsFetchedForTheDiskToo() async throws {
    let pipeline = pipeline(.originals, FakeTransport(body: older))
    var passing = request(.circle(6))
    passing.caching.stores = .memory
    _ = try await pipeline.image(for: passing)
    _ = try await pipeline.fetchToDisk(request(.circle(6)))
    await pipeline.finishWriting()
    #expect(try keys() == ["\(SourceKey("http://a.test/a.png"))"])
  }
}
