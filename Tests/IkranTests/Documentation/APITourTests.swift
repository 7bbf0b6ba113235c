import FoundationEssentials
import Ikran
import IkranTransport
import Support
import Testing

// The code of the article; `ArticleTests` checks that none of it is missing here.

private struct Member: Sendable {
  let id: String
  let avatarURL: URL?
  let initials: Bitmap?
}

private struct Database {
  func avatar(_ id: String, _ style: String) async throws -> Bitmap? { nil }
  func store(_ image: Bitmap, _ id: String, _ style: String) async throws {}
}

private struct Originals {
  func original(_ id: String) async throws -> Data? { nil }
  func store(_ file: Data, _ id: String) async throws {}
}

private let database = Database()
private let files = Originals()

private struct MemberAvatar: Avatar {
  let member: Member
  let style: Style
  var url: URL? { member.avatarURL }
  var placeholder: Bitmap? { member.initials }
  func localStyled() async throws -> Bitmap? { try await database.avatar(member.id, style.key) }
  func localOriginal() async throws -> Data? { try await files.original(member.id) }
  func save(original: Data, styled: Bitmap) async throws {
    try await files.store(original, member.id)
    try await database.store(styled, member.id, style.key)
  }
}

private struct BundledImages: Transport {
  let files: [String: [UInt8]]
  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    guard let body = files[request.url] else { throw .invalidURL("no image called \(request.url)") }
    return TransportResponse(status: 200, body: body, url: request.url)
  }
}

/// Stands for the codec of a format that no other reads: a byte is a black pixel.
private struct FarbfeldCodec: Codec {
  let format = ImageFormat.png

  func recognizes(_ prefix: Span<UInt8>) -> Bool { prefix.count == 1 }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    ImageInfo(format: format, size: PixelSize(width: 1, height: 1))
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    do throws(BitmapError) {
      let canvas = try Canvas(size: PixelSize(width: 1, height: 1), format: .bgrx)
      return DecodedPicture(bitmap: canvas.finish())
    } catch {
      throw .bitmap(error)
    }
  }
}

// Decision 34: where the API is not as it was planned.
@Suite(.timeLimit(.minutes(10)))
struct APITourTests {
  private let url: URL
  private let request: ImageRequest
  private let png: [UInt8]
  private let pipeline: ImagePipeline
  private let said = Recorder<String>()
  private let shown = Recorder<Bitmap>()

  init() throws {
    url = try #require(URL(string: "http://example.test/face.png"))
    request = ImageRequest(url)
    png = try TestImages.png(width: 64, height: 64)
    pipeline = .deterministic(transport: FakeTransport(body: png))
  }

  private func say(_ text: String) { said.add(text) }
  private func show(_ image: Bitmap) { shown.add(image) }
  private func show(_ image: Bitmap, from source: ImageSource) { shown.add(image) }
  private func log(_ times: Duration?...) {}
  private func show(_ received: Int, of expected: Int?) {}

  /// Compiled only: the shared pipeline is the user's.
  private func loadWithTheSharedPipeline() async throws -> [Bitmap] {
    let image = try await ImagePipeline.shared.image(from: url)
    let face = try await ImagePipeline.shared.image(from: url, style: .circle(48))
    return [image, face]
  }

  @Test func aRequest() async throws {
    var request = ImageRequest(url)
    request.style = .rounded(
      width: 96,
      height: 96,
      cornerRadius: 12,
      border: .init(2, color: .white)
    )
    request.scale = 2
    request.priority = .high
    let response = try await pipeline.response(for: request)
    show(response.image, from: response.source)
    log(response.metrics.total, response.metrics.decode, response.metrics.transfer?.firstByte)
    if let hit = pipeline.cached(for: request) { show(hit) }
    #expect(shown.items.map(\.width) == [192, 192])
  }

  @Test func events() async throws {
    for await event in pipeline.events(for: request) {
      switch event {
      case .progress(let progress): show(progress.received, of: progress.expected)
      case .finished(let response), .cached(let response): show(response.image)
      case .preview, .unchanged: break
      case .failed(let error): say("\(error)")
      @unknown default: break
      }
    }
    #expect(shown.items.map(\.width) == [64])
    #expect(said.items.isEmpty)
  }

  @Test func aPipelineOfYourOwn() throws {
    struct Metrics: Sendable { func record(_ event: PipelineEvent) {} }
    let directory = try TemporaryDirectory()
    let (caches, metrics) = (directory.path, Metrics())
    let pipeline = ImagePipeline(
      options: .init(
        memory: .init(limit: .bytes(256 << 20)),
        disk: .init(directory: caches, limit: .bytes(1 << 30), maximumAge: .days(7)),
        tables: .init(limit: .bytes(512 << 20)),
        network: .init(
          maximumConcurrent: 6,
          timeout: .seconds(15),
          retry: .exponential(maximum: 3)
        ),
        decoding: .init(maximumPixels: 100_000_000)
      ),
      transport: CurlTransport(),
      onEvent: { event in metrics.record(event) }
    )
    #expect(pipeline.cached(for: request) == nil)
  }

