import CPeers
import Ikran

/// What another process costs: the same decode here and there, on one thread.
struct IsolationBenchmarks {
  private static let large = PixelSize(width: 1024, height: 1024)
  private static let rows: [(name: String, size: PixelSize, encoding: ImageEncoding, side: Int?)] =
    [
      ("isolation.png.16", PixelSize(width: 16, height: 16), .png, nil),
      ("isolation.jpeg.1024-to-96", large, .jpeg(quality: 85), 96),
      ("isolation.jpeg.1024", large, .jpeg(quality: 85), nil),
      ("isolation.avif.1024-to-96", large, .avif(quality: 60), 96),
    ]

  /// Runs the rows whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    for row in rows where row.name.hasPrefix(prefix) {
      let bytes = try Photo.draw(row.size, seed: 2).encoded(as: row.encoding)
      let fitting = row.side.map { Fitting.cover(PixelSize(width: $0, height: $0)) } ?? .original
      let contenders = [
        decode("Ikran", bytes, fitting, .all), decode("in this process", bytes, fitting, .none),
      ]
      report.add(row.name, try Harness.measure(contenders), unit: "µs", scale: 1e-3)
    }
  }

  private static func decode(
    _ name: String,
    _ bytes: [UInt8],
    _ fitting: Fitting,
    _ isolation: Isolation
  ) -> Contender {
    let (codecs, workspace) = (CodecList.standard.isolated(isolation), Workspace())
    return Contender(name) {
      let decoded = try codecs.decode(bytes.span, fitting: fitting, workspace: workspace)
      decoded.bitmap.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
    }
  }
}
