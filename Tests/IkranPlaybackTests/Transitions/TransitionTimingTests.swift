import IkranPixels
import IkranPlayback
import Testing

private typealias Pictures = TransitionPictures

@Suite(.timeLimit(.minutes(10))) struct TransitionTimingTests {
  private func animation(_ transition: Transition, _ store: AnimationStore? = nil) throws
    -> Animation
  {
    try Animation(
      from: try Pictures.plain(2, 2, [10, 10, 10, 255]),
      to: try Pictures.plain(2, 2, [90, 90, 90, 255]),
      transition: transition,
      store: store ?? AnimationStore(threads: 1)
    )
  }

  @Test func aTransitionPlaysOnce() throws {
    #expect(try animation(.fade()).loopCount == 1)
  }

  @Test(arguments: [Duration.zero, .seconds(-5), .milliseconds(22)])
  func theShortestTransitionShowsBothPictures(duration: Duration) throws {
    let transition = Transition.slide(from: .left, duration)
    #expect(transition.duration == .milliseconds(22))
    #expect(try animation(transition).durations == [11, 11])
  }

  @Test func theLongestTransitionTakesAMinute() throws {
    let transition = Transition.wipe(from: .top, .seconds(Int64.max))
    #expect(transition.duration == .seconds(60))
    #expect(try animation(transition).frameCount == 3600)
  }

  @Test(arguments: [Int.min, 0, 1]) func atLeastTwoFramesAreDrawn(rate: Int) throws {
    var transition = Transition.fade(.milliseconds(250))
    transition.framesPerSecond = rate
    #expect(transition.framesPerSecond == 1)
    #expect(try animation(transition).durations == [125, 125])
  }

  @Test(arguments: [90, 91, Int.max]) func atMostNinetyFramesAreDrawnASecond(rate: Int) throws {
    var transition = Transition.fade(.seconds(1))
    transition.framesPerSecond = rate
    #expect(transition.framesPerSecond == 90)
    #expect(try animation(transition).frameCount == 90)
  }

  @Test func framesTogetherTakeExactlyTheDuration() throws {
    for rate in 1...90 {
      for milliseconds in [22, 23, 37, 100, 250, 333, 999, 1001, 59_999] {
        var transition = Transition.fade(.milliseconds(milliseconds))
        transition.framesPerSecond = rate
        let durations = try animation(transition).durations
        #expect(durations.reduce(0, +) == milliseconds)
        #expect(durations.allSatisfy { $0 >= 11 })
      }
    }
  }

  @Test func aPlayerShowsTheFramesAndEndsWithTheNewPicture() throws {
    let jobs = JobList()
    let fade = Pictures.threeFrames(.fade(Pictures.tenth))
    let player = Player(try animation(fade, jobs.store(byteLimit: 1 << 20)))
    var events: [String] = []
    player.onEvent = { event in
      switch event {
      case .frame(let number, let image):
        events.append("frame \(number): \(Pictures.blues(image, row: 1))")
      case .loop(let count): events.append("loop \(count)")
      case .end: events.append("end")
      case .error(let error): events.append("\(error)")
      }
    }
    player.play()
    for time in stride(from: 0, through: 200, by: 10) {
      player.advance(to: .milliseconds(time))
      jobs.runAll()
      if player.untilNextChange == .zero { player.advance(to: .milliseconds(time)) }
    }
    let expected = ["frame 0: [10, 10]", "frame 1: [50, 50]", "frame 2: [90, 90]", "loop 1", "end"]
    #expect(events == expected)
    #expect(player.state == .ended)
    #expect(player.shownFrame == 2)
  }

  @Test func aTransitionCanBePlayedBackwards() throws {
    let jobs = JobList()
    let fade = Pictures.threeFrames(.fade(Pictures.tenth))
    let player = Player(
      try animation(fade, jobs.store(byteLimit: 1 << 20)),
      options: PlaybackOptions(direction: .reverse)
    )
    var shown: [Int] = []
    player.onEvent = { if case .frame(let number, _) = $0 { shown.append(number) } }
    player.play()
    for time in stride(from: 0, through: 200, by: 10) {
      player.advance(to: .milliseconds(time))
      jobs.runAll()
      if player.untilNextChange == .zero { player.advance(to: .milliseconds(time)) }
    }
    #expect(shown == [2, 1, 0])
  }
}
