import IkranPlayback

/// A playback clock that walks from frame to frame: slow, and easy to check by reading.
struct SlowClock {
  struct Step: Equatable {
    var frame: Int
    var isBackward: Bool
  }

  private(set) var durations: [Int]
  let plays: Int?
  private(set) var isComplete: Bool
  private(set) var options: PlaybackOptions
  private(set) var state = PlaybackClock.State.stopped
  private(set) var loop = 0
  private var steps: [Step] = []
  private var index = 0
  /// What is left of the step, in thousandths of attoseconds.
  private var left: Int128 = 0

  init(durations: [Int], plays: Int?, isComplete: Bool, options: PlaybackOptions) {
    self.durations = durations
    self.plays = plays
    self.isComplete = isComplete
    self.options = options
    steps = Self.steps(durations.count, options.direction)
    go(to: 0)
  }

  var frame: Int {
    switch options.frames {
    case .animated: break
    case .first: return 0
    case .last: return durations.count - 1
    case .nth(let number): return min(max(number, 0), durations.count - 1)
    }
    guard state == .ended else { return steps[index].frame }
    switch options.direction {
    case .normal, .reversedBounce: return durations.count - 1
    case .reverse, .bounce: return 0
    }
  }

  var untilNextChange: Duration? {
    guard state == .playing, options.frames == .animated, !isNextMissing else { return nil }
    let rate = Int128((options.rate * 1000).rounded())
    return Duration(attoseconds: left / rate + (left % rate > 0 ? 1 : 0))
  }

  mutating func advance(by elapsed: Duration) {
    guard state == .playing, options.frames == .animated else { return }
    var elapsed = elapsed
    if let longest = options.maximumStep, let next = untilNextChange {
      elapsed = min(elapsed, next + longest)
    }
    var passed = elapsed.attoseconds * Int128((options.rate * 1000).rounded())
    while passed >= left {
      if isNextMissing {
        left = 1
        return
      }
      passed -= left
      if index + 1 < steps.count {
        go(to: index + 1)
        continue
      }
      loop += 1
      if let limit, loop >= limit { return end(limit) }
      go(to: 0)
    }
    left -= passed
  }

  mutating func play() {
    if state == .stopped || state == .ended { stop() }
    state = .playing
  }

  mutating func pause() { if state == .playing { state = .paused } }

  mutating func resume() { if state == .paused { state = .playing } }

  mutating func stop() {
    state = .stopped
    loop = 0
    go(to: 0)
  }

  mutating func seek(toFrame frame: Int) {
    go(to: nearest(Step(frame: frame, isBackward: steps[index].isBackward)))
    wakeUp()
  }

  mutating func seek(toMilliseconds time: Int) {
    let reachable = isComplete ? steps : Array(steps.prefix(durations.count))
    var time = time
    for (index, step) in reachable.enumerated() {
      go(to: index)
      if time < durations[step.frame] {
        left -= Int128(time) * 1_000_000_000_000_000_000
        return wakeUp()
      }
      time -= durations[step.frame]
    }
    left = 1_000_000_000_000  // The last nanosecond.
    wakeUp()
  }

  mutating func set(_ new: PlaybackOptions) {
    let old = options
    options = new
    if new.direction != old.direction {
      let (step, kept) = (steps[index], left)
      steps = Self.steps(durations.count, new.direction)
      go(to: nearest(step))
      if state == .playing || state == .paused { left = kept }
      if state == .stopped { go(to: 0) }
      if state == .ended { index = steps.count - 1 }
    }
    if let limit, loop >= limit, state != .stopped { end(limit) }
  }

  mutating func extend(_ durations: [Int], isComplete: Bool) {
    let waits = isNextMissing && left == 1 && (state == .playing || state == .paused)
    let (step, kept) = (steps[index], left)
    self.durations = durations
    self.isComplete = isComplete
    steps = Self.steps(durations.count, options.direction)
    switch state {
    case .stopped: go(to: 0)
    case .ended: index = steps.count - 1
    case .playing, .paused:
      index = nearest(step)
      left = kept
      if waits, isComplete, options.direction == .reverse { go(to: 0) }
    }
  }

  private var limit: Int? {
    switch options.loops {
    case .file: plays
    case .forever: nil
    case .times(let count): count
    }
  }

  private var isNextMissing: Bool {
    guard !isComplete else { return false }
    return index == (options.direction == .bounce ? durations.count : steps.count) - 1
  }

  private mutating func go(to index: Int) {
    self.index = index
    left = Int128(durations[steps[index].frame]) * 1_000_000_000_000_000_000
  }

  private mutating func end(_ limit: Int) {
    loop = limit
    state = .ended
    index = steps.count - 1
  }

  private mutating func wakeUp() {
    if state == .ended {
      state = .playing
      loop -= 1
    }
    if state == .stopped { state = .paused }
  }

  private func nearest(_ step: Step) -> Int {
    steps.firstIndex(of: step) ?? steps.firstIndex { $0.frame == step.frame } ?? 0
  }

  private static func steps(_ count: Int, _ direction: PlaybackOptions.Direction) -> [Step] {
    let up = (0..<count).map { Step(frame: $0, isBackward: false) }
    let down = (0..<count).reversed().map { Step(frame: $0, isBackward: true) }
    switch direction {
    case .normal: return up
    case .reverse: return down
    case .bounce: return up + down.dropFirst().dropLast()
    case .reversedBounce: return down + up.dropFirst().dropLast()
    }
  }
}
