import IkranTesting
import Support
import Testing

@testable import Ikran

/// Filters of a bitmap on a pipeline's threads.
@Suite(.timeLimit(.minutes(10)))
struct ConcurrentFilterTests {
  /// Says when it runs, and waits to go on.
  private struct Held: CustomFilter {
    let name: String
    let entered = Latch()
    let release = ThreadLatch()
    let runs = Counter()

    func apply(to picture: Bitmap, scale: Double) -> Bitmap {
      runs.add()
      entered.open()
      release.wait()
      return picture
    }
  }

  private let pipeline = ImagePipeline.deterministic(transport: FakeTransport(body: [])) {
    $0.decoding.maximumConcurrent = 1
  }

  private func picture() throws -> Bitmap { try TestImages.gradient(width: 32, height: 24) }

  @Test func itGivesWhatFilteredGives() async throws {
    let chain: [Filter] = [.grayed(), .blur(radius: 2), .vignette()]
    let picture = try picture()
    let result = try await picture.filtered(concurrently: chain, scale: 2, on: pipeline)
    #expect(try result.straightRGBA() == picture.filtered(chain, scale: 2).straightRGBA())
  }

  @Test func whatAFilterThrowsIsThrown() async throws {
    let picture = try picture()
    await #expect(throws: FilterError.notFinite(filter: "gamma", parameter: "exponent")) {
      try await picture.filtered(concurrently: [.gamma(.nan)], on: pipeline)
    }
  }

  @Test func aTaskThatIsCancelledBeforehandFiltersNothing() async throws {
    let (picture, held) = (try picture(), Held(name: "held"))
    let start = Latch()
    let task = Task {
      _ = await start.wait()
      return try await picture.filtered(concurrently: [.custom(held)], on: pipeline)
    }
    task.cancel()
    start.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(held.runs.count == 0)
  }

  @Test func cancellingStopsBeforeTheNextFilter() async throws {
    let (picture, first, second) = (try picture(), Held(name: "first"), Held(name: "second"))
    let task = Task {
      try await picture.filtered(concurrently: [.custom(first), .custom(second)], on: pipeline)
    }
    #expect(await first.entered.wait())
    task.cancel()
    first.release.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(second.runs.count == 0)
  }

  @Test func cancellingLeavesTheQueue() async throws {
    let (picture, running, waiting) = (try picture(), Held(name: "runs"), Held(name: "waits"))
    let first = Task {
      try await picture.filtered(concurrently: [.custom(running)], on: pipeline)
    }
    #expect(await running.entered.wait())
    let second = Task {
      try await picture.filtered(concurrently: [.custom(waiting)], on: pipeline)
    }
    try await until { pipeline.context.computing.waiting >= 1 }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    running.release.open()
    _ = try await first.value
    #expect(waiting.runs.count == 0)
  }
}
