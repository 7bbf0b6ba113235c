/// How long the last frames took to build, in milliseconds; at most `capacity` of them.
struct FrameTimes: Sendable {
  /// A frame at 60 a second.
  static let budget = 1000.0 / 60

  /// The times, oldest first.
  private(set) var times: [Double] = []
  /// How many frames there were, also those that have made room.
  private(set) var count = 0
  /// The frame counts at which ``mark()`` was called.
  private(set) var marks: [Int] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = max(1, capacity) }

  mutating func add(_ milliseconds: Double) {
    count += 1
    if times.count == capacity { times.removeFirst() }
    times.append(milliseconds)
  }

  /// Begins again: the numbers are those of later frames.
  mutating func mark() { marks = marks.filter { $0 > count - capacity } + [count] }

  /// The times since the last mark.
  var recent: ArraySlice<Double> { times.suffix(count - (marks.last ?? 0)) }

  /// The time that this share of the recent frames did not exceed (nearest rank); 0 without frames.
  func percentile(_ share: Double) -> Double {
    let times = recent.sorted()
    guard !times.isEmpty else { return 0 }
    let rank = Int((share * Double(times.count)).rounded(.up))
    return times[min(max(rank, 1), times.count) - 1]
  }

  /// How many of the recent ones took longer than a frame at 60 a second has.
  var overBudget: Int { recent.count { $0 > Self.budget } }
}
