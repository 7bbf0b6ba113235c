import IkranSystem
import Testing

@testable import IkranService

struct TierBreakerTests {
  private let time = Guarded<Int64>(0)
  private let breaker: TierBreaker

  init() {
    breaker = TierBreaker(limit: 2, pause: .seconds(5)) { [time] in time.withLock { $0 } }
  }

  private func fail(_ count: Int) {
    for _ in 0..<count where breaker.begin() { breaker.end(isGood: false) }
  }

  @Test func noCallIsMadeAfterFailuresInARow() {
    fail(2)
    #expect(!breaker.begin())
  }

  @Test func aCallThatSucceedsForgivesEarlierFailures() {
    fail(1)
    #expect(breaker.begin())
    breaker.end(isGood: true)
    fail(1)
    #expect(breaker.begin())
  }

  @Test func afterAPauseOneCallDecides() {
    fail(2)
    time.withLock { $0 = 4_999_999 }
    #expect(!breaker.begin())
    time.withLock { $0 = 5_000_000 }
    #expect(breaker.begin() && !breaker.begin())
    breaker.end(isGood: false)
    #expect(!breaker.begin())
    time.withLock { $0 = 10_000_000 }
    #expect(breaker.begin())
    breaker.end(isGood: true)
    #expect(breaker.begin() && breaker.begin())
  }

  @Test func aCancelledCallDecidesNothing() {
    fail(2)
    time.withLock { $0 = 5_000_000 }
    #expect(breaker.begin())
    breaker.end(isGood: nil)
    #expect(breaker.begin() && !breaker.begin())
  }
}
