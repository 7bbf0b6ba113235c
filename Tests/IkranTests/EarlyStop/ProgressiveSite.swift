import IkranServer
import IkranStores
import IkranTransport
import Support

@testable import Ikran

/// An origin of one progressive JPEG, over real sockets, which responds to ranges and validators.
final class ProgressiveSite: Sendable {
  /// How it responds.
  struct Conduct: Sendable {
    var file = ProgressiveSite.file
    var tag = "\"1\""
    var fields = [Field("Accept-Ranges", "bytes"), Field("Cache-Control", "max-age=3600")]
    var ignoresRanges = false
    /// Whether parts of any version are sent, without a tag.
    var sendsUntaggedParts = false
    var announcesLength = true
    /// Holds back what follows a beginning.
    var restGate: BodyGate?
  }

  static let file = file(width: 800)
  static let newerFile = file(width: 816)
  /// So large that a thumbnail of 48 points needs its means alone, and one of 96 points more than those.
  static let largeFile: [UInt8] = {
    var random = SeededGenerator(seed: 7)
    let grain = (0..<7_919).map { _ in UInt8(96 + random.next() % 24) }
    var sample = JPEGSample(width: 1_216, height: 1_168, sampling: .gray, quality: 92)
    sample.isProgressive = true
    var pixels: [UInt8] = []
    while pixels.count < sample.width * sample.height * 3 { pixels += grain }
    return sample.bytes(of: pixels)
  }()

  private static func file(width: Int) -> [UInt8] {
    var sample = JPEGSample(width: width, height: 600, sampling: .quarter, quality: 92)
    sample.isProgressive = true
    return sample.bytes()
  }

  let conduct: Guarded<Conduct>
  let requests = Recorder<RequestHead>()
  private let origin: Origin

  init(_ conduct: Conduct = Conduct()) throws {
    let (conduct, requests) = (Guarded(conduct), requests)
    self.conduct = conduct
    origin = try Origin { head in
      requests.add(head)
      return Self.response(head, conduct.withLock { $0 })
    }
  }

  private static func response(_ head: RequestHead, _ conduct: Conduct) -> Response {
    let (file, fields) = (conduct.file, conduct.fields + [Field("ETag", conduct.tag)])
    if head.header("if-none-match") == conduct.tag { return Response(304, headers: fields) }
    if let range = head.header("range"),
      conduct.sendsUntaggedParts || head.header("if-range") == conduct.tag,
      !conduct.ignoresRanges,
      let start = Int(range.dropFirst("bytes=".count).dropLast()), start < file.count
    {
      let part = Field("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)")
      let rest = Array(file[start...])
      let partFields = conduct.sendsUntaggedParts ? conduct.fields : fields
      return Response(206, headers: partFields + [part], body: rest, gate: conduct.restGate)
    }
    return Response(
      200,
      headers: fields,
      body: file,
      announcesLength: conduct.announcesLength
    )
  }

  var url: String { origin.baseURL + "/a.jpg" }

  /// A thumbnail, for which the first scans are enough.
  func thumbnail(_ side: Double = 48) -> ImageRequest {
    var request = ImageRequest(location: url, style: .circle(side))
    request.stopsEarly = true
    return request
  }

  /// Every pixel, for which all scans are needed.
  var original: ImageRequest {
    var request = thumbnail()
    request.style = .original
    return request
  }

  /// The ranges that were asked for; an empty one where the whole was.
  var ranges: [String] { requests.items.map { $0.header("range") ?? "" } }

  /// What a style makes of the whole file.
  static func picture(_ request: ImageRequest, of file: [UInt8] = file) throws -> Bitmap {
    let decoded = try CodecList.standard.decode(
      file.span,
      fitting: try request.style.fitting(scale: 1)
    ).bitmap
    return try request.style.applyFiltersAndEdges(decoded, scale: 1, workspace: Workspace())
  }
}

extension ImagePipeline {
  /// A pipeline with a disk cache and tables in a folder.
  static func stopping(in folder: TemporaryDirectory?, tables: Bool = false) -> ImagePipeline {
    var options = PipelineOptions.steady
    options.disk = folder.map { DiskOptions(directory: $0.path) }
    if tables { options.tables = TableOptions() }
    options.network.retry = .none
    options.network.failures = .none
    return ImagePipeline(options: options)
  }

  /// Empties memory, but for the beginnings of files that it holds in place of a folder, once those
  /// on their way there have arrived.
  func removeImagesAndFilesFromMemory() async {
    await finishWriting()
    context.images.removeAll()
    context.bodies.removeAll()
    context.decodes.removeAll()
  }
}
