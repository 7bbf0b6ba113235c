import FoundationEssentials
import Ikran
import IkranTransport
import Synchronization

/// Downloads through the whole pipeline, every feature of its network stage on.
///
/// Nothing is cached, and a codec that reads no bytes replaces the decoders, so that only the work
/// around a transfer is measured.
enum DownloadPipelineBenchmarks {
  private static let count = 1_000
  private static let largeBytes = 50_000_000

  /// 1,000 × 40 KB, all requested at once, six downloads at a time.
  static func pipeline(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("URL") else {
      return report.note("\(name): no server was started; use Scripts/bench")
    }
    let pipeline = try pipeline()
    let requests = (0..<count).compactMap { request("\(url)/\($0).bin") }
    let rounds = [
      DownloadRound("Ikran") {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for request in requests {
            group.addTask { _ = try await pipeline.image(for: request) }
          }
          try await group.waitForAll()
        }
      }
    ]
    let (walls, processors) = try await DownloadRound.measure(rounds, count: count, samples: 15)
    report.add(name, walls, unit: "µs", scale: 1e-3)
    report.add("\(name).cpu", processors, unit: "µs", scale: 1e-3)
  }

  /// How many transfers 32 requests for one URL cause.
  static func shared(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("URL"), let request = request("\(url)/0.bin") else {
      return report.note("\(name): no server was started; use Scripts/bench")
    }
    let transport = CountingTransport()
    let pipeline = try pipeline(transport: transport)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 { group.addTask { _ = try await pipeline.image(for: request) } }
      try await group.waitForAll()
    }
    report.add(name, value: Double(transport.transfers), unit: "transfers for 32")
  }

  /// 50 MB from an origin that limits each connection, in four parts and in one.
  static func segmented(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("SLOW_URL"), let request = request("\(url)/bytes/\(largeBytes)")
    else { return report.note("\(name): no server was started; use Scripts/bench") }
    let rounds = try [("Ikran", 4), ("one stream", 1)].map { (name, parts) in
      let pipeline = try pipeline(ResumptionOptions(parts: parts))
      return DownloadRound(name) { _ = try await pipeline.image(for: request) }
    }
    let (walls, processors) = try await DownloadRound.measure(rounds, count: 1, samples: 3)
    report.add(name, walls, unit: "ms", scale: 1e-6)
    report.add("\(name).cpu", processors, unit: "ms", scale: 1e-6)
  }

  private static func pipeline(
    _ resumption: ResumptionOptions = ResumptionOptions(),
    transport: any Transport = CurlTransport()
  ) throws -> ImagePipeline {
    ImagePipeline(
      options: PipelineOptions(network: NetworkOptions(resumption: resumption)),
      transport: transport,
      codecs: CodecList([try BlindCodec()])
    )
  }

  private static func request(_ url: String) -> ImageRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = ImageRequest(url)
    request.caching.reads = []
    request.caching.stores = []
    return request
  }
}

/// A codec that decodes every file to one small picture.
private struct BlindCodec: Codec {
  let format = ImageFormat.png
  private let picture: Bitmap

  init() throws { picture = try Photo.draw(PixelSize(width: 8, height: 8), seed: 1) }

  func recognizes(_ prefix: Span<UInt8>) -> Bool { true }

  func probe(_ bytes: Span<UInt8>) -> ImageInfo { ImageInfo(format: format, size: picture.size) }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) -> DecodedPicture { DecodedPicture(bitmap: picture) }
}

/// Counts transfers, and delays each until all callers have started.
private final class CountingTransport: Transport {
  private let transport = CurlTransport()
  private let count = Atomic(0)

  var transfers: Int { count.load(ordering: .relaxed) }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    count.add(1, ordering: .relaxed)
    do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .cancelled }
    return try await transport.fetch(request, progress: progress)
  }
}
