import CPeers
import Ikran

/// One large photo to a 96 × 96 square, on two threads and on one.
struct CoreBenchmarks {
  private static let target = Fitting.cover(PixelSize(width: 96, height: 96))
  private static let size = PixelSize(width: 4000, height: 3000)
  private static let photos: [(name: String, encoding: ImageEncoding)] = [
    ("jpeg.two-cores.12mp-to-96", .jpeg(quality: 85)),
    ("webp.two-cores.12mp-to-96", .webp(quality: 80)),
  ]

  /// Runs the photos whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    for photo in photos where photo.name.hasPrefix(prefix) {
      let bytes = try Photo.draw(size, seed: 3).encoded(as: photo.encoding)
      report.note("\(photo.name): \(size) in \(bytes.count) bytes")
      let contenders = [
        contender("Ikran", bytes, Workspace(spareThreads: 1)),
        contender("one thread", bytes, Workspace()),
      ]
      report.add(photo.name, try Harness.measure(contenders), unit: "µs", scale: 1e-3)
    }
  }

  private static func contender(
    _ name: String,
    _ bytes: [UInt8],
    _ workspace: Workspace
  ) -> Contender {
    Contender(name) {
      let decoded = try CodecList.standard.decode(
        bytes.span,
        fitting: target,
        workspace: workspace
      ).bitmap
      decoded.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
    }
  }
}
