import Testing

@testable import ikran_gallery

struct FrameTimesTests {
  @Test func percentilesAreTimesThatWereMeasured() {
    var times = FrameTimes(capacity: 100)
    for time in (1...100).shuffled() { times.add(Double(time)) }
    #expect(times.percentile(0.5) == 50)
    #expect(times.percentile(0.99) == 99)
    #expect(times.percentile(1) == 100)
    #expect(times.percentile(0) == 1)
    #expect(times.overBudget == 84)
  }

  @Test func theOldestMakeRoom() {
    var times = FrameTimes(capacity: 3)
    for time in 1...5 { times.add(Double(time)) }
    #expect(times.times == [3, 4, 5])
    #expect(times.count == 5)
  }

  @Test func withoutFramesThereAreNoTimes() {
    let times = FrameTimes(capacity: 3)
    #expect(times.percentile(0.5) == 0)
    #expect(times.overBudget == 0)
  }
}
