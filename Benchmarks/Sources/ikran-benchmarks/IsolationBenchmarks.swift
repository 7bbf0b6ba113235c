import CPeers
import Glibc
import Ikran

/// What another process costs: the same decode here and there, on one thread.
struct IsolationBenchmarks {
  /// The first argument that makes this program the process whose first decode is measured.
  static let argument = "first-isolated"
  private static let first = "isolation.first"
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
    if first.hasPrefix(prefix) || prefix.hasPrefix(first) { try runFirst(into: &report) }
  }

  /// The first decode of a process, for which a decoder starts, and the second one.
  private static func runFirst(into report: inout Report) throws {
    var times: [[Double]] = []
    for _ in 0..<21 {
      guard let child = Child([CommandLine.arguments.first ?? "", argument]) else {
        return report.note("\(first): this program does not start again, not measured")
      }
      times.append(try child.numbers("go"))
      guard times.last?.count == 2 else { throw PeerEnded() }
    }
    for (place, name) in [first, "\(first).second"].enumerated() {
      report.add(name, value: times.map { $0[place] }.sorted()[times.count / 2], unit: "µs")
    }
  }

  /// Responds to a line with the microseconds of two decodes of a small picture in another process.
  static func respond() throws {
    let bytes = try Photo.draw(PixelSize(width: 16, height: 16), seed: 2).encoded(as: .png)
    let (codecs, workspace) = (CodecList.standard.isolated(.all), Workspace())
    guard readLine() != nil else { return }
    var times: [Double] = []
    for _ in 0..<2 {
      let time = try ContinuousClock().measure {
        _ = try codecs.decode(bytes.span, fitting: .original, workspace: workspace)
      }
      times.append(time / .microseconds(1))
    }
    print(times[0], times[1])
    fflush(nil)
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
