import IkranStores
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(10)))
struct PipelineMemoryTests {
  /// A pipeline with eight images of 4,096 bytes, and the files and decodes they came from.
  private func filled() async throws -> ImagePipeline {
    let png = try TestImages.png(width: 40, height: 40)
    let pipeline = ImagePipeline(
      options: PipelineOptions(
        memory: MemoryOptions(limit: .bytes(65_536), trimsUnderMemoryPressure: false)
      ),
      transport: FakeTransport(body: png)
    )
    for request in requests { _ = try await pipeline.image(for: request) }
    return pipeline
  }

  private let requests = (0..<8).map {
    ImageRequest(location: "http://example.test/\($0).png", style: .circle(32))
  }

  private func held(_ pipeline: ImagePipeline) -> Int {
    pipeline.context.images.statistics.byteCount + pipeline.context.bodies.statistics.byteCount
      + pipeline.context.decodes.statistics.byteCount
  }

  @Test func memoryIsTrimmedToANumberOfBytes() async throws {
    let pipeline = try await filled()
    pipeline.trimMemory(toBytes: 12_000)
    #expect(held(pipeline) <= 12_000)
    #expect(pipeline.cached(for: requests[7]) != nil)
    #expect(pipeline.cached(for: requests[0]) == nil)
    pipeline.trimMemory(toBytes: -1)
    #expect(held(pipeline) == 0)
  }

  @Test func aWarningLeavesHalfOfTheImagesAndCriticalPressureNone() async throws {
    let pipeline = try await filled()
    pipeline.relieveMemory(.warning)
    #expect(pipeline.context.images.statistics.count == 4)
    #expect(pipeline.context.bodies.statistics.byteCount == 0)
    #expect(pipeline.context.decodes.statistics.byteCount == 0)
    pipeline.relieveMemory(.critical)
    #expect(held(pipeline) == 0)
  }

  @Test func inTheBackgroundLessIsHeld() async throws {
    let pipeline = try await filled()
    pipeline.isInBackground = true
    #expect(pipeline.isInBackground)
    #expect(pipeline.context.images.statistics.byteCount == 16_384)
    pipeline.isInBackground = false
    #expect(pipeline.context.images.byteLimit == 65_536)
  }

  @Test func anImageOfOnesOwnStandsInForARequests() async throws {
    let transport = FakeTransport(body: [])
    let pipeline = ImagePipeline(options: .steady, transport: transport)
    let image = try TestImages.gradient(width: 7, height: 7)
    pipeline.store(image, for: requests[0])
    #expect(pipeline.cached(for: requests[0])?.width == 7)
    #expect(try await pipeline.image(for: requests[0]).width == 7)
    #expect(transport.urls.isEmpty)
  }

  @Test(arguments: [true, false])
  func anImageThatLeftMemoryIsFoundWhileItIsHeldIfThatIsWanted(recalls: Bool) async throws {
    var options = PipelineOptions.steady
    options.memory = MemoryOptions(
      limit: .bytes(65_536),
      keepsWeakReferences: recalls,
      trimsUnderMemoryPressure: false
    )
    let png = try TestImages.png(width: 40, height: 40)
    let pipeline = ImagePipeline(options: options, transport: FakeTransport(body: png))
    let held = try await pipeline.image(for: requests[0])
    pipeline.trimMemory(toBytes: 0)
    #expect((pipeline.cached(for: requests[0]) != nil) == recalls)
    withExtendedLifetime(held) {}
  }

  @Test func aCachedImageIsFoundWhileAViewHoldsItsPixels() throws {
    let bitmap = try TestImages.gradient(width: 4, height: 4)
    let image = CachedImage(bitmap, frames: 3, encodedBytes: 5)
    let again = image.weakened()
    let found = try #require(again())
    #expect((found.frames, found.encodedBytes) == (3, 5))
    withExtendedLifetime(image) {}
  }
}
