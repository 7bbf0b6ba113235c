import IkranCodecs
import IkranPixels
import Support
import Testing

@testable import Ikran

/// The driver of the rules: late answers and cancelled callers.
@Suite(.timeLimit(.minutes(10)))
struct SourceLoaderTests {
  private static func request(_ side: Double) -> ImageRequest {
    ImageRequest(location: "http://example.test/a.png", style: .circle(side))
  }

  @Test func aWithdrawnDecodeEndsNoLaterRequest() async throws {
    let codec = SecondHeldCodec()
    var options = PipelineOptions.steady
    options.decoding.maximumConcurrent = 1
    let pipeline = ImagePipeline(
      options: options,
      transport: FakeTransport(body: try TestImages.png(width: 64, height: 48)),
      codecs: CodecList([codec])
    )
    _ = try await pipeline.image(for: Self.request(8))
    let first = Task { try await pipeline.image(for: Self.request(16)) }
    await codec.arrived.arrivals(1)
    codec.arrived.open()
    first.cancel()
    _ = await first.result
    try await until { pipeline.activity.sources == 0 }
    let second = Task { try await pipeline.image(for: Self.request(24)) }
    try await until { pipeline.activity.requests == 1 }
    codec.door.open()
    #expect(try await second.value.size == PixelSize(width: 24, height: 24))
  }

  @Test func whatIsCancelledBeforeItsDecodeBeginsIsNeverDecoded() async throws {
    let codec = LatchedCodec()
    var options = PipelineOptions.steady
    options.decoding.maximumConcurrent = 1
    let pipeline = ImagePipeline(
      options: options,
      transport: FakeTransport(body: try TestImages.png(width: 64, height: 48)),
      codecs: CodecList([codec])
    )
    func load(_ name: String) -> Task<Bitmap, any Error> {
      let request = ImageRequest(location: "http://example.test/\(name).png", style: .circle(8))
      return Task { try await pipeline.image(for: request) }
    }
    let first = load("a")
    try await until { codec.arrivals.count == 1 }
    let others = ["b", "c"].map { load($0) }
    try await until { pipeline.context.computing.waiting == 2 }
    pipeline.cancelAll()
    #expect(pipeline.context.computing.waiting == 0)
    for load in others + [first] {
      await #expect(throws: ImageError.cancelled) { try await load.value }
    }
    codec.latch.open()
    _ = try await load("d").value
    #expect(codec.arrivals.count == 2)
  }
}

/// PNG, whose second decode waits for a door.
private final class SecondHeldCodec: Codec {
  let door = ThreadLatch()
  let arrived = Latch()
  private let count = Counter()

  var format: ImageFormat { .png }

  func recognizes(_ bytes: Span<UInt8>) -> Bool { PNGDecoder().recognizes(bytes) }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try PNGDecoder().probe(bytes)
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    count.add()
    if count.count == 2 {
      Task { await arrived.wait() }
      door.wait()
    }
    return try PNGDecoder().decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }
}
