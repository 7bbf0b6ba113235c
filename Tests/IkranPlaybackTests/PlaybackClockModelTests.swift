import IkranPlayback
import Support
import Testing

/// The clock compared with one that walks from frame to frame.
@Suite(.timeLimit(.minutes(10))) struct PlaybackClockModelTests {
  @Test func randomOperationsGiveTheFramesOfTheSlowClock() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.fewer(3000) where !compare(&random) {
      Issue.record("seed \(seed)")
      return
    }
  }

  /// Plays one animation; false when the clocks differ.
  private func compare(_ random: inout SeededGenerator) -> Bool {
    let count = Int.random(in: 1...7, using: &random)
    let durations = (0..<count).map { _ in Int.random(in: 1...200, using: &random) }
    let plays = Bool.random(using: &random) ? nil : Int.random(in: 1...5, using: &random)
    let isComplete = Int.random(in: 0..<4, using: &random) > 0
    let options = options(&random)
    var clock = PlaybackClock(
      durations: durations,
      plays: plays,
      isComplete: isComplete,
      options: options
    )
    var slow = SlowClock(
      durations: durations,
      plays: plays,
      isComplete: isComplete,
      options: options
    )
    for _ in 0..<40 {
      let before = clock
      change(&clock, &slow, &random)
      guard clock.frame == slow.frame, clock.loop == slow.loop, clock.state == slow.state,
        clock.untilNextChange == slow.untilNextChange, changesInTime(clock)
      else {
        Issue.record("\(before) became \(clock), but should be \(slow)")
        return false
      }
    }
    return true
  }

  private func change(
    _ clock: inout PlaybackClock,
    _ slow: inout SlowClock,
    _ random: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<16, using: &random) {
    case 0:
      clock.play()
      slow.play()
    case 1:
      clock.pause()
      slow.pause()
    case 2, 3:
      clock.resume()
      slow.resume()
    case 4 where Bool.random(using: &random):
      clock.stop()
      slow.stop()
    case 5:
      let frame = Int.random(in: 0..<slow.durations.count, using: &random)
      clock.seek(toFrame: frame)
      slow.seek(toFrame: frame)
    case 6:
      let time = Int.random(in: 0...1500, using: &random)
      clock.seek(to: .milliseconds(time))
      slow.seek(toMilliseconds: time)
    case 7:
      let options = options(&random)
      clock.options = options
      slow.set(options)
    case 8 where !slow.isComplete:
      let more = (0..<Int.random(in: 0...2, using: &random)).map { 50 + $0 }
      let isComplete = Bool.random(using: &random)
      clock.extend(durations: slow.durations + more, isComplete: isComplete)
      slow.extend(slow.durations + more, isComplete: isComplete)
    default:
      let elapsed =
        Bool.random(using: &random)
        ? Duration.nanoseconds(Int.random(in: 0...400_000_000, using: &random))
        : slow.untilNextChange ?? .milliseconds(1)
      clock.advance(by: elapsed)
      slow.advance(by: elapsed)
    }
  }

  /// Whether something changes after exactly the time that the clock says.
  private func changesInTime(_ clock: PlaybackClock) -> Bool {
    guard let next = clock.untilNextChange else { return true }
    var (early, exact) = (clock, clock)
    early.advance(by: next - Duration(attoseconds: 1))
    exact.advance(by: next)
    return early.frame == clock.frame && early.loop == clock.loop && early.state == .playing
      && (exact.frame != clock.frame || exact.loop != clock.loop)
  }

  private func options(_ random: inout SeededGenerator) -> PlaybackOptions {
    var options = PlaybackOptions()
    options.rate = [0.001, 0.333, 1, 1, 1, 1.7, 2, 40].randomElement(using: &random) ?? 1
    options.direction =
      PlaybackOptions.Direction.allCases.randomElement(using: &random) ?? .normal
    options.loops = [.file, .forever, .once, .times(3)].randomElement(using: &random) ?? .file
    if Int.random(in: 0..<10, using: &random) == 0 {
      options.frames = [.first, .last, .nth(2)].randomElement(using: &random) ?? .first
    }
    options.maximumStep =
      [nil, .zero, .milliseconds(30), .seconds(1)].randomElement(using: &random) ?? nil
    return options
  }
}
