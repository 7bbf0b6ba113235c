import Support
import Testing

@testable import Ikran

/// Filters of requests and styles through the pipeline.
@Suite(.timeLimit(.minutes(10)))
struct FilteredImageTests {
  private let chain: [Filter] = [.grayed(), .blur(radius: 2)]

  private func request(_ style: Style, _ filters: [Filter]) -> ImageRequest {
    var request = ImageRequest(location: "http://example.test/a.png", style: style)
    request.filters = filters
    return request
  }

  private func pipeline(folder: String? = nil) throws -> ImagePipeline {
    let body = try TestImages.png(width: 64, height: 48)
    return .deterministic(transport: FakeTransport(body: body), folder: folder)
  }

  private func bytes(_ image: Bitmap) throws -> [UInt8] { try image.straightRGBA() }

  @Test func filtersRunBetweenTheResizeAndTheEdges() async throws {
    let image = try await pipeline().image(for: request(.circle(32), chain))
    let square = try TestImages.gradient(width: 64, height: 48)
      .styled(.rectangle(width: 32, height: 32))
    let expected = try square.filtered(chain).rounded(radius: 16)
    #expect(try bytes(image) == bytes(expected))
  }

  @Test func theFiltersOfAStyleComeBeforeThoseOfTheRequest() async throws {
    let one = request(Style.circle(32).filtered([.grayed()]), [.blur(radius: 2)])
    let other = request(.circle(32), chain)
    let pipeline = try pipeline()
    let first = try await pipeline.response(for: one)
    let second = try await pipeline.response(for: other)
    #expect(first.key == second.key)
    #expect(second.source == .memory)
  }

  @Test func theOrderOfAChainDecides() async throws {
    let pipeline = try pipeline()
    let one = try await pipeline.response(for: request(.circle(32), chain))
    let other = try await pipeline.response(for: request(.circle(32), chain.reversed()))
    #expect(one.key != other.key)
    let plain = try await pipeline.response(for: request(.circle(32), []))
    #expect(plain.key != one.key)
    #expect(pipeline.statistics.downloads == 1)
  }

  @Test func aFilteredImageIsFoundInItsTable() async throws {
    let folder = try TemporaryDirectory()
    let request = request(.circle(32), chain)
    let first = try pipeline(folder: folder.path)
    let made = try await first.response(for: request)
    await first.finishWriting()
    let second = try pipeline(folder: folder.path)
    let found = try await second.response(for: request)
    #expect(found.source == .table)
    #expect(try bytes(found.image) == bytes(made.image))
    #expect(second.statistics.stylings == 0)
  }

  @Test func filtersWithoutAStyleAreNotTheOriginal() async throws {
    let pipeline = try pipeline()
    let image = try await pipeline.image(for: request(.original, [.channels(.invert)]))
    let original = try await pipeline.image(for: request(.original, []))
    #expect(try bytes(image) != bytes(original))
    #expect(try bytes(image.filtered([.channels(.invert)])) == bytes(original))
  }

  @Test func aParameterThatIsNoNumberFailsBeforeTheDownload() async throws {
    let transport = FakeTransport(body: [])
    let pipeline = ImagePipeline.deterministic(transport: transport)
    let request = request(.circle(32), [.blur(radius: .nan)])
    await #expect(
      throws: ImageError.style(.filter(.notFinite(filter: "blur", parameter: "radius")))
    ) { try await pipeline.image(for: request) }
    #expect(transport.urls.isEmpty)
  }

  @Test func whatAFilterOfOnesOwnThrowsIsReported() async throws {
    struct Broken: CustomFilter {
      struct Failure: Error {}
      let name = "broken"
      func apply(to picture: Bitmap, scale: Double) throws -> Bitmap { throw Failure() }
    }
    let pipeline = try pipeline()
    await #expect(
      throws: ImageError.style(.filter(.failed(name: "broken", reason: "Failure()")))
    ) { try await pipeline.image(for: request(.circle(32), [.custom(Broken())])) }
  }

  @Test func lengthsGrowWithTheScale() async throws {
    var request = request(.rectangle(width: 16, height: 16), [.blur(radius: 2)])
    request.scale = 2
    let image = try await pipeline().image(for: request)
    let sized = try TestImages.gradient(width: 64, height: 48)
      .styled(.rectangle(width: 32, height: 32))
    #expect(try bytes(image) == bytes(sized.filtered([.blur(radius: 4)])))
  }

  @Test(arguments: ["gif", "png", "webp"]) func everyFrameIsFiltered(format: String) async throws {
    let body = try Fixtures.bytes("animation-3-frames.\(format)")
    let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: body))
    let style = Style.rectangle(width: 16, height: 16)
    let plain = try #require(try await pipeline.response(for: request(style, [])).animation)
    let response = try await pipeline.response(for: request(style, chain))
    let filtered = try #require(response.animation)
    for frame in 0..<3 {
      let expected = try await plain.decodedFrame(at: frame).filtered(chain)
      #expect(try await bytes(filtered.decodedFrame(at: frame)) == bytes(expected))
    }
    #expect(try await bytes(filtered.decodedFrame(at: 0)) == bytes(response.image))
  }
}