  /// Compiled only: the shared pod is the user's.
  private func wakeWithTheSharedPod(_ ana: Member) async throws -> Bitmap {
    let avatar = MemberAvatar(member: ana, style: .circle(48))
    for await step in AvatarPod.shared.wake(avatar) {
      switch step {
      case .placeholder(let image), .finished(let image, _): show(image)
      case .failed(let error): say("\(error)")
      }
    }
    let image = try await AvatarPod.shared.image(for: avatar)
    return image
  }

  @Test func avatars() async throws {
    let initials = try TestImages.gradient(width: 48, height: 48)
    let ana = Member(id: "ana", avatarURL: url, initials: initials)
    for await step in AvatarPod(pipeline).wake(MemberAvatar(member: ana, style: .circle(48))) {
      switch step {
      case .placeholder(let image), .finished(let image, _): show(image)
      case .failed(let error): say("\(error)")
      }
    }
    #expect(shown.items.map(\.format) == [.bgrx, .bgra])
    #expect(said.items.isEmpty)
  }

  @Test func tables() throws {
    let directory = try TemporaryDirectory()
    let (folder, photo) = (directory.path, try TestImages.gradient(width: 64, height: 48))
    let (id, photoVersion) = (TableID("ana"), TableID("1"))
    let format = TableFormat(
      "member-small",
      size: .init(width: 50, height: 50),
      pixels: .bgr,
      family: "member",
      maximumCount: 250
    )
    let table = try ImageTable(at: folder, format: format)
    try table.put(id, version: photoVersion) { canvas in try canvas.draw(photo, fitting: .fill) }
    if let image = table.get(id, version: photoVersion) { show(image) }
    #expect(shown.items.map(\.size) == [PixelSize(width: 50, height: 50)])
  }

  @Test func lists() {
    let urls = [url]
    let prefetcher = Prefetcher(pipeline)
    prefetcher.start(urls.map { ImageRequest($0, style: .circle(48)) })
    prefetcher.cancelAll()
  }

  @Test func partsOfYourOwn() async throws {
    @Sendable func inverted(_ image: Bitmap) throws -> Bitmap { image }
    let memoryCache = MemoryCache<StyledKey, CachedImage>(byteLimit: 1 << 20)
    let diskCache = FakeDisk()
    var codecs = CodecList.standard
    codecs.codecs.append(FarbfeldCodec())
    let negative = Style.freeform(name: "negative", version: 1) { image in try inverted(image) }
    let pipeline = ImagePipeline(codecs: codecs, memoryCache: memoryCache, diskCache: diskCache)
    let request = ImageRequest(data: [7], id: "one", style: negative)
    #expect(try await pipeline.image(for: request).width == 1)
  }

  @Test func aSourceOfBytesOfYourOwn() async throws {
    let bundled = BundledImages(files: [url.absoluteString: png])
    #expect(try await ImagePipeline.deterministic(transport: bundled).image(from: url).width == 64)
  }

  @Test func aSchemeOfYourOwn() async throws {
    let address = try #require(URL(string: "bundle:face.png"))
    var transport = SchemeTransport()
    transport.register(BundledImages(files: ["bundle:face.png": png]), for: "bundle")
    let pipeline = ImagePipeline.deterministic(transport: transport)
    #expect(try await pipeline.image(from: address).width == 64)
    #expect(try await pipeline.response(for: ImageRequest(address)).source == .memory)
    let none = try #require(URL(string: "bundle:none.png"))
    await #expect(throws: ImageError.self) { try await pipeline.image(from: none) }
  }

  @Test(arguments: [
    (FakeResponse.status(404), ["There is no image at http://example.test/face.png."]),
    (.failure(.hostNotFound("example.test")), ["You are offline."]),
    (.failure(.cancelled), []),
  ])
  func errors(_ response: FakeResponse, text: [String]) async {
    let transport = FakeTransport()
    transport.respond(with: response)
    let pipeline = ImagePipeline.deterministic(transport: transport)
    do throws(ImageError) {
      show(try await pipeline.image(for: request))
    } catch {
      switch error {
      case .cancelled: break
      case .offline, .transport: say("You are offline.")
      case .status(404, let url, _): say("There is no image at \(url).")
      case .decode(.overLimit(let limit, _, _), _, _): say("The file has too many \(limit).")
      case .invalidRequest(let reason): say(reason)
      default: say("\(error)")
      }
    }
    #expect(said.items == text)
  }
}
