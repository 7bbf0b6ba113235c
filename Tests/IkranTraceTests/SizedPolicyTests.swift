import IkranTrace
import TestBasics
import Testing

/// The hits of the memory cache's policy, compared with LRU.
@Suite(.timeLimit(.minutes(10))) struct SizedPolicyTests {
  @Test(arguments: [1, 2] as [UInt64])
  func aFeedHitsMoreOftenThanWithLRU(seed: UInt64) {
    let simulator = PolicySimulator(SampleTrace.feed.requests(seed: seed))
    let own = simulator.run(.sized, byteLimit: 32 << 20)
    let plain = simulator.run(.lru, byteLimit: 32 << 20)
    #expect(own.hitRatio >= plain.hitRatio + 0.1, "seed \(seed)")
    #expect(own.byteHitRatio >= plain.byteHitRatio - 0.02, "seed \(seed)")
  }

  @Test(arguments: [SampleTrace.grid, .server], [32, 128, 512])
  func withEqualSizesItHitsAsOftenAsLRU(trace: SampleTrace, megabytes: Int) {
    let count = Rounds.fewer(40_000, atLeast: 10_000)
    let simulator = PolicySimulator(Array(trace.requests(seed: 1).prefix(count)))
    let own = simulator.run(.sized, byteLimit: megabytes << 20)
    let plain = simulator.run(.lru, byteLimit: megabytes << 20)
    #expect(own.hitRatio >= plain.hitRatio - 0.02)
  }
}
