import IkranPlayback
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct PlaybackClockTests {
  @Test func aClockThatWasNotStartedStandsAtTheBeginning() {
    var clock = PlaybackClock(durations: [100, 200], plays: nil)
    clock.advance(by: .seconds(1))
    #expect(clock.frame == 0)
    #expect(clock.state == .stopped)
    #expect(clock.untilNextChange == nil)
  }

  @Test func theFrameChangesExactlyWhenItsTimeIsOver() {
    var clock = playing([100, 200])
    clock.advance(by: .nanoseconds(99_999_999))
    #expect(clock.frame == 0)
    clock.advance(by: .nanoseconds(1))
    #expect(clock.frame == 1)
    #expect(clock.untilNextChange == .milliseconds(200))
  }

  @Test func lateFramesAreSkipped() {
    var clock = playing([100, 100, 100, 100])
    clock.advance(by: .milliseconds(250))
    #expect(clock.frame == 2)
    #expect(clock.untilNextChange == .milliseconds(50))
  }

  @Test(
    arguments: [
      (.normal, [0, 1, 2, 0, 1, 2, 0]), (.reverse, [2, 1, 0, 2, 1, 0, 2]),
      (.bounce, [0, 1, 2, 1, 0, 1, 2]), (.reversedBounce, [2, 1, 0, 1, 2, 1, 0]),
    ] as [(PlaybackOptions.Direction, [Int])]
  )
  func framesAppearInTheOrderOfTheDirection(direction: PlaybackOptions.Direction, order: [Int]) {
    var clock = playing([10, 20, 30], PlaybackOptions(direction: direction))
    let shown = order.map { _ in
      defer { if let next = clock.untilNextChange { clock.advance(by: next) } }
      return clock.frame
    }
    #expect(shown == order)
  }

  @Test(
    arguments: [
      (.normal, 2), (.reverse, 0), (.bounce, 0), (.reversedBounce, 2),
    ] as [(PlaybackOptions.Direction, Int)]
  )
  func theLastLoopEndsAtTheEndOfItsDirection(direction: PlaybackOptions.Direction, last: Int) {
    var clock = playing([10, 10, 10], PlaybackOptions(direction: direction, loops: .times(3)))
    let passed = clock.advance(by: .seconds(1))
    #expect(passed.loops == 3)
    #expect(passed.hasEnded)
    #expect(clock.state == .ended)
    #expect(clock.frame == last)
    #expect(clock.untilNextChange == nil)
  }

  @Test func theFileSaysHowOftenItPlays() {
    var clock = PlaybackClock(durations: [10, 10], plays: 2)
    clock.play()
    #expect(!clock.advance(by: .milliseconds(39)).hasEnded)
    #expect(clock.advance(by: .milliseconds(1)).hasEnded)
    #expect(clock.loop == 2)
  }

  @Test(
    arguments: [
      (.first, 0), (.last, 2), (.nth(1), 1), (.nth(9), 2), (.nth(-1), 0),
    ] as [(PlaybackOptions.Frames, Int)]
  )
  func aStillShowsItsFrameAtAnyTime(frames: PlaybackOptions.Frames, shown: Int) {
    var clock = playing([10, 10, 10], PlaybackOptions(frames: frames))
    clock.advance(by: .milliseconds(15))
    #expect(clock.frame == shown)
    #expect(clock.untilNextChange == nil)
  }

  @Test func aStallCountsAsTheLongestStep() {
    var clock = playing([100, 100, 100, 100], PlaybackOptions(maximumStep: .milliseconds(150)))
    clock.advance(by: .seconds(60))
    #expect(clock.frame == 2)
    #expect(clock.loop == 0)
  }

  @Test func aFrameLongerThanTheLongestStepIsNotShortened() {
    var clock = playing([5000, 100], PlaybackOptions(maximumStep: .milliseconds(10)))
    clock.advance(by: .milliseconds(5001))
    #expect(clock.frame == 1)
    #expect(clock.untilNextChange == .milliseconds(99))
  }

  @Test func aRateChangesHowFastTimePasses() {
    var clock = playing([100, 100], PlaybackOptions(rate: 2.5))
    #expect(clock.untilNextChange == .milliseconds(40))
    clock.options.rate = 0.1
    #expect(clock.untilNextChange == .seconds(1))
    clock.advance(by: .milliseconds(500))
    clock.options.rate = 1
    #expect(clock.untilNextChange == .milliseconds(50))
  }

  @Test(arguments: [(0, 0.001), (-3, 0.001), (.nan, 1), (.infinity, 1000)] as [(Double, Double)])
  func anImpossibleRateBecomesTheNearestOne(rate: Double, expected: Double) {
    #expect(PlaybackOptions(rate: rate).rate == expected)
  }

  @Test func shortStepsComeToTheSameAsOneLongStep() {
    let options = PlaybackOptions(rate: 1.001, maximumStep: nil)
    let step = Duration.seconds(1) / 60
    let count = Rounds.fewer(1_000_000)
    var short = playing([33, 16, 17], options)
    for _ in 0..<count { short.advance(by: step) }
    var long = playing([33, 16, 17], options)
    long.advance(by: step * count)
    #expect(short == long)
  }

  @Test func pausedTimeDoesNotCount() {
    var clock = playing([100, 100])
    clock.advance(by: .milliseconds(60))
    clock.pause()
    clock.advance(by: .milliseconds(500))
    clock.resume()
    #expect(clock.untilNextChange == .milliseconds(40))
  }

  @Test func playingAgainAfterTheEndBeginsAgain() {
    var clock = playing([10, 10], PlaybackOptions(loops: .once))
    clock.advance(by: .seconds(1))
    clock.resume()
    #expect(clock.state == .ended)
    clock.play()
    #expect(clock.frame == 0)
    #expect(clock.loop == 0)
    #expect(clock.untilNextChange == .milliseconds(10))
  }

  @Test func seekingStaysInTheLoop() {
    var clock = playing([10, 10, 10])
    clock.advance(by: .milliseconds(35))
    clock.seek(toFrame: 2)
    #expect(clock.frame == 2)
    #expect(clock.loop == 1)
    clock.seek(to: .milliseconds(12))
    #expect(clock.frame == 1)
    #expect(clock.untilNextChange == .milliseconds(8))
    clock.seek(to: .seconds(100))
    #expect(clock.frame == 2)
  }

  @Test func seekingAfterTheEndPlaysTheRestOfTheLastLoop() {
    var clock = playing([10, 10, 10], PlaybackOptions(loops: .times(2)))
    clock.advance(by: .seconds(1))
    clock.seek(toFrame: 1)
    #expect(clock.state == .playing)
    #expect(clock.loop == 1)
    #expect(clock.advance(by: .milliseconds(20)).hasEnded)
  }

  @Test func turningAroundKeepsTheFrameAndHowLongItWasShown() {
    var clock = playing([10, 20, 30])
    clock.advance(by: .milliseconds(15))
    clock.options.direction = .reverse
    #expect(clock.frame == 1)
    #expect(clock.untilNextChange == .milliseconds(15))
    clock.advance(by: .milliseconds(15))
    #expect(clock.frame == 0)
  }

  @Test func aFileThatIsArrivingWaitsAtItsLastFrame() {
    var clock = PlaybackClock(durations: [10, 10], plays: 1, isComplete: false)
    clock.play()
    clock.advance(by: .milliseconds(500))
    #expect(clock.frame == 1)
    #expect(clock.untilNextChange == nil)
    clock.extend(durations: [10, 10, 10], isComplete: true)
    clock.advance(by: .milliseconds(1))
    #expect(clock.frame == 2)
    #expect(clock.advance(by: .milliseconds(10)).hasEnded)
  }

  @Test func noDurationsAreOneFrame() {
    var clock = playing([])
    #expect(clock.frame == 0)
    #expect(clock.advance(by: .milliseconds(200)).loops == 2)
  }

  @Test func extremeNumbersDoNotTrap() {
    var clock = playing(
      [.max, 0, -5, .min],
      PlaybackOptions(rate: .infinity, direction: .bounce, loops: .times(.max), maximumStep: nil)
    )
    clock.advance(by: Duration(attoseconds: .max))
    clock.advance(by: Duration(attoseconds: .min))
    clock.seek(to: Duration(attoseconds: .min))
    clock.seek(to: Duration(attoseconds: .max))
    clock.seek(toFrame: .min)
    clock.seek(toFrame: .max)
    clock.options.maximumStep = Duration(attoseconds: .max)
    clock.advance(by: Duration(attoseconds: .max))
    #expect((0..<4).contains(clock.frame))
  }

  private func playing(
    _ durations: [Int],
    _ options: PlaybackOptions = PlaybackOptions()
  ) -> PlaybackClock {
    var clock = PlaybackClock(durations: durations, plays: nil, options: options)
    clock.play()
    return clock
  }
}
