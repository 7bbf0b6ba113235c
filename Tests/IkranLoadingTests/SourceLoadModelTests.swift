import Support
import Testing

@testable import Ikran

/// Random events, in random order: whatever happens, the rules keep what they promise.
@Suite(.timeLimit(.minutes(10)))
struct SourceLoadModelTests {
  @Test(arguments: 0..<10)
  func aMillionRandomEventsBreakNoRule(_ part: Int) async {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var events = 0
    while events < (Rounds.areAll ? 100_000 : 1_000) {
      var walk = SourceLoadWalk(random, subscribers: Int.random(in: 1...12, using: &random))
      while walk.mayGoOn { walk.step() }
      walk.finish()
      // Other tests want this thread, too.
      await Task.yield()
      events += walk.events
      random = walk.random
      guard let violation = walk.violation else { continue }
      let history = walk.history.suffix(40).map { "\($0)" }.joined(separator: "\n")
      Issue.record("seed \(seed), event \(events): \(violation)\n\(history)")
      return
    }
  }
}
