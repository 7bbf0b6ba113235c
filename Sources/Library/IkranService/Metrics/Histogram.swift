import Synchronization

/// Durations, counted by their upper bounds as Prometheus has them; threads count at once.
struct Histogram: ~Copyable, Sendable {
  /// The upper bounds, in seconds; Prometheus' own, and so imgproxy's.
  static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  /// What was counted up to each bound, above the one before, and last what was above all.
  private let buckets = InlineArray<12, Atomic<Int>> { _ in Atomic(0) }
  private let microseconds = Atomic(0)

  /// Counts a duration.
  func add(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let time = Double(seconds) + Double(attoseconds) / 1e18
    let index = Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count
    buckets[index].add(1, ordering: .relaxed)
    microseconds.add(Int((time * 1e6).rounded()), ordering: .relaxed)
  }

  /// How many were counted up to each bound, and in all.
  var counts: [Int] {
    var (sum, counts) = (0, [Int]())
    for index in buckets.indices {
      sum += buckets[index].load(ordering: .relaxed)
      counts.append(sum)
    }
    return counts
  }

  /// All durations together.
  var seconds: Double { Double(microseconds.load(ordering: .relaxed)) / 1e6 }
}
