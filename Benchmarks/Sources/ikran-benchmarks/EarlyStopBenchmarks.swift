import FoundationEssentials
import Ikran
import IkranTransport

/// How much of a progressive JPEG file arrives before a download for a thumbnail ends, through the whole
/// pipeline.
///
/// The file comes from memory in chunks of 16 KB, as libcurl has them: so the row has no noise, and
/// says what the decoder wants, without the bytes that are on their way when a connection closes.
struct EarlyStopBenchmarks {
  private static let name = "jpeg.progressive.bytes"
  private static let sides = [48.0, 96]
  private static let photos = [
    ("400", PixelSize(width: 400, height: 400)), ("1024", PixelSize(width: 1024, height: 1024)),
    ("12mp", PixelSize(width: 4000, height: 3000)),
  ]

  /// Runs the rows whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) async throws {
    for (index, photo) in photos.enumerated() {
      for side in sides {
        let row = "\(name).\(photo.0)-to-\(Int(side))"
        guard row.hasPrefix(prefix) else { continue }
        let drawn = try Photo.draw(photo.1, seed: UInt32(index + 1))
        let file = try JPEGBenchmarks.progressive(try drawn.encoded(as: .jpeg(quality: 85)))
        let share = try await share(of: file, side)
        report.note("\(row): \(photo.1) in \(file.count) bytes, in chunks of 16 KB")
        report.add(row, value: share * 100, unit: "%")
      }
    }
  }

  private static func share(of file: [UInt8], _ side: Double) async throws -> Double {
    let pipeline = ImagePipeline(options: PipelineOptions(), transport: Chunks(file: file))
    guard let url = URL(string: "http://example.test/a.jpg") else { throw PeerEnded() }
    var request = ImageRequest(url, style: .circle(side))
    request.stopsEarly = true
    let response = try await pipeline.response(for: request)
    return Double(file.count - response.metrics.savedBytes) / Double(file.count)
  }
}

/// A file in chunks of 16 KB.
private struct Chunks: Transport {
  let file: [UInt8]

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let headers = [
      HeaderField("Content-Length", "\(file.count)"), HeaderField("ETag", "\"1\""),
      HeaderField("Cache-Control", "max-age=60"),
    ]
    func response(_ count: Int) -> TransportResponse {
      TransportResponse(
        status: 200,
        headers: headers,
        body: Array(file.prefix(count)),
        url: request.url,
        isComplete: count == file.count
      )
    }
    request.onHead?(response(0))
    for end in stride(from: 16_384, to: file.count, by: 16_384)
    where request.shouldStop?(Array(file.prefix(end))) == true {
      return response(end)
    }
    return response(file.count)
  }
}
