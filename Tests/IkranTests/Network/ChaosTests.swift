import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// Ten thousand requests of five hundred URLs of an origin that does everything wrong, from sixteen
/// tasks that change their minds.
@Suite(.timeLimit(.minutes(10)))
struct ChaosTests {
  private static let sources = 500

  /// The file of one URL: a picture of its own, with noise, so that its checksum is its own.
  private static func file(_ number: Int) throws -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    let size = PixelSize(width: 24 + number % 9, height: 16)
    var canvas = try Canvas(size: size, format: .bgrx)
    canvas.withMutableBytes { bytes in
      for index in 0..<bytes.count {
        bytes[index] = index % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &generator)
      }
    }
    return try canvas.finish().encoded(as: .png)
  }

  /// What goes wrong with one request; decided by its number alone.
  private static func answer(_ head: RequestHead, _ file: [UInt8], _ seed: UInt64) -> Response? {
    var hash = Hashed(seed, head.path, head.earlier)
    var fields = [Field("ETag", "\"\(head.path)\""), Field("Accept-Ranges", "bytes")]
    let ages = ["max-age=0", "max-age=60", "no-cache", "max-age=0, stale-while-revalidate=60"]
    fields.append(Field("Cache-Control", ages[hash.next(ages.count)]))
    switch hash.next(24) {
    case 0: return .reset
    case 1: return nil
    case 2: return Response(503, headers: [Field("Retry-After", "0")])
    case 3: return Response(500)
    case 4: return Response(200, headers: fields, body: file, cut: hash.next(file.count))
    case 5: return Response(200, headers: fields, body: file, announcesLength: false)
    case 6:
      return Response(
        200,
        headers: fields + [Field("Content-Length", "\(file.count + 9)")],
        body: file
      )
    case 7: return Response(302, headers: [Field("Location", head.path)])
    case 8: return Response(200, body: Array("<html>no</html>".utf8))
    case 9: return Response(429)
    case 10: return Response(200, headers: fields, body: file, delay: .milliseconds(hash.next(20)))
    case 11: return Response(304, headers: head.header("if-none-match") == nil ? [] : fields)
    default: return correct(head, file, fields)
    }
  }

  private static func correct(_ head: RequestHead, _ file: [UInt8], _ fields: [Field]) -> Response {
    if head.header("if-none-match") == fields[0].value { return Response(304, headers: fields) }
    guard let text = head.header("range"), head.header("if-range") == fields[0].value,
      let start = Int(text.dropFirst("bytes=".count).dropLast()), start < file.count
    else { return Response(200, headers: fields, body: file) }
    let range = Field("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)")
    return Response(206, headers: fields + [range], body: Array(file[start...]))
  }

  @Test func everyCallerGetsOneEndingAndEveryImageIsTheRightOne() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    let files = try (0..<Self.sources).map { try Self.file($0) }
    let expected = try files.map { try CodecList.standard.decode($0.span).bitmap.straightRGBA() }
    let open = Guarded([String: Int]())
    let doubled = Counter()
    let origin = try Origin(threads: 4) { head in
      guard let number = Int(head.path.dropFirst()) else { return Response(404) }
      return Self.answer(head, files[number], seed)
    }
    defer { origin.stop() }
    let folder = try TemporaryDirectory()
    let transport = WatchedTransport(open: open, doubled: doubled)
    let clock = ManualClock()
    var options = PipelineOptions(memory: .steady, disk: DiskOptions(directory: folder.path))
    options.memory.limit = .bytes(1 << 20)
    options.network.queue.maximumPerHost = 6
    options.network.resumption.minimumBytes = 1
    options.network.failures = .none
    options.network.retry = .fixed(maximum: 2, delay: .zero)
    let pipeline = ImagePipeline(options: options, transport: transport, clock: clock.pipelineClock)
    let descriptors = OpenDescriptors.count
    // Whether the image is the right one; nil for an error.
    let endings = Recorder<Bool?>()
    let count = Rounds.fewer(10_000, concurrent: true) / 16
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          var random = SeededGenerator(seed: seed &+ UInt64(worker) &* 7919)
          for _ in 0..<count {
            let number = Int.random(in: 0..<Self.sources, using: &random)
            var request = ImageRequest(
              location: "\(origin.baseURL)/\(number)",
              style: .original
            )
            let policies: [CachePolicy] = [.standard, .standard, .standard, .refresh, .reload]
            request.caching.policy = policies.randomElement(using: &random) ?? .standard
            let task = pipeline.task(for: request)
            if Bool.random(using: &random) { task.priority = .high }
            if Int.random(in: 0..<5, using: &random) == 0 { task.cancel() }
            if Int.random(in: 0..<9, using: &random) == 0 { clock.advance(by: .seconds(30)) }
            do throws(ImageError) {
              let image = try await task.response.image
              endings.add((try? image.straightRGBA()) == expected[number])
            } catch {
              endings.add(nil)
            }
          }
        }
      }
    }
    #expect(endings.items.count == 16 * count)
    #expect(!endings.items.contains(false))
    #expect(endings.items.count { $0 == true } > 8 * count)
    #expect(doubled.count == 0)
    try await until { pipeline.downloads.running == 0 && pipeline.activity.sources == 0 }
    await pipeline.finishWriting()
    #expect(OpenDescriptors.count < descriptors + 200)
    let statistics = pipeline.statistics
    #expect(statistics.retries > 0 && statistics.confirmations > 0 && statistics.downloads > 0)
  }
}

/// Numbers that depend on what they are made of and on nothing else.
private struct Hashed {
  private var generator: SeededGenerator

  init(_ seed: UInt64, _ path: String, _ number: Int) {
    let text = Checksum.of("\(path) \(number)")
    generator = SeededGenerator(seed: seed ^ text)
  }

  mutating func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
}

/// The real transport, with a note of what is under way.
private struct WatchedTransport: Transport {
  let open: Guarded<[String: Int]>
  let doubled: Counter
  let transport = SchemeTransport()

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let underWay = open.withLock { open in
      open[request.url, default: 0] += 1
      return open[request.url] ?? 0
    }
    if underWay > 1 { doubled.add() }
    defer { open.withLock { $0[request.url, default: 0] -= 1 } }
    return try await transport.fetch(request, progress: progress)
  }
}

/// The files and connections this process has open.
private enum OpenDescriptors {
  static var count: Int { (try? Files.list("/proc/self/fd").count) ?? 0 }
}
