import CPeers
import FoundationEssentials
import Glibc
import Ikran
import IkranTransport

/// What a process has in memory after many pictures: more than the caches hold is the allocator's.
enum ResidentBenchmarks {
  /// The first argument that makes this program the process that is measured.
  static let argument = "resident"
  private static let name = "memory.resident"
  private static let side = 900
  private static let limit = 32 << 20
  /// Another file for each, so that sizes differ as those of photos do.
  private static let files = 6
  private static let atOnce = 8

  /// Measures a process that loads 600 pictures of 900² with 32 MB allowed, and one with 2,000.
  static func run(prefix: String, into report: inout Report) throws {
    guard name.hasPrefix(prefix) || prefix.hasPrefix(name) else { return }
    for (kind, count) in [("jpeg", 600), ("jpeg", 2_000), ("png", 600)] {
      let program = CommandLine.arguments.first ?? ""
      guard let child = Child([program, argument, kind]) else {
        report.note("\(name): \(program) does not start again, not measured")
        return
      }
      let megabytes = try child.numbers("\(count)")
      guard megabytes.count == 4 else { throw PeerEnded() }
      let row = "\(name).\(kind).\(count)"
      report.note("\(row): \(Int(megabytes[0])) MB before, \(Int(megabytes[2])) MB in the caches")
      report.add(row, value: megabytes[1], unit: "MB")
      report.add("\(row).relieved", value: megabytes[3] - megabytes[0], unit: "MB over the start")
    }
  }

  // MARK: - In the other process

  /// Answers each line with a number of pictures: the resident megabytes before them and after them, what
  /// the caches say they hold, and what is resident after critical pressure.
  static func respond(kind: String) async throws {
    let size = PixelSize(width: side, height: side)
    let encoding: ImageEncoding = kind == "png" ? .png : .jpeg(quality: 85)
    var bodies: [[UInt8]] = []
    for seed in 0..<files {
      bodies.append(try Photo.draw(size, seed: UInt32(seed)).encoded(as: encoding))
    }
    let options = PipelineOptions(memory: MemoryOptions(limit: .bytes(limit)))
    let pipeline = ImagePipeline(options: options, transport: Copies(bodies: bodies))
    guard peers_reset_peak() else { throw PeerEnded() }
    while let count = readLine().flatMap({ Int($0) }) {
      let start = resident()
      try await load(count, from: pipeline)
      let loaded = resident()
      let usage = await pipeline.usage.memory.bytes
      pipeline.relieveMemory(.critical)
      print(start, loaded, usage >> 20, resident())
      fflush(nil)
    }
  }

  /// Loads pictures as a list that is scrolled does: some at once, each let go of when it is there.
  private static func load(_ count: Int, from pipeline: ImagePipeline) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        if index >= atOnce { try await group.next() }
        guard let url = URL(string: "https://example.org/\(index)") else { throw PeerEnded() }
        group.addTask { _ = try await pipeline.image(from: url) }
      }
      try await group.waitForAll()
    }
  }

  private static func resident() -> Int {
    // The second number is what is resident, in pages (proc(5)).
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { return 0 }
    return (pages * Int(getpagesize())) >> 20
  }

  /// Responds with one of a few files, copied as a network would bring it.
  private struct Copies: Transport {
    let bodies: [[UInt8]]

    func fetch(
      _ request: TransportRequest,
      progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse {
      let file = bodies[(Int(request.url.split(separator: "/").last ?? "") ?? 0) % bodies.count]
      // An array of its own, with room for the length that a header names.
      var body: [UInt8] = []
      body.reserveCapacity(file.count)
      body.append(contentsOf: file)
      return TransportResponse(status: 200, body: body, url: request.url)
    }
  }
}
