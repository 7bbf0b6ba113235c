import FoundationEssentials
import Ikran
import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranPlayback
import Support
import Testing

/// Which requests of a pipeline are decoded in other processes, in a process of its own: the
/// decoders are those of a whole program.
@Suite(.timeLimit(.minutes(10))) struct IsolationTests {
  private static let risky = [
    "areas-420.avif", "areas-420.heic", "areas-lossy.jxl", "areas.svg", "areas.svgz",
    "areas-lzw.tif", "areas.dng",
  ]
  private static let others = [
    "areas-420.jpg", "areas-8b.bmp", "areas.ico", "areas.pgm", "areas.qoi", "areas-lossy.webp",
    "indexed.gif", "palette-8b.png",
  ]

  /// A pipeline without caches.
  private static func pipeline(_ isolation: Isolation, threads: Int = 2) -> ImagePipeline {
    var options = PipelineOptions(
      memory: MemoryOptions(limit: .bytes(0)),
      decoding: DecodingOptions(maximumConcurrent: threads)
    )
    options.decoding.isolation = isolation
    return ImagePipeline(options: options)
  }

  private static func request(_ name: String, number: Int = 0) throws -> ImageRequest {
    ImageRequest(data: try Fixtures.bytes(name), id: "\(name) \(number)")
  }

  /// Those whose formats this build reads.
  private static func readable(_ names: [String]) throws -> [String] {
    try names.filter { name in
      let file = try Fixtures.bytes(name)
      return (try? CodecList.standard.probe(file.span)) != nil
    }
  }

  @Test(arguments: Isolation.allCases)
  func theFormatsThatTheOptionNamesAreDecodedInOtherProcesses(_ isolation: Isolation) async {
    await #expect(processExitsWith: .success) { [name = isolation.rawValue as String] in
      let isolation = try #require(Isolation(rawValue: name))
      let pool = DecoderPool.shared
      let pipeline = Self.pipeline(isolation)
      for (names, isApart) in [
        (Self.risky, isolation != .none), (Self.others, isolation == .all),
      ] {
        for name in try Self.readable(names) {
          let started = pool.startedCount
          _ = try await pipeline.image(for: Self.request(name))
          #expect(pool.startedCount == started + (isApart ? 1 : 0), "\(name)")
          pool.endIdle()
        }
      }
      #expect(try OwnProcesses.children().isEmpty)
    }
  }

  @Test func theFramesOfAnAnimationAreDecodedInAnotherProcessToo() async throws {
    let name = "animation-3-frames.avif"
    guard try Self.readable([name]) == [name] else { return }
    await #expect(processExitsWith: .success) {
      let name = "animation-3-frames.avif"
      let pool = DecoderPool.shared
      var wanted: [[UInt8]] = []
      for isolation in [Isolation.none, .risky] {
        let response = try await Self.pipeline(isolation).response(for: Self.request(name))
        let animation = try #require(response.animation)
        #expect(animation.frameCount == 3)
        // Other frames than the first have not been asked for.
        pool.endIdle()
        let started = pool.startedCount
        #expect((started > 0) == (isolation == .risky))
        var frames: [[UInt8]] = []
        for number in 0..<animation.frameCount {
          frames.append(try await animation.decodedFrame(at: number).straightRGBA())
        }
        if isolation == .none { wanted = frames }
        #expect(frames == wanted, "\(isolation)")
        #expect((pool.startedCount > started) == (isolation == .risky))
      }
      #expect(Set(wanted).count == 3)
    }
  }

  /// The header of an AVIF file is read here; a decoder that hangs in the header of another may have
  /// any file.
  @Test(arguments: [("areas-420.avif", true), ("areas-8b.bmp", false)])
  func aDecoderThatHangsIsEndedWithItsRequest(name: String, isKept: Bool) async throws {
    guard try Self.readable([name]) == [name] else { return }
    await #expect(processExitsWith: .success) { [name, isKept] in
      let (pool, transport) = (DecoderPool.shared, FakeTransport())
      transport.respond(with: .ok(try Fixtures.bytes(name), ["ETag": "\"1\""]))
      var options = PipelineOptions.steady
      (options.decoding.isolation, options.decoding.maximumConcurrent) = (.all, 1)
      let pipeline = ImagePipeline(options: options, transport: transport)
      func request(_ name: String) -> ImageRequest {
        ImageRequest(location: "http://a.test/\(name)", style: .circle(8))
      }
      _ = try await pipeline.image(for: request("a"))
      OwnProcesses.stop(try #require(pool.idleProcesses.first))
      let load = Task { try await pipeline.image(for: request("b")) }
      try await until { pool.workingCount == 1 }
      load.cancel()
      await #expect(throws: ImageError.cancelled) { try await load.value }
      // There is one thread: without the end of the decoder it would wait for that for seconds.
      _ = try await pipeline.image(for: request("b"))
      #expect(transport.urls.count == (isKept ? 2 : 3))
      #expect(pool.startedCount == 2)
    }
  }

  /// The frames of what has arrived are looked for in a file of over 2 KB.
  @Test(arguments: [30, 0])
  func aDecoderThatHangsIsEndedWithItsPreview(side: Int) async {
    await #expect(processExitsWith: .success) { [side] in
      let (pool, clock) = (DecoderPool.shared, ManualClock())
      let noise = PNGSample(size: PixelSize(width: side, height: side)) { x, y in
        [UInt16(x * 601 & 0xFFFF), UInt16(y * 907 & 0xFFFF), UInt16((x ^ y) * 257 & 0xFFFF)]
      }
      let file = side > 0 ? noise.bytes : try Fixtures.bytes("palette-8b.png")
      try #require((file.count > 2048) == (side > 0))
      let transport = FakeTransport(clock: clock) { request, _ throws(TransportError) in
        guard request.url.hasSuffix("slow") else {
          return TransportResponse(status: 200, headers: [], body: file, url: request.url)
        }
        request.onBytes?(Array(file.prefix(1)))
        clock.advance(by: .milliseconds(100))
        request.onBytes?(Array(file.dropLast(9)))
        _ = await Latch().wait()
        throw .cancelled
      }
      let pipeline = ImagePipeline.deterministic(transport: transport, clock: clock) {
        ($0.decoding.isolation, $0.decoding.maximumConcurrent) = (.all, 1)
      }
      func request(_ name: String) -> ImageRequest {
        ImageRequest(location: "http://a.test/\(name)", style: .original)
      }
      _ = try await pipeline.image(for: request("a"))
      OwnProcesses.stop(try #require(pool.idleProcesses.first))
      let load = Task { for await _ in pipeline.events(for: request("slow")) {} }
      try await until { pool.workingCount == 1 }
      let start = ContinuousClock.now
      load.cancel()
      // There is one thread: without the end of the decoder it would wait for that for 20 s.
      _ = try await pipeline.image(for: request("b"))
      #expect(ContinuousClock.now - start < .seconds(10))
      #expect(pool.startedCount == 2)
    }
  }

  @Test func aDecoderStartsWhileTheFileIsOnItsWay() async {
    await #expect(processExitsWith: .success) {
      var options = PipelineOptions.steady
      options.decoding.isolation = .all
      let pipeline = ImagePipeline(options: options, transport: HeadTransport())
      _ = try? await pipeline.image(
        for: ImageRequest(location: "http://a.test/a", style: .original)
      )
      try await until { DecoderPool.shared.idleCount == 1 }
    }
  }

  @Test func decodersAreNoMoreThanThreadsThatDecode() async {
    await #expect(processExitsWith: .success) {
      let pool = DecoderPool.shared
      let pipeline = Self.pipeline(.all)
      let names = try Self.readable(Self.risky + Self.others)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          for name in names {
            let request = try Self.request(name, number: number)
            group.addTask { _ = try await pipeline.image(for: request) }
          }
        }
        try await group.waitForAll()
      }
      // None of them has ended: there have never been more.
      #expect(try OwnProcesses.children().count == pool.startedCount)
      #expect(pool.startedCount <= 2)
      #expect(pool.startedCount > 0)
    }
  }
}

/// Brings heads, and no bodies.
private struct HeadTransport: Transport {
  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let type = HeaderField("Content-Type", "Image/PNG; q=1")
    request.onHead?(TransportResponse(status: 200, headers: [type], body: [], url: request.url))
    throw .invalidURL(request.url)
  }
}
