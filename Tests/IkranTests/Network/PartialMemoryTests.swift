import Ikran
import IkranTesting
import IkranTransport
import Support
import Testing

/// What arrived of broken transfers, where no folder holds it.
@Suite(.timeLimit(.minutes(10)))
struct PartialMemoryTests {
  private static let size = 300_000
  private let transport = FakeTransport()

  /// What lets go of memory.
  enum Verb: CaseIterable {
    case trim, warning, critical, removeAll, background
  }

  /// A pipeline with room for 1 MB of partial bodies.
  private func pipeline(
    _ configure: @escaping (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    .deterministic(transport: transport) { options in
      options.memory.limit = .bytes(8 << 20)
      configure(&options)
    }
  }

  private func request(_ number: Int) -> ImageRequest {
    ImageRequest(location: "http://a.test/\(number).png", style: .original)
  }

  /// Has downloads break off, one after the other.
  private func breakOff(_ numbers: Range<Int>, in pipeline: ImagePipeline) async {
    transport.respond(
      with: FakeResponse(
        headers: [HeaderField("ETag", "\"1\""), HeaderField("Content-Length", "900000")],
        body: Array(repeating: 1, count: Self.size),
        failure: .timedOut(after: .seconds(1))
      )
    )
    for number in numbers {
      await #expect(throws: ImageError.self) { try await pipeline.image(for: request(number)) }
      await pipeline.finishWriting()
    }
  }

  /// Whether a new download goes on from what arrived of the one before.
  private func isResumed(_ number: Int, in pipeline: ImagePipeline) async throws -> Bool {
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request(number)) }
    let last = try #require(transport.requests.last)
    return last.headers.contains { $0.name == "Range" }
  }

  @Test func whatArrivedOfBrokenTransfersCountsAsMemory() async throws {
    let pipeline = pipeline()
    await breakOff(0..<3, in: pipeline)
    let usage = await pipeline.usage
    #expect(usage.memory.count == 3)
    #expect(usage.memory.bytes == 3 * Self.size)
    #expect(usage.partial.count == 0)
    #expect(try await isResumed(0, in: pipeline))
  }

  @Test func besideAnEncryptedDiskCacheItCountsAsMemoryToo() async throws {
    let folder = try TemporaryDirectory()
    let key = try EncryptionKey(Array(repeating: 7, count: 32))
    let pipeline = pipeline {
      $0.disk = DiskOptions(directory: folder.path, encryptionKey: key)
    }
    await breakOff(0..<2, in: pipeline)
    #expect(await pipeline.usage.memory.bytes == 2 * Self.size)
  }

  @Test func itStaysWithinAnEighthOfMemorysLimitAndTheOldestGoes() async throws {
    let pipeline = pipeline()
    await breakOff(0..<8, in: pipeline)
    #expect(await pipeline.usage.memory.count == 3)
    #expect(try await isResumed(7, in: pipeline))
    #expect(try await !isResumed(0, in: pipeline))
  }

  @Test(arguments: Verb.allCases)
  func itGoesWithTheRestOfMemory(_ verb: Verb) async throws {
    let pipeline = pipeline()
    await breakOff(0..<1, in: pipeline)
    switch verb {
    case .trim: pipeline.trimMemory(toBytes: 0)
    case .warning: pipeline.relieveMemory(.warning)
    case .critical: pipeline.relieveMemory(.critical)
    case .removeAll: await pipeline.removeAll(from: .memory)
    case .background: pipeline.isInBackground = true
    }
    #expect(await pipeline.usage.memory.bytes == 0)
    #expect(try await !isResumed(0, in: pipeline))
  }

  @Test func trimmingLeavesATenthForIt() async throws {
    let pipeline = pipeline()
    await breakOff(0..<3, in: pipeline)
    pipeline.trimMemory(toBytes: 7_000_000)
    #expect(await pipeline.usage.memory.bytes == 2 * Self.size)
  }

  @Test func itIsGoneWhenItIsTooOld() async throws {
    let pipeline = pipeline { $0.network.resumption.maximumAge = .seconds(60) }
    await breakOff(0..<1, in: pipeline)
    transport.clock.advance(by: .seconds(60))
    await breakOff(1..<2, in: pipeline)
    #expect(await pipeline.usage.memory.count == 2)
    transport.clock.advance(by: .seconds(1))
    #expect(await pipeline.usage.memory.count == 1)
    transport.clock.advance(by: .seconds(60))
    #expect(try await !isResumed(1, in: pipeline))
  }
}
