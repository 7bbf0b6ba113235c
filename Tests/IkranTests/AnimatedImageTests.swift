import IkranPixels
import IkranPlayback
import IkranStores
import Support
import Testing

@testable import Ikran

/// Animated files through the pipeline.
@Suite(.timeLimit(.minutes(10))) struct AnimatedImageTests {
  private let request = ImageRequest(location: "http://example.test/a.gif", style: .circle(16))
  private static let files = [
    "animation-3-frames.gif", "animation-3-frames.png", "animation-3-frames.webp",
    "animation-3-frames.avif", "animation-3-frames.jxl",
  ].filter { name in
    CodecList.standard.codecs.contains { name.hasSuffix($0.format.rawValue) }
  }

  private func pipeline(
    _ name: String = "animation-3-frames.gif",
    _ options: PipelineOptions = .steady
  ) throws -> ImagePipeline {
    ImagePipeline(options: options, transport: FakeTransport(body: try Fixtures.bytes(name)))
  }

  @Test(arguments: files) func aResponseHasAllFramesInItsStyle(name: String) async throws {
    let response = try await pipeline(name).response(for: request)
    let animation = try #require(response.animation)
    #expect(animation.frameCount == 3)
    #expect(animation.size == PixelSize(width: 16, height: 16))
    let first = try await animation.decodedFrame(at: 0)
    #expect(Self.pixels(first) == Self.pixels(response.image))
    let next = try await animation.decodedFrame(at: 1)
    // The GIF's frames look the same.
    if name.hasSuffix("gif") == false { #expect(Self.pixels(next) != Self.pixels(first)) }
    // A circle's corner is transparent in every frame.
    #expect(Self.pixels(next).prefix(4) == [0, 0, 0, 0])
  }

  @Test(
    .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
    arguments: ["apng/hidden-default-image.png", "apng/wuffs--artificial-png-apng-skip-idat.png"]
  )
  func theImageIsTheFirstFrameAlsoWhereAPNGHidesAnother(path: String) async throws {
    let pipeline = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: try Corpus.bytes(path))
    )
    let response = try await pipeline.response(for: request)
    let first = try await #require(response.animation).decodedFrame(at: 0)
    #expect(Self.pixels(first) == Self.pixels(response.image))
  }

  @Test func aStillStaysAStill() async throws {
    let still = ImagePipeline(
      options: .steady,
      transport: FakeTransport(body: try TestImages.png(width: 20, height: 20))
    )
    #expect(try await still.response(for: request).animation == nil)
  }

  @Test func whoeverHasTheSameImageSharesItsFrames() async throws {
    let pipeline = try pipeline()
    let first = try #require(try await pipeline.response(for: request).animation)
    _ = try await first.decodedFrame(at: 1)
    let response = try await pipeline.response(for: request)
    #expect(response.source == .memory)
    #expect(response.animation?.frame(at: 1) != nil)
  }

  @Test func theFirstFrameIsEnoughWhereNothingIsToMove() async throws {
    var options = PipelineOptions.steady
    options.decoding.animates = false
    let response = try await pipeline("animation-3-frames.gif", options).response(for: request)
    #expect(response.frames == 3)
    #expect(response.animation == nil)
  }

  @Test func memoryCountsTheFileOfAnAnimation() async throws {
    let pipeline = try pipeline()
    let response = try await pipeline.response(for: request)
    let expected = response.image.byteCount + response.encodedBytes
    #expect(pipeline.context.images.statistics.byteCount == expected)
  }

  @Test func aSecondProcessHasAllFrames() async throws {
    let folder = try TemporaryDirectory()
    let options = PipelineOptions(
      disk: DiskOptions(directory: folder.path),
      tables: TableOptions()
    )
    let first = try pipeline("animation-3-frames.gif", options)
    _ = try await first.response(for: request)
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: FakeTransport(body: []))
    var cached = request
    cached.caching.policy = .onlyCached
    let response = try await second.response(for: cached)
    #expect(response.source == .disk)
    #expect(response.animation?.frameCount == 3)
  }

  @Test func aTableKeepsTheFirstFrameForThoseWhoWantNoOther() async throws {
    let folder = try TemporaryDirectory()
    var options = PipelineOptions(
      disk: DiskOptions(directory: folder.path),
      tables: TableOptions()
    )
    options.decoding.animates = false
    let first = try pipeline("animation-3-frames.gif", options)
    _ = try await first.response(for: request)
    await first.finishWriting()
    let second = ImagePipeline(options: options, transport: FakeTransport(body: []))
    #expect(await second.contains(request).contains(.tables))
    #expect(try await second.response(for: request).source == .table)
    // Who wants all frames does not take it for a still.
    options.decoding.animates = true
    let third = ImagePipeline(options: options, transport: FakeTransport(body: []))
    let response = try await third.response(for: request)
    #expect(response.source == .disk)
    #expect(response.animation?.frameCount == 3)
  }

  // MARK: - While it arrives

  /// A transport that keeps back the end of a GIF until the latch opens, and then brings it or fails.
  private func origin(_ latch: Latch, _ error: TransportError? = nil) throws -> FakeTransport {
    let bytes = try Self.padded(try Fixtures.bytes("animation-3-frames.gif"))
    return FakeTransport { request, progress throws(TransportError) in
      request.onBytes?(Array(bytes.dropLast(20)))
      progress(TransferProgress(received: bytes.count - 20, expected: bytes.count))
      _ = await latch.wait()
      if let error { throw error }
      return TransportResponse(status: 200, headers: .fresh, body: bytes, url: request.url)
    }
  }

  /// The same GIF after a comment of three kilobytes.
  private static func padded(_ gif: [UInt8]) throws -> [UInt8] {
    let header = 13 + 3 << (Int(gif[10]) & 7 + 1)
    let comment = [0x21, 0xFE] + [UInt8](repeating: 255, count: 12 * 256) + [0]
    return Array(gif[..<header]) + comment + gif[header...]
  }

  @Test func whatHasArrivedPlaysWhileTheRestComes() async throws {
    let latch = Latch()
    let pipeline = ImagePipeline(options: .steady, transport: try origin(latch))
    var early: Animation?
    for await event in pipeline.events(for: request) {
      switch event {
      case .preview(let response):
        #expect(early == nil, "one preview is enough")
        early = response.animation
        #expect(early?.info.end == .arriving)
        #expect(response.image.size == PixelSize(width: 16, height: 16))
        latch.open()
      case .finished(let response):
        let early = try #require(early)
        #expect(early.frameCount == 3)
        #expect(early.info.isComplete)
        // They share their frames.
        _ = try await early.decodedFrame(at: 2)
        #expect(response.animation?.frame(at: 2) != nil)
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
  }

  @Test func whatHasArrivedOfATransferThatFailsPlaysAndEnds() async throws {
    let latch = Latch()
    let pipeline = ImagePipeline(
      options: .steady,
      transport: try origin(latch, .cannotConnect("example.test"))
    )
    var quick = request
    quick.transfer.retry = RetryPolicy.none
    var early: Animation?
    var hasFailed = false
    for await event in pipeline.events(for: quick) {
      switch event {
      case .preview(let response):
        early = response.animation
        latch.open()
      case .failed: hasFailed = true
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
    #expect(hasFailed)
    guard case .broken = early?.info.end else {
      Issue.record("\(String(describing: early?.info.end))")
      return
    }
  }

  @Test func aTransferThatBeginsAgainGoesOnWithItsPreview() async throws {
    let bytes = try Self.padded(try Fixtures.bytes("animation-3-frames.gif"))
    let (broken, latch) = (Latch(), Latch())
    let tries = Recorder<Int>()
    let transport = FakeTransport { request, progress throws(TransportError) in
      tries.add(1)
      let isFirst = tries.items.count == 1
      // The second try looks at less than the first one has seen.
      request.onBytes?(Array(bytes.dropLast(isFirst ? 20 : 100)))
      guard isFirst else {
        _ = await latch.wait()
        return TransportResponse(status: 200, headers: .fresh, body: bytes, url: request.url)
      }
      _ = await broken.wait()
      throw .cannotConnect("example.test")
    }
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    var again = request
    again.transfer.retry = RetryPolicy(maximum: 1, delay: .fixed(.zero))
    var previews: [ImageResponse] = []
    for await event in pipeline.events(for: again) {
      switch event {
      case .preview(let response):
        previews.append(response)
        broken.open()
        latch.open()
      case .finished(let response):
        #expect(previews.count == 1)
        #expect(previews.first?.animation?.info.isComplete == true)
        #expect(response.animation?.frameCount == 3)
      case .progress: break
      default: Issue.record("\(event)")
      }
    }
  }

  @Test func whoDoesNotListenCostsNothing() async throws {
    let latch = Latch()
    latch.open()
    let pipeline = ImagePipeline(options: .steady, transport: try origin(latch))
    let response = try await pipeline.response(for: request)
    #expect(response.animation?.frameCount == 3)
  }

  private static func pixels(_ bitmap: Bitmap) -> [UInt8] {
    (0..<bitmap.height).flatMap { y in
      bitmap.withRow(y) { row in row.indices.map { row[$0] } }
    }
  }
}
