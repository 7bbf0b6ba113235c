import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranTesting
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct PlayerTests {
  /// A player, the jobs of its store and what it has reported.
  private final class Stage {
    let jobs = JobList()
    let source: FakeFrames
    let player: Player
    private(set) var events: [String] = []

    init(_ source: FakeFrames, _ options: PlaybackOptions = PlaybackOptions()) throws {
      self.source = source
      player = Player(
        try Animation(source, store: jobs.store(byteLimit: 1 << 20)),
        options: options
      )
      player.onEvent = { [unowned self] event in
        switch event {
        case .frame(let number, let image):
          events.append("frame \(number)")
          if FakeFrames.number(in: image) != number { events.append("a wrong picture") }
        case .loop(let count): events.append("loop \(count)")
        case .end: events.append("end")
        case .error(let error): events.append("error \(error)")
        }
      }
    }

    /// Goes on, with everything decoded that is due.
    func advance(to milliseconds: Int) {
      player.advance(to: .milliseconds(milliseconds))
      jobs.runAll()
      if player.untilNextChange == .zero { player.advance(to: .milliseconds(milliseconds)) }
    }
  }

  @Test func eventsComeInOrder() throws {
    let stage = try Stage(FakeFrames([100, 100], plays: 2))
    stage.player.play()
    for time in stride(from: 0, through: 500, by: 100) { stage.advance(to: time) }
    let first = ["frame 0", "frame 1", "loop 1", "frame 0", "frame 1", "loop 2", "end"]
    #expect(stage.events == first)
    #expect(stage.player.state == .ended)
    #expect(stage.player.untilNextChange == nil)
  }

  @Test func optionsThatLeaveNoLoopEndAPlayer() throws {
    let stage = try Stage(FakeFrames([100, 100]))
    stage.player.play()
    for time in stride(from: 0, through: 500, by: 100) { stage.advance(to: time) }
    stage.player.options.loops = .once
    #expect(stage.player.state == .ended)
    stage.advance(to: 600)
    stage.advance(to: 700)
    #expect(stage.events.filter { $0 == "end" } == ["end"])
    #expect(stage.events.last == "end")
  }

  @Test func aPlayerThatWasNotStartedShowsTheFirstFrame() throws {
    let stage = try Stage(FakeFrames([100, 100]))
    stage.advance(to: 0)
    stage.advance(to: 500)
    #expect(stage.events == ["frame 0"])
    #expect(stage.player.image.map(FakeFrames.number) == 0)
    #expect(stage.source.composed == [0])
  }

  @Test func thePictureStaysUntilAFrameIsDecodedAndThenCatchesUp() throws {
    let stage = try Stage(FakeFrames([100, 100, 100, 100, 100]))
    stage.player.play()
    stage.player.advance(to: .zero)
    stage.jobs.runOne()
    #expect(stage.player.advance(to: .zero))
    stage.player.advance(to: .milliseconds(100))
    stage.player.advance(to: .milliseconds(250))
    #expect(stage.player.shownFrame == 0)
    #expect(stage.player.frame == 2)
    #expect(stage.player.untilNextChange == .zero)
    stage.jobs.runAll()
    #expect(stage.player.advance(to: .milliseconds(310)))
    #expect(stage.events == ["frame 0", "frame 3"])
    #expect(stage.player.droppedFrames == 2)
  }

  @Test func framesThatAStepLeadsOverAreCountedAsDroppedAndOthersAreNot() throws {
    let stage = try Stage(FakeFrames([100, 100, 100]))
    stage.player.play()
    for time in stride(from: 0, through: 600, by: 100) { stage.advance(to: time) }
    #expect(stage.player.droppedFrames == 0)
    stage.advance(to: 1_000)
    #expect(stage.player.droppedFrames == 3)
    stage.player.seek(toFrame: 0)
    stage.advance(to: 1_100)
    #expect(stage.player.droppedFrames == 3)
  }

  @Test(arguments: [1, 2])
  func anAnimationThatEndsInTimeHasDroppedNoFrame(plays: Int) throws {
    let stage = try Stage(FakeFrames([100, 100, 100], plays: plays))
    stage.player.play()
    for time in stride(from: 0, through: 900, by: 50) {
      if time == 150 { stage.player.options.rate = 1 }
      stage.advance(to: time)
    }
    #expect(stage.player.state == .ended)
    #expect(stage.player.droppedFrames == 0)
  }

  @Test func aDecoderThatIsTooSlowStillShowsPictures() throws {
    let stage = try Stage(FakeFrames(Array(repeating: 20, count: 50)))
    stage.player.animation.buffering = .none
    stage.player.play()
    stage.player.advance(to: .zero)
    // Each frame takes as long as three are shown.
    for time in 1...20 {
      stage.player.advance(to: .milliseconds(time * 20))
      if time % 3 == 0 { stage.jobs.runOne() }
    }
    #expect(stage.events.count >= 5)
    let shown = stage.events.compactMap { Int($0.dropFirst(6)) }
    #expect(shown == shown.sorted())
  }

  @Test func framesThatArePreloadedAreThereForThePlayer() throws {
    let stage = try Stage(FakeFrames([100, 100, 100]))
    let ahead = stage.player.animation.preload()
    stage.jobs.runAll()
    #expect(stage.source.composed == [0, 1, 2])
    stage.player.play()
    for time in [0, 100, 200] { stage.player.advance(to: .milliseconds(time)) }
    #expect(stage.events == ["frame 0", "frame 1", "frame 2"])
    #expect(stage.source.composed.count == 3)
    withExtendedLifetime(ahead) {}
  }

  @Test func whatIsNotPreloadedAnyMoreIsNotDecoded() throws {
    let stage = try Stage(FakeFrames([100, 100, 100]))
    var ahead: FramePreload? = stage.player.animation.preload()
    stage.jobs.runOne()
    ahead = nil
    stage.jobs.runAll()
    #expect(ahead == nil && stage.source.composed.count <= 2)
  }

  @Test func playersOfOneAnimationComposeEachFrameOnceWhenAllFit() throws {
    let stage = try Stage(FakeFrames([100, 100, 100]))
    let other = Player(stage.player.animation, options: PlaybackOptions(direction: .reverse))
    stage.player.play()
    other.play()
    for time in stride(from: 0, through: 2000, by: 50) {
      other.advance(to: .milliseconds(time))
      stage.advance(to: time)
    }
    #expect(stage.source.composed.sorted() == [0, 1, 2])
    #expect(stage.player.loop == 6)
    #expect(other.loop == 6)
  }

  @Test func pausedAndHiddenTimeDoesNotCount() throws {
    let stage = try Stage(FakeFrames([100, 100, 100, 100]))
    stage.player.play()
    stage.advance(to: 0)
    stage.advance(to: 110)
    stage.player.pause()
    stage.advance(to: 900)
    stage.player.resume()
    stage.advance(to: 950)
    #expect(stage.player.shownFrame == 1)
    stage.player.isVisible = false
    stage.advance(to: 2000)
    stage.player.isVisible = true
    stage.advance(to: 3000)
    #expect(stage.player.shownFrame == 1)
    stage.advance(to: 3095)
    #expect(stage.player.shownFrame == 2)
  }

  @Test func seekingShowsOnlyTheFrameThatWasSought() throws {
    let stage = try Stage(FakeFrames(Array(repeating: 100, count: 9)))
    stage.advance(to: 0)
    stage.player.seek(toFrame: 6)
    stage.advance(to: 10)
    stage.player.seek(to: .milliseconds(250))
    stage.advance(to: 20)
    #expect(stage.events == ["frame 0", "frame 6", "frame 2"])
  }

  @Test func stoppingGoesToTheBeginning() throws {
    let stage = try Stage(FakeFrames([100, 100]))
    stage.player.play()
    stage.advance(to: 0)
    stage.advance(to: 150)
    stage.player.stop()
    stage.advance(to: 160)
    #expect(stage.player.shownFrame == 0)
    #expect(stage.player.state == .stopped)
  }

  @Test func aStillShowsItsFrame() throws {
    let stage = try Stage(FakeFrames([100, 100, 100]), PlaybackOptions(frames: .last))
    stage.player.play()
    stage.advance(to: 0)
    stage.advance(to: 500)
    #expect(stage.events == ["frame 2"])
  }

  @Test func aDamagedFrameIsReportedOnceAndTheRestPlays() throws {
    var source = FakeFrames([100, 100, 100])
    source.damaged = [1]
    let stage = try Stage(source, PlaybackOptions(loops: .times(2)))
    stage.player.play()
    for time in stride(from: 0, through: 600, by: 50) { stage.advance(to: time) }
    let expected = [
      "frame 0", "error \(FakeFrames.damage)", "frame 2", "loop 1", "frame 0", "frame 2", "loop 2",
      "end",
    ]
    #expect(stage.events == expected)
  }

  @Test func aFileThatBreaksOffPlaysWhatHasArrivedAndThenReportsOneError() throws {
    let stage = try Stage(FakeFrames([100], end: .arriving), PlaybackOptions(loops: .times(2)))
    stage.player.play()
    stage.advance(to: 0)
    stage.advance(to: 700)
    stage.player.animation.update(with: FakeFrames([100, 100], end: .arriving))
    stage.advance(to: 800)
    stage.advance(to: 900)
    stage.player.animation.update(with: FakeFrames([100, 100], end: .broken(FakeFrames.damage)))
    for time in stride(from: 1000, through: 1500, by: 100) { stage.advance(to: time) }
    let expected = [
      "frame 0", "frame 1", "loop 1", "frame 0", "error \(FakeFrames.damage)", "frame 1", "loop 2",
      "end",
    ]
    #expect(stage.events == expected)
  }

  @Test func aHandlerMayControlThePlayer() throws {
    let stage = try Stage(FakeFrames([100, 100, 100]))
    let player = stage.player
    player.onEvent = { [unowned player] event in
      if case .frame(1, _) = event { player.pause() }
    }
    player.play()
    for time in stride(from: 0, through: 600, by: 100) { stage.advance(to: time) }
    #expect(player.state == .paused)
    #expect(player.shownFrame == 1)
  }

  @Test func theTimeAfterTheEndDoesNotCountWhenAnEndedPlayerIsSentBack() throws {
    let stage = try Stage(FakeFrames([100, 100, 100], plays: 1))
    stage.player.play()
    for time in stride(from: 0, through: 400, by: 100) { stage.advance(to: time) }
    #expect(stage.player.state == .ended)
    stage.player.seek(toFrame: 0)
    stage.advance(to: 60_000)
    #expect(stage.player.frame == 0)
  }

  @Test func oneFrameForAnotherPurposeTakesNoneFromAPlayer() throws {
    let jobs = JobList()
    let store = jobs.store(byteLimit: 40 * FakeFrames.frameBytes)
    let player = Player(try Animation(FakeFrames([Int](repeating: 50, count: 30)), store: store))
    player.play()
    player.advance(to: .zero)
    jobs.runAll()
    #expect(player.animation.byteCount == 30 * FakeFrames.frameBytes)
    let other = try Animation(FakeFrames([Int](repeating: 50, count: 30)), store: store)
    let still = Player(other, options: PlaybackOptions(frames: .first))
    still.advance(to: .zero)
    jobs.runAll()
    #expect(player.animation.byteCount == 30 * FakeFrames.frameBytes)
    #expect(other.byteCount == FakeFrames.frameBytes)
  }

  @Test func askingForMoreFramesThanAFileHasTakesNoneFromOthers() throws {
    let jobs = JobList()
    let store = jobs.store(byteLimit: 40 * FakeFrames.frameBytes)
    let durations = [Int](repeating: 50, count: 30)
    let greedy = try Animation(FakeFrames([50, 50]), buffering: .frames(1000), store: store)
    let players = [Player(try Animation(FakeFrames(durations), store: store)), Player(greedy)]
    for player in players {
      player.play()
      player.advance(to: .zero)
    }
    jobs.runAll()
    #expect(players[0].animation.byteCount == 30 * FakeFrames.frameBytes)
    #expect(greedy.byteCount == 2 * FakeFrames.frameBytes)
    // A player that has been released shows nothing.
    withExtendedLifetime(players) {}
  }

  @MainActor @Test(arguments: [true, false])
  func aRunningPlayerEndsWhenItIsHiddenOrPaused(_ hides: Bool) async throws {
    let clock = ManualClock()
    let source = FakeFrames([655_350, 100], end: .arriving)
    let player = Player(try Animation(source, store: AnimationStore(threads: 1)))
    player.play()
    let task = Task { await player.run(on: clock) }
    await clock.waitForSleepers()
    if hides { player.isVisible = false } else { player.pause() }
    await task.value
    #expect(player.shownFrame == 0)
  }

  @MainActor @Test func aPlayerRunsWithoutAFrameClock() async throws {
    let clock = ManualClock()
    let animation = try Animation(FakeFrames([100, 100, 100]), store: AnimationStore(threads: 1))
    var shown: [Int] = []
    let player = Player(animation, options: PlaybackOptions(loops: .once)) { event in
      if case .frame(let number, _) = event { shown.append(number) }
    }
    player.play()
    let task = Task { await player.run(on: clock) }
    for _ in 0..<3 {
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(100))
    }
    await task.value
    #expect(shown == [0, 1, 2])
    #expect(player.state == .ended)
  }
}
