import IkranStores
import Support
import Testing

@testable import Ikran

/// The queue of what is kept of broken transfers.
@Suite(.timeLimit(.minutes(10)))
struct PartialStageTests {
  @Test(arguments: [false, true])
  func whatWaitsToBeWrittenCountsUntilItIsAndNoMoreIsKept(fails: Bool) async throws {
    let folder = try TemporaryDirectory()
    let backlog = Backlog(limit: 1_200)
    let stage = PartialStage(
      ResumptionOptions(),
      directory: fails ? "/proc/none/partial" : folder.path,
      in: StageContext(counters: PipelineCounters(onEvent: nil), backlog: backlog)
    )
    let latch = ThreadLatch()
    stage.pool.later { latch.wait() }
    let beginning = PartialBody(
      validator: "\"1\"",
      total: nil,
      bytes: Array(repeating: 1, count: 600)
    )
    let kept = Counter()
    for key in ["a", "b", "c"] {
      stage.keep(beginning, for: key) {
        true
      } onKept: {
        kept.add()
      }
    }
    #expect(backlog.bytes == 1_200)
    #expect(!backlog.hasRoom)
    latch.open()
    await stage.finishWriting()
    #expect(backlog.bytes == 0)
    #expect(kept.count == (fails ? 0 : 2))
    #expect(await stage.body(for: "b") == (fails ? nil : beginning))
    #expect(await stage.body(for: "c") == nil)
  }

  @Test func whatWaitsIsKeptWhenTheStageIsGone() async throws {
    let folder = try TemporaryDirectory()
    let context = StageContext(
      counters: PipelineCounters(onEvent: nil),
      backlog: Backlog(limit: .max)
    )
    var stage: PartialStage? = PartialStage(
      ResumptionOptions(),
      directory: folder.path,
      in: context
    )
    let (latch, kept) = (ThreadLatch(), Counter())
    stage?.pool.later { latch.wait() }
    let beginning = PartialBody(validator: "\"1\"", total: nil, bytes: [1, 2, 3])
    stage?.keep(beginning, for: "a") {
      true
    } onKept: {
      kept.add()
    }
    stage = nil
    latch.open()
    try await until { kept.count == 1 }
  }
}
