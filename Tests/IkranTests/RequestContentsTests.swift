import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What a request wants the disk to keep of it, in place of what the pipeline says.
@Suite(.timeLimit(.minutes(10)))
struct RequestContentsTests {
  private let folder: TemporaryDirectory
  private let older: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    older = try TestImages.png(width: 12, height: 12)
  }

  private func pipeline(
    _ contents: DiskOptions.Contents,
    _ origin: any Transport
  ) -> ImagePipeline {
    let disk = DiskOptions(directory: folder.path, contents: contents)
    let options = PipelineOptions(memory: .steady, disk: disk, tables: nil)
    return ImagePipeline(options: options, transport: origin)
  }

  private func request(_ style: Style) -> ImageRequest {
    ImageRequest(location: "http://a.test/a.png", style: style)
  }

  private func keys() throws -> [String] {
    let cache = try DiskCache(directory: folder.path)
    return try cache.keys().filter { try cache.body(for: $0)?.isEmpty == false }
  }

  @Test(arguments: [DiskOptions.Contents.originals, .processed(as: .webpLossless), .both])
  func aRequestMayChooseWhatTheDiskKeepsOfIt(contents: DiskOptions.Contents) async throws {
    let pipeline = pipeline(.automatic, FakeTransport(body: older))
    var request = request(.rectangle(width: 9, height: 4))
    request.caching.contents = contents
    _ = try await pipeline.image(for: request)
    await pipeline.finishWriting()
    let cache = try DiskCache(directory: folder.path)
    let styled = try keys().filter { $0.hasPrefix("styled ") }
    #expect(styled.count == (contents == .originals ? 0 : 1))
    #expect(try keys().count - styled.count == (contents.choice == .processed ? 0 : 1))
    if let key = styled.first, let file = try cache.body(for: key) {
      #expect(try CodecList.standard.probe(file.span).format == contents.encoding.format)
    }
  }

  @Test func whatOneRequestEncodesWithLossIsNotForOthers() async throws {
    let transport = FakeTransport(body: older)
    var lossy = request(.rectangle(width: 9, height: 4))
    lossy.caching.contents = .processed(as: .jpeg(quality: 1))
    var first = pipeline(.both, transport)
    let exact = try await first.image(for: request(lossy.style))
    await first.finishWriting()
    first = pipeline(.both, transport)
    #expect(try await first.response(for: lossy).source != .memory)
    await first.finishWriting()
    let later = pipeline(.both, transport)
    #expect(try await later.image(for: request(lossy.style)).straightRGBA() == exact.straightRGBA())
  }

  @Test func aRequestLooksForItsStyledImageWhereItWouldKeepOne() async throws {
    let transport = FakeTransport(body: older)
    var request = request(.circle(6))
    request.caching.contents = .processed
    for source in [ImageSource.network, .disk] {
      let pipeline = pipeline(.originals, transport)
      #expect(try await pipeline.response(for: request).source == source)
      await pipeline.finishWriting()
    }
    request.caching.contents = nil
    let pipeline = pipeline(.originals, transport)
    #expect(try await pipeline.response(for: request).source == .network)
  }

  @Test func ofRequestsThatShareAnImageTheOneThatWantsItOnTheDiskChoosesItsEncoding() async throws {
    let (latch, file) = (Latch(), older)
    let origin = FakeTransport { (request, _) throws(TransportError) in
      _ = await latch.wait()
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
    let pipeline = pipeline(.originals, origin)
    let loads = [nil, DiskOptions.Contents.both(as: .webpLossless)].map { contents in
      var request = request(.rectangle(width: 9, height: 4))
      request.caching.contents = contents
      return Task { [request] in try await pipeline.image(for: request) }
    }
    try await until { pipeline.activity.requests == 2 }
    latch.open()
    for load in loads { _ = try await load.value }
    await pipeline.finishWriting()
    #expect(origin.requests.count == 1)
    let key = try #require(try keys().first { $0.hasPrefix("styled ") })
    let written = try #require(try DiskCache(directory: folder.path).body(for: key))
    #expect(try CodecList.standard.probe(written.span).format == .webp)
  }
}
