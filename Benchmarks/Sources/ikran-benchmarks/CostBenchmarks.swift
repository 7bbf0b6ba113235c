import CPeers
import FoundationEssentials
import Ikran

/// What one image asks of the machine, on all threads together: mutexes that are locked, and blocks
/// of memory.
///
/// System calls are for `strace -f -c`.
enum CostBenchmarks {
  private static let count = 400
  private static let side = 400

  /// Runs the rows whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) async throws {
    for (name, row) in [("costs.memory", memory), ("costs.disk", disk), ("costs.cold", cold)]
    where name.hasPrefix(prefix) || prefix.hasPrefix(name) {
      try await row(name, &report)
    }
  }

  private static func memory(_ name: String, _ report: inout Report) async throws {
    let pipeline = ImagePipeline()
    let photo = try Photo.draw(PixelSize(width: 64, height: 64), seed: 1)
    let bytes = try photo.encoded(as: .png)
    let request = ImageRequest(data: bytes, id: "1", style: .circle(48))
    _ = try await pipeline.image(for: request)
    try await measure(name, &report) {
      for _ in 0..<count { _ = try await pipeline.image(for: request) }
    }
  }

  /// Files that the disk cache has, read and decoded one after the other.
  private static func disk(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("URL"), let root = serverVariable("ROOT") else {
      return report.note("\(name): no server was started; use Scripts/bench")
    }
    try writePhotos(to: root)
    let folder = try TemporaryFolder()
    let options = PipelineOptions(disk: DiskOptions(directory: folder.path))
    let first = ImagePipeline(options: options)
    for request in requests(url, .circle(32)) { _ = try await first.image(for: request) }
    await first.finishWriting()
    let second = ImagePipeline(options: options)
    _ = try await second.image(for: requests(url, .circle(96))[0])
    try await measure(name, &report) {
      for request in requests(url, .circle(96)).dropFirst() {
        _ = try await second.image(for: request)
      }
    }
  }

  /// Files from a server, one after the other, through an empty disk cache and empty tables, until
  /// all is written.
  private static func cold(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("URL"), let root = serverVariable("ROOT") else {
      return report.note("\(name): no server was started; use Scripts/bench")
    }
    try writePhotos(to: root)
    let folder = try TemporaryFolder()
    let pipeline = ImagePipeline(options: .standard(folder.path))
    _ = try await pipeline.image(for: requests(url, .circle(96))[0])
    await pipeline.finishWriting()
    try await measure(name, &report) {
      for request in requests(url, .circle(96)).dropFirst() {
        _ = try await pipeline.image(for: request)
      }
      await pipeline.finishWriting()
    }
  }

  private static func measure(
    _ name: String,
    _ report: inout Report,
    _ body: () async throws -> Void
  ) async throws {
    peers_count(true)
    try await body()
    peers_count(false)
    let (locks, blocks) = (peers_counted_locks(), peers_counted_allocations())
    report.add("\(name).locks", value: Double(locks) / Double(count), unit: "locks")
    report.add("\(name).allocations", value: Double(blocks) / Double(count), unit: "blocks")
  }

  private static func requests(_ url: String, _ style: Style) -> [ImageRequest] {
    (0...count).compactMap { index in
      URL(string: "\(url)/costs/\(index).jpg").map { ImageRequest($0, style: style) }
    }
  }

  private static func writePhotos(to root: String) throws {
    let photo = try Photo.draw(PixelSize(width: side, height: side), seed: 7)
    let file = Data(try photo.encoded(as: .jpeg(quality: 85)))
    try FileManager.default.createDirectory(
      atPath: "\(root)/costs",
      withIntermediateDirectories: true
    )
    for index in 0...count { try file.write(to: URL(filePath: "\(root)/costs/\(index).jpg")) }
  }
}
