import CPeers
import FoundationEssentials
import Glibc
import Ikran
import IkranTransport

/// The whole pipeline: cold, from a server to styled pixels, and hits in memory and a table.
struct PipelineBenchmarks {
  private static let count = 2_000
  private static let side = 400
  private static let style = Style.circle(96)
  private static let hits = 100_000

  /// Runs the rows whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) async throws {
    let rows = [
      ("pipeline.hit", hit), ("pipeline.table", tableHit), ("pipeline.cold", cold),
    ]
    for (name, row) in rows
    where name.hasPrefix(prefix) || prefix.hasPrefix(name) {
      try await row(name, &report)
    }
  }

  /// An image in memory, through `await image(for:)` and through the synchronous call.
  private static func hit(_ name: String, _ report: inout Report) async throws {
    let pipeline = ImagePipeline()
    let photo = try Photo.draw(PixelSize(width: 64, height: 64), seed: 1)
    let request = ImageRequest(
      data: try photo.encoded(as: .png),
      id: "https://example.org/avatars/1.png",
      style: .circle(48)
    )
    try await measureHits(of: request, in: pipeline, as: name, &report)
  }

  /// The same of an image that a table has, and memory does not read.
  private static func tableHit(_ name: String, _ report: inout Report) async throws {
    let folder = try TemporaryFolder()
    let photo = try Photo.draw(PixelSize(width: 64, height: 64), seed: 1)
    let pipeline = ImagePipeline(
      options: .standard(folder.path),
      transport: OneFile(bytes: try photo.encoded(as: .png))
    )
    guard let url = URL(string: "https://example.org/avatars/1.png") else { return }
    var request = ImageRequest(url, style: .circle(48))
    (request.caching.reads, request.caching.stores) = (.tables, .tables)
    _ = try await pipeline.image(for: request)
    await pipeline.finishWriting()
    guard try await pipeline.response(for: request).source == .table else {
      return report.note("\(name): the table has no image, not measured")
    }
    try await measureHits(of: request, in: pipeline, as: name, &report)
  }

  /// Responds to each request with the same file.
  private struct OneFile: Transport {
    let bytes: [UInt8]

    func fetch(
      _ request: TransportRequest,
      progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse {
      let fields = [HeaderField("Cache-Control", "max-age=86400")]
      return TransportResponse(status: 200, headers: fields, body: bytes, url: request.url)
    }
  }

  private static func measureHits(
    of request: ImageRequest,
    in pipeline: ImagePipeline,
    as name: String,
    _ report: inout Report
  ) async throws {
    _ = try await pipeline.image(for: request)
    let rounds = [
      DownloadRound("Ikran") {
        for _ in 0..<hits { _ = try await pipeline.image(for: request) }
      },
      DownloadRound("synchronous hit") {
        for _ in 0..<hits { _ = pipeline.cached(for: request) }
      },
    ]
    let (walls, _) = try await DownloadRound.measure(rounds, count: hits, samples: 31)
    report.add(name, walls, unit: "ns", scale: 1)
  }

  /// 2,000 JPEG files of 400² from a server to circles of 96 points, into an empty disk cache and
  /// empty tables, next to decoding and styling the same bytes with all cores and nothing else.
  private static func cold(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("URL"), let folder = serverVariable("ROOT") else {
      return report.note("\(name): no server was started; use Scripts/bench")
    }
    let files = try photos()
    mkdir("\(folder)/jpeg", 0o755)
    for index in 0..<count {
      try Data(files[index % files.count]).write(to: URL(filePath: "\(folder)/jpeg/\(index).jpg"))
    }
    // Deleted at the end: a file system is slow to use again what has just been deleted.
    var folders: [TemporaryFolder] = []
    var pipeline: ImagePipeline?
    let rounds = [
      DownloadRound("Ikran") {
        let folder = try TemporaryFolder()
        folders.append(folder)
        let new = ImagePipeline(options: .standard(folder.path))
        pipeline = new
        try await load("\(url)/jpeg", new)
      } after: {
        await pipeline?.finishWriting()
      },
      DownloadRound("decoding alone") { try await decode(files) },
    ]
    let (walls, processors) = try await DownloadRound.measure(rounds, count: count, samples: 11)
    report.add(name, walls, unit: "µs", scale: 1e-3)
    report.add("\(name).cpu", processors, unit: "µs", scale: 1e-3)
  }

  private static func photos() throws -> [[UInt8]] {
    try (0..<20).map { seed in
      let photo = try Photo.draw(PixelSize(width: side, height: side), seed: UInt32(seed + 1))
      return try photo.encoded(as: .jpeg(quality: 85))
    }
  }

  /// Loads all images at once.
  private static func load(_ url: String, _ pipeline: ImagePipeline) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        guard let url = URL(string: "\(url)/\(index).jpg") else { continue }
        group.addTask { _ = try await pipeline.image(for: ImageRequest(url, style: style)) }
      }
      try await group.waitForAll()
    }
  }

  /// Decodes and styles each file as often as it is loaded, on as many threads as there are cores.
  private static func decode(_ files: [[UInt8]]) async throws {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for core in 0..<cores {
        group.addTask {
          let fitting = try style.fitting(scale: 1)
          let workspace = Workspace()
          for index in stride(from: core, to: count, by: cores) {
            let bytes = files[index % files.count]
            let decoded = try CodecList.standard.decode(
              bytes.span,
              fitting: fitting,
              workspace: workspace
            ).bitmap
            let styled = try style.applyFiltersAndEdges(decoded, scale: 1, workspace: workspace)
            styled.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
