import FoundationEssentials
import Glibc
import Ikran
import IkranTransport

/// A program that loads pictures of 900² with a limit for memory, for a test that asks what stays resident.
///
/// Usage: `PictureLoads COUNT MEGABYTES`. It prints four numbers in megabytes: what was resident before,
/// what is after the last picture, what the caches then say they hold, and what is resident after critical
/// pressure.
@main
enum PictureLoads {
  private static let side = 900
  private static let atOnce = 8

  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 2 else { exit(2) }
    let files = try (0..<6).map(file)
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: MemoryOptions(limit: .bytes(numbers[1] << 20), trimsUnderMemoryPressure: false),
        decoding: DecodingOptions(maximumConcurrent: 2)
      ),
      transport: Copies(files: files)
    )
    let start = resident()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<numbers[0] {
        if index >= atOnce { try await group.next() }
        guard let url = URL(string: "https://example.org/\(index)") else { exit(2) }
        group.addTask { _ = try await pipeline.image(from: url) }
      }
      try await group.waitForAll()
    }
    let loaded = resident()
    let held = await pipeline.usage.memory.bytes
    pipeline.relieveMemory(.critical)
    print(start, loaded, held >> 20, resident())
  }

  /// A PNG file of a picture that compresses to about a megabyte.
  private static func file(_ seed: Int) throws -> [UInt8] {
    var canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgrx)
    let stride = canvas.bytesPerRow
    var state = UInt64(seed + 1)
    canvas.withMutableBytes { bytes in
      for y in 0..<side {
        for x in 0..<side {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let at = y * stride + x * 4
          bytes[at] = UInt8(truncatingIfNeeded: state >> 60)
          bytes[at + 1] = UInt8(truncatingIfNeeded: x / 4 + seed)
          bytes[at + 2] = UInt8(truncatingIfNeeded: y / 4)
          bytes[at + 3] = 255
        }
      }
    }
    return try canvas.finish().encoded(as: .png)
  }

  /// Megabytes of this process that are in memory: the second number of `statm` counts them in pages
  /// (proc(5)).
  private static func resident() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { return 0 }
    return (pages * Int(sysconf(Int32(_SC_PAGESIZE)))) >> 20
  }

  /// Responds with one of a few files, copied as a network would bring it.
  private struct Copies: Transport {
    let files: [[UInt8]]

    func fetch(
      _ request: TransportRequest,
      progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse {
      let file = files[request.url.utf8.reduce(0) { $0 + Int($1) } % files.count]
      // An array of its own, with room for the length that a header names.
      var body: [UInt8] = []
      body.reserveCapacity(file.count)
      body.append(contentsOf: file)
      return TransportResponse(status: 200, body: body, url: request.url)
    }
  }
}
