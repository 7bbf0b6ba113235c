import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Colours of files on their way through a pipeline and its caches.
@Suite(.timeLimit(.minutes(10)))
struct ColorHandlingTests {
  private let folder: TemporaryDirectory
  private let plain: Bitmap
  private let png: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    plain = try TestImages.gradient(width: 40, height: 30)
    png = try plain.encoded(as: .png)
  }

  /// The file with chunks after its header.
  private func file(_ chunks: [(String, [UInt8])]) -> [UInt8] {
    var bytes = Array(png[..<33])
    for (kind, body) in chunks { bytes += PNGSample.chunk(kind, body) }
    return bytes + png[33...]
  }

  /// Light itself.
  private var linear: [UInt8] { file([("gAMA", PNGSample.word(100_000))]) }

  private func pipeline(
    _ colors: ColorHandling,
    _ transport: any Transport,
    contents: DiskOptions.Contents = .originals,
    tables: Bool = false
  ) -> ImagePipeline {
    ImagePipeline(
      options: PipelineOptions(
        memory: .steady,
        disk: DiskOptions(directory: folder.path, contents: contents),
        tables: tables ? TableOptions() : nil,
        decoding: DecodingOptions(colors: colors)
      ),
      transport: transport
    )
  }

  private func request(_ style: Style = .original, _ name: String = "a") -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/\(name).png", style: style)
    request.caching.policy = .onlyCached
    return request
  }

  private func load(_ pipeline: ImagePipeline, _ style: Style = .original) async throws
    -> ImageResponse
  {
    var request = request(style)
    request.caching.policy = .standard
    let response = try await pipeline.response(for: request)
    await pipeline.finishWriting()
    return response
  }

  @Test func picturesArriveInSRGBUnlessTheyAreLeftAlone() async throws {
    let origin = FakeTransport(body: linear)
    let managed = try await load(ImagePipeline(options: .steady, transport: origin))
    let decoded = try CodecList.standard.decode(linear.span).bitmap
    #expect(managed.image.hasSamePixels(as: decoded))
    #expect(!managed.image.hasSamePixels(as: plain))
    #expect(managed.notes.isEmpty)
    let untouched = try await load(pipeline(.untouched, FakeTransport(body: linear)))
    #expect(untouched.image.hasSamePixels(as: plain))
  }

  @Test func aProfileThatIsIgnoredIsToldAlsoByMemory() async throws {
    let body = file([("iCCP", Array("bad\0\0".utf8) + PNGSample.stored([1, 2, 3]))])
    let pipeline = ImagePipeline(options: .steady, transport: FakeTransport(body: body))
    let first = try await load(pipeline)
    guard case .profileIgnored(let reason)? = first.notes.first else {
      Issue.record("\(first.notes)")
      return
    }
    #expect(!reason.isEmpty && first.image.hasSamePixels(as: plain))
    let second = try await pipeline.response(for: request())
    #expect(second.source == .memory && second.notes == first.notes)
  }

  @Test(arguments: [Style.rectangle(width: 20, height: 10), .fit(width: 20, height: 20)])
  func pipelinesThatTreatColorsDifferentlyShareAFolder(_ style: Style) async throws {
    let origin = FakeTransport(body: linear)
    let fitting = try style.fitting(scale: 1)
    for colors in [ColorHandling.untouched, .sRGB, .untouched, .sRGB] {
      let pipeline = pipeline(colors, origin, contents: .both, tables: true)
      let response = try await load(pipeline, style)
      let rules = DecodeRules(colors: colors)
      let wanted = try CodecList.standard.decode(linear.span, fitting: fitting, rules: rules)
      let isSame = try response.image.straightRGBA() == wanted.bitmap.straightRGBA()
      #expect(isSame, "\(colors) from \(response.source)")
    }
    // The last two took what the first two had stored.
    #expect(origin.urls.count == 1)
    let last = try await pipeline(.sRGB, origin, contents: .both, tables: true)
      .response(for: request(style))
    #expect(last.source == (style.fixedTable ? .table : .disk))
  }

  @Test func whatAnOlderVersionKeptIsNotShown() async throws {
    let style = Style.rectangle(width: 20, height: 10)
    let origin = FakeTransport(body: linear)
    let first = pipeline(.sRGB, origin, tables: true)
    _ = try await load(first, style)
    let key = first.styledKey(request(style))
    // As its ids were before colours were managed.
    let older = TableID("\(key.source.id)\u{0}\(style.key)\u{0}1.0")
    let table = try ImageTable(opening: folder.path + "/tables/20x10-bgr.table")
    let version = Checksum.wide(linear)
    #expect(table.contains(key.id, version: version))
    let size = PixelSize(width: 20, height: 10)
    try table.put(older, version: version, plain.resampled(.cover(size)))
    try table.remove(key.id)
    let later = try await load(pipeline(.sRGB, FakeTransport(body: []), tables: true), style)
    #expect(later.source == .disk)
    let fitting = try style.fitting(scale: 1)
    let wanted = try CodecList.standard.decode(linear.span, fitting: fitting).bitmap
    #expect(later.image.hasSamePixels(as: wanted))
  }

  @Test func aPictureWithAProfileIsKeptWithIt() async throws {
    let profile = Self.wideProfile
    var picture = plain
    picture.profile = ColorProfile(profile)
    let origin = FakeTransport(body: try picture.encoded(as: .png))
    let style = Style.rectangle(width: 20, height: 10)
    let wanted = try plain.resampled(try style.fitting(scale: 1))
    for source in [ImageSource.network, .disk] {
      let pipeline = pipeline(.keepProfile, origin, contents: .processed, tables: true)
      let response = try await load(pipeline, style)
      #expect(response.source == source)
      #expect(response.image.profile?.bytes == profile)
      #expect(response.image.hasSamePixels(as: wanted))
      let again = try await pipeline.response(for: request(style))
      #expect(again.source == .memory && again.image.profile?.bytes == profile)
    }
    // What has no profile goes to its table.
    let other = pipeline(.keepProfile, FakeTransport(body: png), contents: .processed, tables: true)
    var request = request(style, "b")
    request.caching.policy = .standard
    _ = try await other.response(for: request)
    await other.finishWriting()
    #expect(try Files.list(folder.path + "/tables").contains("20x10-bgr.table"))
  }

  /// A matrix of BT.2020's colours and curves of 2.2.
  private static let wideProfile: [UInt8] = {
    func words(_ values: [Int]) -> [UInt8] { values.flatMap(PNGSample.word) }
    func color(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
      Array("XYZ ".utf8) + words([0] + [x, y, z].map { Int($0 * 65_536) & 0xFFFF_FFFF })
    }
    let curve = Array("curv".utf8) + words([0, 1]) + [2, 51, 0, 0]
    let tags: [(String, [UInt8])] = [
      ("rXYZ", color(0.6734, 0.279, -0.0019)), ("gXYZ", color(0.1657, 0.6753, 0.0299)),
      ("bXYZ", color(0.1251, 0.0456, 0.797)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
      ("wtpt", color(0.9642, 1, 0.8249)),
    ]
    var (list, data) = (words([tags.count]), [UInt8]())
    let start = 132 + 12 * tags.count
    for (name, bytes) in tags {
      list += Array(name.utf8) + words([start + data.count, bytes.count])
      data += bytes
    }
    var header = words([start + data.count, 0, 0x0210_0000])
    header += Array("mntrRGB XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    header.replaceSubrange(68..<80, with: words([0xF6D6, 0x1_0000, 0xD32D]))
    return header + list + data
  }()
}

extension Style {
  /// Whether a table may have its images.
  fileprivate var fixedTable: Bool { (try? fitting(scale: 1))?.fixedSize != nil }
}
