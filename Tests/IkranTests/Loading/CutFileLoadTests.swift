import FoundationEssentials
import IkranCodecs
import IkranPixels
import IkranStores
import IkranTesting
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What becomes of files that are cut off, and of pictures over the limit, on their way through a
/// pipeline.
@Suite(.timeLimit(.minutes(10))) struct CutFileLoadTests {
  private static let file = JPEGSample(width: 120, height: 96, sampling: .quarter).bytes()
  private static let cut = Array(file.prefix(file.count * 6 / 10))

  private func request(_ style: Style = .original) -> ImageRequest {
    ImageRequest(location: "http://example.test/a.jpg", style: style)
  }

  private func options(_ accepts: Bool = true) -> PipelineOptions {
    var options = PipelineOptions.steady
    options.decoding.acceptsCutFiles = accepts
    return options
  }

  /// An origin whose bodies stay fresh.
  private func transport(_ body: [UInt8]) -> FakeTransport {
    FakeTransport { (request, _) throws(TransportError) in
      TransportResponse(status: 200, headers: .fresh, body: body, url: request.url)
    }
  }

  private func isCut(_ response: ImageResponse) -> Bool {
    response.notes.contains { if case .cut = $0 { true } else { false } }
  }

  @Test func withoutTheOptionACutFileIsAnError() async {
    let pipeline = ImagePipeline(options: options(false), transport: transport(Self.cut))
    await #expect(throws: ImageError.self) { try await pipeline.response(for: request()) }
  }

  @Test func aCutFileShowsItsRowsAndSaysSo() async throws {
    let pipeline = ImagePipeline(options: options(), transport: transport(Self.cut))
    let response = try await pipeline.response(for: request())
    #expect(response.image.size == PixelSize(width: 120, height: 96))
    guard case .cut(let rows, let height)? = response.notes.first else {
      Issue.record("\(response.notes)")
      return
    }
    #expect((1..<96).contains(rows) && height == 96)
    let pixels = try response.image.straightRGBA()
    #expect(pixels[3] == 255 && pixels[pixels.count - 1] == 0)
  }

  @Test(arguments: [Style.original, .circle(24), .rectangle(width: 20, height: 20)])
  func noCacheKeepsACutFile(_ style: Style) async throws {
    let (origin, disk) = (transport(Self.cut), FakeDisk())
    let folder = try TemporaryDirectory()
    var options = options()
    options.tables = TableOptions(directory: folder.path)
    let pipeline = ImagePipeline(options: options, transport: origin, diskCache: disk)
    for count in 1...2 {
      let response = try await pipeline.response(for: request(style))
      #expect(response.source == .network && isCut(response))
      #expect(origin.urls.count == count)
      await pipeline.finishWriting()
    }
    #expect(disk.keys.isEmpty)
    var cached = request(style)
    cached.caching.policy = .onlyCached
    await #expect(throws: ImageError.self) { try await pipeline.image(for: cached) }
  }

  @Test func aWholeFileTakesItsPlaceAndIsKept() async throws {
    let body = Guarded(Self.cut)
    let origin = FakeTransport { (request, _) throws(TransportError) in
      TransportResponse(status: 200, headers: .fresh, body: body.withLock { $0 }, url: request.url)
    }
    let pipeline = ImagePipeline(options: options(), transport: origin)
    #expect(isCut(try await pipeline.response(for: request())))
    body.withLock { $0 = Self.file }
    #expect(!isCut(try await pipeline.response(for: request())))
    #expect(try await pipeline.response(for: request()).source == .memory)
    #expect(origin.urls.count == 2)
  }

  @Test func theWholeFileThatACacheHasStays() async throws {
    let body = Guarded(Self.file)
    let origin = FakeTransport { (request, _) throws(TransportError) in
      TransportResponse(status: 200, headers: .fresh, body: body.withLock { $0 }, url: request.url)
    }
    let disk = FakeDisk()
    let pipeline = ImagePipeline(options: options(), transport: origin, diskCache: disk)
    _ = try await pipeline.response(for: request())
    body.withLock { $0 = Self.cut }
    var reload = request()
    reload.caching.policy = .reload
    #expect(isCut(try await pipeline.response(for: reload)))
    await pipeline.finishWriting()
    let response = try await pipeline.response(for: request())
    #expect(response.source == .memory && !isCut(response))
  }

  @Test func aCopyThatIsCutOffIsLoadedAgain() async throws {
    let (origin, disk) = (transport(Self.cut), FakeDisk())
    let first = ImagePipeline(options: options(), transport: origin, diskCache: disk)
    // Bytes are not looked at.
    _ = try await first.data(for: request())
    await first.finishWriting()
    try #require(!disk.keys.isEmpty)
    let whole = transport(Self.file)
    let second = ImagePipeline(options: options(), transport: whole, diskCache: disk)
    let response = try await second.response(for: request())
    #expect(!isCut(response) && whole.urls.count == 1)
  }

  @Test func anAvatarTakesWholeFilesOnly() async throws {
    let pod = AvatarPod(ImagePipeline(options: options(), transport: transport(Self.cut)))
    let avatar = TestAvatar(url: URL(string: "http://example.test/a.jpg"))
    await #expect(throws: ImageError.self) { try await pod.image(for: avatar) }
  }

  @Test func aFileOnTheComputerIsLookedAtAgain() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/a.jpg"
    try Data(Self.cut).write(to: URL(filePath: path))
    let pipeline = ImagePipeline(options: options(), transport: SchemeTransport())
    let request = ImageRequest(location: "file://" + path, style: .original)
    #expect(isCut(try await pipeline.response(for: request)))
    try Data(Self.file).write(to: URL(filePath: path))
    #expect(!isCut(try await pipeline.response(for: request)))
  }

  // MARK: - Animations

  private static let movies = [
    "animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp",
  ]

  /// The longest beginning of a file that is cut off after `count` frames.
  private func beginning(of name: String, frames count: Int) throws -> [UInt8] {
    let file = try Fixtures.bytes(name)
    for length in file.indices.reversed() {
      let part = Array(file[..<length])
      guard let info = try? CodecList.standard.frames(of: part)?.info else { continue }
      if info.frames.count == count, case .broken(.truncated) = info.end { return part }
    }
    throw NoSuchBeginning()
  }

  private struct NoSuchBeginning: Error {}

  @Test(arguments: movies) func aCutAnimationPlaysWhatItHasAndIsKeptNowhere(
    _ name: String
  ) async throws {
    let origin = transport(try beginning(of: name, frames: 2))
    let disk = FakeDisk()
    let pipeline = ImagePipeline(options: options(false), transport: origin, diskCache: disk)
    for count in 1...2 {
      let response = try await pipeline.response(for: request())
      #expect(response.notes == [.framesMissing(after: 2, isCut: true)])
      #expect(response.frames == 2 && response.animation?.info.frames.count == 2)
      #expect(response.source == .network && origin.urls.count == count)
      await pipeline.finishWriting()
    }
    #expect(disk.keys.isEmpty)
  }

  @Test(arguments: movies) func aCutAnimationOfOneFrameSaysThatOthersAreMissing(
    _ name: String
  ) async throws {
    let cut = try beginning(of: name, frames: 1)
    let pipeline = ImagePipeline(options: options(false), transport: transport(cut))
    let response = try await pipeline.response(for: request())
    #expect(response.notes == [.framesMissing(after: 1, isCut: true)])
    #expect(response.frames == 1 && response.animation == nil)
  }

  @Test func aDamagedAnimationSaysSoAndIsKept() async throws {
    var file = try Fixtures.bytes("animation-3-frames.png")
    // The number of the last frame's control chunk.
    let controls = file.indices.dropLast(4).filter { file[$0..<$0 + 4].elementsEqual("fcTL".utf8) }
    file[try #require(controls.last) + 7] ^= 0x55
    let pipeline = ImagePipeline(options: options(false), transport: transport(file))
    let response = try await pipeline.response(for: request())
    #expect(response.notes == [.framesMissing(after: 2, isCut: false)])
    let again = try await pipeline.response(for: request())
    #expect(again.source == .memory && again.notes == response.notes)
  }

  @Test func anAvatarTakesWholeAnimationsOnly() async throws {
    let cut = transport(try beginning(of: Self.movies[0], frames: 2))
    let pod = AvatarPod(ImagePipeline(options: options(), transport: cut))
    let avatar = TestAvatar(url: URL(string: "http://example.test/a.gif"))
    await #expect(throws: ImageError.self) { try await pod.image(for: avatar) }
  }

  // MARK: - Over the limit

  @Test func aPictureOverTheLimitIsScaledDownAndSaysSo() async throws {
    var options = PipelineOptions.steady
    options.decoding.limits.maximumPixels = 5_000
    let plain = ImagePipeline(options: options, transport: transport(Self.file))
    await #expect(throws: ImageError.self) { try await plain.response(for: request()) }
    options.decoding.scalesDownOverLimit = true
    let disk = FakeDisk()
    options.disk = DiskOptions(directory: "/nowhere", contents: .processed)
    let pipeline = ImagePipeline(
      options: options,
      transport: transport(Self.file),
      diskCache: disk
    )
    let response = try await pipeline.response(for: request())
    #expect(response.image.size == PixelSize(width: 79, height: 63))
    #expect(response.notes == [.scaledDown(from: PixelSize(width: 120, height: 96))])
    let again = try await pipeline.response(for: request())
    #expect(again.source == .memory && again.notes == response.notes && again.key == response.key)
    await pipeline.finishWriting()
    #expect(disk.keys.allSatisfy { !$0.hasPrefix("styled") })
    let full = ImagePipeline(options: .steady, transport: transport(Self.file))
    #expect(try await full.response(for: request()).key != response.key)
  }

  @Test func aThumbnailOfAPictureOverTheLimitIsItself() async throws {
    var options = PipelineOptions.steady
    options.decoding.limits.maximumPixels = 5_000
    let pipeline = ImagePipeline(options: options, transport: transport(Self.file))
    let response = try await pipeline.response(for: request(.rectangle(width: 40, height: 40)))
    #expect(response.image.size == PixelSize(width: 40, height: 40) && response.notes.isEmpty)
  }
}
