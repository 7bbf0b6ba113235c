import IkranPlayback
import IkranStores
import Support
import Testing

/// Many players of few animations, for an hour of manual time.
@Suite(.timeLimit(.minutes(10))) struct ManyPlayersTests {
  /// A player and what it has to show, worked out without a clock.
  private struct Seat {
    let player: Player
    /// The frames of one loop and how long each is shown, in milliseconds.
    let steps: [(frame: Int, milliseconds: Int)]
    /// How long a loop is, in milliseconds.
    let loop: Int
    let thousandths: Int

    /// The frame after so many milliseconds.
    func frame(after milliseconds: Int) -> Int {
      var left = milliseconds * thousandths % (loop * 1000)
      for step in steps {
        if left < step.milliseconds * 1000 { return step.frame }
        left -= step.milliseconds * 1000
      }
      return -1
    }
  }

  @Test func eachOfAHundredPlayersShowsTheRightFrameWithinTheBudget() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let jobs = JobList()
    // A quarter of all frames or so, and more than the hundred that may be shown at a time.
    let store = jobs.store(byteLimit: 300 * FakeFrames.frameBytes)
    let seats = try seats(store, &random)
    for seat in seats {
      seat.player.play()
      seat.player.advance(to: .zero)
    }
    jobs.runAll()
    let end = Rounds.fewer(3_600_000)
    var now = 0
    var faults = 0
    while now < end, faults == 0 {
      now += Int.random(in: 5...500, using: &random)
      for seat in seats { seat.player.advance(to: .milliseconds(now)) }
      jobs.runAll()
      for seat in seats {
        if seat.player.untilNextChange == .zero { seat.player.advance(to: .milliseconds(now)) }
        let shown = seat.player.image.map(FakeFrames.number)
        if shown != seat.frame(after: now) { faults += 1 }
      }
      jobs.runAll()
      if store.byteCount > store.byteLimit { faults += 1 }
    }
    #expect(faults == 0, "seed \(seed), at \(now) ms")
  }

  @MainActor @Test func framesThatThreadsDecodeAreTheRightOnes() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let store = AnimationStore(byteLimit: 300 * FakeFrames.frameBytes, threads: 2)
    let seats = try seats(store, &random)
    for seat in seats {
      seat.player.onEvent = { event in
        guard case .frame(let number, let image) = event else { return }
        if FakeFrames.number(in: image) != number { Issue.record("seed \(seed)") }
      }
      seat.player.play()
    }
    for tick in 0..<Rounds.fewer(20_000, concurrent: true) {
      for seat in seats { seat.player.advance(to: .milliseconds(tick * 16)) }
      if tick % 16 == 0 { BackgroundThread.yield() }
      if tick % 100 == 0 { store.relieveMemory(tick % 200 == 0 ? .warning : .critical) }
    }
    #expect(seats.contains { $0.player.loop > 0 })
  }

  private func seats(
    _ store: AnimationStore,
    _ random: inout SeededGenerator
  ) throws -> [Seat] {
    let sources = (0..<20).map { _ in
      FakeFrames(
        (0..<Int.random(in: 2...120, using: &random)).map { _ in
          Int.random(in: 11...150, using: &random)
        }
      )
    }
    let animations = try sources.map { try Animation($0, store: store) }
    return (0..<100).map { index in
      let durations = animations[index % 20].durations
      let direction = PlaybackOptions.Direction.allCases[index / 20 % 4]
      let thousandths = [1000, 1000, 500, 1700].randomElement(using: &random) ?? 1000
      let options = PlaybackOptions(
        rate: Double(thousandths) / 1000,
        direction: direction,
        loops: .forever
      )
      let up = durations.indices.map { (frame: $0, milliseconds: durations[$0]) }
      let down = Array(up.reversed())
      let steps =
        switch direction {
        case .normal: up
        case .reverse: down
        case .bounce: up + down.dropFirst().dropLast()
        case .reversedBounce: down + up.dropFirst().dropLast()
        }
      return Seat(
        player: Player(animations[index % 20], options: options),
        steps: steps,
        loop: steps.reduce(0) { $0 + $1.milliseconds },
        thousandths: thousandths
      )
    }
  }
}
