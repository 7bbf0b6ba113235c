import FoundationEssentials
import Glibc
import Ikran
import IkranCodecs
import IkranTransport

/// A program that loads pictures without a sanitizer, for checks of time and memory.
///
/// - `PictureLoads COUNT MEGABYTES` loads pictures of 900² with a limit for memory. It prints four
///   numbers in megabytes: what was resident before, what is after the last picture, what the caches
///   then say they hold, and what is resident after critical pressure.
/// - `PictureLoads files here|apart FOLDER` decodes each file below a folder in a process of its own,
///   or in a decoder of that process: see ``HostileFiles``.
/// - `PictureLoads file here|apart PATH` decodes one.
/// - `PictureLoads pan` moves over TIFF files of 20,000² pixels: see ``Panning``.
/// - `PictureLoads hungry FOLDER` decodes files that want all memory: see ``HungryDecoders``.
/// - `PictureLoads repeat PATH` decodes one file 1,000 times: see ``Repetition``.
/// - `PictureLoads sealed PATH` seals itself off and tries what it must not: see ``SealedProcess``.
///
/// All but the first exit with 1, and say why, when a limit is passed.
@main
enum PictureLoads {
  private static let side = 900
  private static let atOnce = 8

  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let numbers = words.compactMap { Int($0) }
    if numbers.count == 2 { return try await load(numbers[0], limit: numbers[1]) }
    do {
      let isFine =
        switch words.first {
        case "files" where words.count == 3: try HostileFiles.check(words[2], words[1])
        case "file" where words.count == 3:
          try HostileFiles.decode(words[2], apart: words[1] == "apart")
        case "sealed" where words.count == 2: try SealedProcess.attempt(decoding: words[1])
        case "pan": try Panning.check()
        case "hungry" where words.count == 2: try await HungryDecoders.check(words[1])
        case "repeat" where words.count == 2: try Repetition.check(words[1])
        default: exit(2)
        }
      exit(isFine ? 0 : 1)
    } catch let error as DecodeError where "\(error)".contains("this build does not read") {
      print("\(words[0]): skipped, \(error)")
    }
  }

  private static func load(_ count: Int, limit: Int) async throws {
    let files = try (0..<6).map(file)
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: MemoryOptions(limit: .bytes(limit << 20), trimsUnderMemoryPressure: false),
        decoding: DecodingOptions(maximumConcurrent: 2)
      ),
      transport: Copies(files: files)
    )
    let start = Resident.megabytes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        if index >= atOnce { try await group.next() }
        guard let url = URL(string: "https://example.org/\(index)") else { exit(2) }
        group.addTask { _ = try await pipeline.image(from: url) }
      }
      try await group.waitForAll()
    }
    let loaded = Resident.megabytes()
    let held = await pipeline.usage.memory.bytes
    pipeline.relieveMemory(.critical)
    print(start, loaded, held >> 20, Resident.megabytes())
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
