/// How long frames took to build, in milliseconds; the oldest make room.
struct FrameTimes: Sendable {
  /// A frame at 60 a second.
  static let budget = 1000.0 / 60

  /// The times, oldest first.
  private(set) var times: [Double] = []
  /// How many frames there were, also those that have made room.
  private(set) var count = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = max(1, capacity) }

  mutating func add(_ milliseconds: Double) {
    count += 1
    if times.count == capacity { times.removeFirst() }
    times.append(milliseconds)
  }

  /// The time that this share of the frames did not exceed (nearest rank); 0 without frames.
  func percentile(_ share: Double) -> Double {
    guard !times.isEmpty else { return 0 }
    let rank = Int((share * Double(times.count)).rounded(.up))
    return times.sorted()[min(max(rank, 1), times.count) - 1]
  }

  /// How many took longer than a frame at 60 a second has.
  var overBudget: Int { times.count { $0 > Self.budget } }
}
